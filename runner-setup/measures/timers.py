"""Nothing starts by the clock."""

from __future__ import annotations

from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown

ID = "timers"
TITLE = "No timers of the system"
WHY = "Upgrades, trimming of disks and indexes of manuals start at an hour of their own choice, also within a trial."
NEEDED_FOR: NeededFor = "lab"


def check(roots: Roots) -> Reading:
    """From the timers that systemd was told to start; those that come with systemd itself are light and stay."""
    if not roots.run.is_dir() or not (roots.etc / "systemd/system").is_dir():
        return unknown("which timers are set is not shown (/etc/systemd/system)")
    if not (roots.run / "systemd/system").is_dir():
        return not_applicable("systemd does not run here, so none of its timers does")
    timers = sorted(path.name for path in (roots.etc / "systemd/system/timers.target.wants").glob("*.timer"))
    if not timers:
        return fit("none but systemd's own")
    shown = ", ".join(name.removesuffix(".timer") for name in timers)
    return unfit(f"{len(timers)}: {shown}", f"sudo systemctl disable --now {' '.join(timers)}")
