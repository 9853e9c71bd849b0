"""The condition that the kernel stays the same until somebody decides otherwise."""

from __future__ import annotations

import re

from .changes import Change, Command
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import read

ID = "kernel-held"
TITLE = "Kernel version held"
WHY = "A new kernel starts every series anew; one that an upgrade brings along does so on a night nobody chose."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://manpages.debian.org/apt-mark"

# Images, and the packages without a version of their own that bring the next image along.
KERNELS = re.compile(r"linux-(image|generic|virtual|lowlatency|aws|azure|gcp|oracle)(-.*)?\Z")


def check(roots: Roots) -> Reading:
    """Read dpkg's list of packages: every installed kernel has to be on hold."""
    text = read(roots.var / "lib/dpkg/status")
    if text is None:
        return unknown("whether the kernel's packages are held is not shown (dpkg)")
    states = dict(filter(None, map(_kernel, text.split("\n\n"))))
    installed = {name: state for name, state in states.items() if state.endswith(" installed")}
    if not installed:
        return not_applicable("no kernel is installed as a package")
    free = sorted(name for name, state in installed.items() if not state.startswith("hold "))
    if free:
        return unfit(f"{', '.join(free)} may be upgraded", f"sudo apt-mark hold {' '.join(free)}")
    return fit(", ".join(sorted(installed)))


def changes(roots: Roots) -> list[Change]:
    """Return the commands that put each kernel that may be upgraded on hold."""
    text = read(roots.var / "lib/dpkg/status") or ""
    states = dict(filter(None, map(_kernel, text.split("\n\n"))))
    free = sorted(name for name, state in states.items() if state == "install ok installed")
    return [Command(("apt-mark", "hold", name), ("apt-mark", "unhold", name)) for name in free]


def _kernel(paragraph: str) -> tuple[str, str] | None:
    """Return name and state of a package that is a kernel, such as `linux-image-amd64`, `hold ok installed`."""
    fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if re.match(r"(Package|Status): ", line))
    name = fields.get("Package", "")
    return (name, fields.get("Status", "")) if KERNELS.match(name) else None
