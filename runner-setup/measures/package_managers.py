"""The condition that no package manager is at work."""

from __future__ import annotations

from .changes import Change, masked
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import commands, shows_all

ID = "package-managers"
TITLE = "No package manager at work"
WHY = "An upgrade in the background burns CPU and disk for minutes, and may replace the very files that are measured."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://wiki.debian.org/UnattendedUpgrades"

# Names as the kernel has them: 15 characters at most. A program that only waits for requests, such as snapd, is named
# too, since it looks for upgrades by its own clock.
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
# Programs that keep running are services, and are stopped as such.
SERVICES = {
    "unattended-upgr": "unattended-upgrades.service",
    "packagekitd": "packagekit.service",
    "snapd": "snapd.service snapd.socket",
    "fwupd": "fwupd.service",
}


# The services that start them by the clock.
DAILY = ("apt-daily.service", "apt-daily-upgrade.service")


def check(roots: Roots) -> Reading:
    """Read the names of all processes."""
    running = commands(roots)
    managers = sorted(running & NAMES)
    if not managers:
        return fit("none") if shows_all(running) else unknown("what runs here is not shown (/proc)")
    services = [SERVICES[name] for name in managers if name in SERVICES]
    command = f"sudo systemctl stop {' '.join(services)}" if services else None
    return unfit(f"{', '.join(managers)} {'runs' if len(managers) == 1 else 'run'}", command)


def changes(roots: Roots) -> list[Change]:
    """Return the changes that stop the services and hold them back until a rollback."""
    return masked(roots, sorted({name for names in SERVICES.values() for name in names.split()} | {*DAILY}))
