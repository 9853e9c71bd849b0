"""No package manager is at work."""

from __future__ import annotations

from .changes import Change, masked
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import commands

ID = "package-managers"
TITLE = "No package manager at work"
WHY = "An upgrade in the background burns CPU and disk for minutes, and may replace the very files that are measured."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://wiki.debian.org/UnattendedUpgrades"

# As the kernel names them: 15 characters at most. One that only waits to be asked, such as snapd, is named too, since
# it looks for upgrades by its own clock.
NAMES = frozenset(
    [
        "apt",
        "apt-get",
        "apt.systemd.dai",
        "aptitude",
        "dpkg",
        "unattended-upgr",
        "packagekitd",
        "dnf",
        "dnf5",
        "yum",
        "rpm",
        "zypper",
        "pacman",
        "snapd",
        "fwupd",
        "flatpak",
        "updatedb",
        "updatedb.plocat",
        "mandb",
    ]
)
# Those that stay are services, and are stopped as such.
SERVICES = {
    "unattended-upgr": "unattended-upgrades.service",
    "packagekitd": "packagekit.service",
    "snapd": "snapd.service snapd.socket",
    "fwupd": "fwupd.service",
}


# What wakes them by the clock.
DAILY = ("apt-daily.service", "apt-daily-upgrade.service")


def check(roots: Roots) -> Reading:
    """From the names of all processes."""
    running = commands(roots)
    if not running:
        return unknown("what runs here is not shown (/proc)")
    found = sorted(running & NAMES)
    if not found:
        return fit("none")
    services = [SERVICES[name] for name in found if name in SERVICES]
    command = f"sudo systemctl stop {' '.join(services)}" if services else None
    return unfit(f"{', '.join(found)} {'runs' if len(found) == 1 else 'run'}", command)


def changes(roots: Roots) -> list[Change]:
    """The services of those that stay, held back until somebody rolls back."""
    return masked(roots, sorted({name for names in SERVICES.values() for name in names.split()} | {*DAILY}))
