"""Reasons to leave a host alone: each is one sentence with the next step, and nothing was changed."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator

from measures import hypervisor
from measures.face import Roots
from measures.files import commands, first_threads, read
from measures.layout import ROLES

from .host import Host
from .refused import Refused

# Programs that manage the same files, as the kernel names them (15 characters at most) -> their service.
OTHERS = {
    "tuned": "tuned.service",
    "power-profiles-": "power-profiles-daemon.service",
    "auto-cpufreq": "auto-cpufreq.service",
    "tlp": "tlp.service",
    "cpufreqd": "cpufreqd.service",
}


def require_linux() -> None:
    """Raise Refused on another system than Linux."""
    if platform.system() != "Linux":
        raise Refused(f"bench-host sets up Linux, and this is {platform.system()}.", "Run it on the host itself.")


def require_root(host: Host) -> None:
    """Raise Refused for a user who may change nothing."""
    if host.is_live and os.geteuid() != 0:
        raise Refused("Only root may change the host.", "Run it by sudo; check and --dry-run need no root.")


def require_host(host: Host, *, anyway: bool) -> None:
    """Raise Refused for a machine that is no benchmark host, or that another program manages.

    With `anyway` a virtual machine passes, and a machine with few cores, to try the program out.
    """
    for problem, next_step, may_be_tried in _reasons(host.roots()):
        if not (anyway and may_be_tried):
            raise Refused(problem, next_step)


def _reasons(roots: Roots) -> Iterator[tuple[str, str, bool]]:
    try_it = "Measure on bare metal, or try it out here by --anyway."
    if hypervisor.check(roots).verdict == "unfit":
        yield "This is a virtual machine, and what is set in it says nothing of its CPUs.", try_it, True
    cores = len(first_threads(roots))
    if cores < ROLES:
        noun = "core" if cores == 1 else "cores"
        yield f"This machine has {cores} {noun}, and a benchmark host needs {ROLES}.", try_it, True
    if _on_battery(roots):
        yield "This laptop runs on its battery, which decides how fast it is.", "Plug it in.", False
    running = commands(roots)
    for name, service in OTHERS.items():
        links = list((roots.etc / "systemd/system").glob(f"*.wants/{service}"))
        if name in running or links:
            yield (
                f"{service} manages the same settings and would set them back.",
                f"sudo systemctl disable --now {service}",
                False,
            )


def _on_battery(roots: Roots) -> bool:
    supplies = list((roots.sys / "class/power_supply").glob("*"))
    kinds = {folder: read(folder / "type") for folder in supplies}
    # A mouse has a battery as well.
    batteries = [folder for folder, kind in kinds.items() if kind == "Battery" and read(folder / "scope") != "Device"]
    return any(read(folder / "status") == "Discharging" for folder in batteries)
