"""The condition that a program keeps the clock right."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import commands

ID = "time-sync"
TITLE = "Clock kept right"
WHY = "A clock that is wrong dates records wrongly, and one that is set at last steps in the middle of a trial."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://manpages.debian.org/systemd-timesyncd.service"

changes = by_hand

# Once they run, these programs slew the clock rather than step it. Names as the kernel has them: 15 characters at most.
KEEPERS = frozenset(["chronyd", "ntpd", "openntpd", "ptp4l"])
TIMESYNCD = "systemd-timesyn"
COMMAND = "sudo timedatectl set-ntp true"


def check(roots: Roots) -> Reading:
    """Read systemd-timesyncd's mark of success, and which programs that keep a clock are running."""
    running = commands(roots)
    keepers = sorted(running & KEEPERS)
    if keepers:
        return fit(f"{', '.join(keepers)} {'keeps' if len(keepers) == 1 else 'keep'} it")
    if TIMESYNCD in running:
        if (roots.run / "systemd/timesync/synchronized").exists():
            return fit("systemd-timesyncd keeps it")
        return unfit("systemd-timesyncd runs, but has not reached a server yet", None)
    # The host of a container or of a virtual machine may keep the clock for it.
    return unknown("nothing is seen here that keeps it", COMMAND)
