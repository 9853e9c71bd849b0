"""The condition that processes may open enough files."""

from __future__ import annotations

from .changes import Change, File
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "open-files"
TITLE = "Open files enough for the load"
WHY = "A load generator or application that may open no further socket fails requests that the framework would serve."
NEEDED_FOR: NeededFor = "any"
SOURCE = "https://manpages.debian.org/limits.conf"

# The suites hold 100 connections, a JVM some 300 files beside them, and PostgreSQL a file a table and index: a margin
# of ten. Java and Go raise their own soft limit up to the hard one, so the hard one decides.
ENOUGH = 4096
LIMITS = "* - nofile 65536\n"
COMMAND = "echo '* - nofile 65536' | sudo tee /etc/security/limits.d/plumbline.conf"


def check(roots: Roots) -> Reading:
    """Read the hard limit in /proc/self/limits; after the command a user has to log in again."""
    for line in (read(roots.proc / "self/limits") or "").splitlines():
        if line.startswith("Max open files"):
            hard = line.split()[4]
            if hard == "unlimited" or int(hard) >= ENOUGH:
                return fit(f"{hard} (hard limit)")
            return unfit(f"{hard} (hard limit), and {ENOUGH} are needed", COMMAND)
    return unknown("not shown (/proc/self/limits)")


def changes(roots: Roots) -> list[Change]:
    """Return a file of limits for users that log in anew, if the limit is too low."""
    if check(roots).verdict != "unfit":
        return []
    return [File(roots.etc / "security/limits.d/50-plumbline-host.conf", LIMITS)]
