"""The condition that nothing starts by the clock."""

from __future__ import annotations

from pathlib import Path

from .changes import Change, is_masked, masked
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import commands, shows_all

ID = "timers"
TITLE = "No timers of the system"
WHY = "Upgrades, trimming of disks and indexes of manuals start at an hour of their own choice, also within a trial."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://manpages.debian.org/systemd.timer"

OWN = "plumbline-"
# Programs that start others by the clock, and their services.
CLOCKS = {"cron": "cron.service", "crond": "crond.service", "atd": "atd.service", "anacron": "anacron.service"}


def check(roots: Roots) -> Reading:
    """Read the timers that systemd was told to start, whichever unit wants them, and whether cron runs; the timers that
    come with systemd itself are light and stay.

    A timer that is masked does not start.
    """
    if not roots.run.is_dir() or not (roots.etc / "systemd/system").is_dir():
        return unknown("which timers are set is not shown (/etc/systemd/system)")
    if not (roots.run / "systemd/system").is_dir():
        if "systemd" in commands(roots):
            return unknown("systemd runs, and which timers it has is not shown (/run/systemd)")
        return not_applicable("systemd does not run here, so none of its timers does")
    running = commands(roots)
    units = [name for name in _enabled(roots) if not is_masked(roots, name)]
    units += [service for name, service in CLOCKS.items() if name in running]
    if not units:
        return (
            fit("none but systemd's own") if shows_all(running) else unknown("whether cron runs is not shown (/proc)")
        )
    shown = ", ".join(Path(name).stem for name in units)
    return unfit(f"{len(units)}: {shown}", f"sudo systemctl disable --now {' '.join(units)}")


def changes(roots: Roots) -> list[Change]:
    """Return the changes that stop every enabled timer, and cron, and hold them back until a rollback."""
    return masked(roots, [*_enabled(roots), *CLOCKS.values()])


def _enabled(roots: Roots) -> list[str]:
    """Return all enabled timers but our own, which looks whether a job waits: without it no job would ever come."""
    timers = (roots.etc / "systemd/system").glob("*.wants/*.timer")
    return sorted({path.name for path in timers if not path.name.startswith(OWN)})
