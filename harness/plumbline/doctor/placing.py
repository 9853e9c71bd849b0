"""Check which CPUs each role would get here, and what would hold the processes on them."""

from __future__ import annotations

from functools import partial

from plumbline.host.kernel import format_cpulist
from plumbline.model.errors import UsageError
from plumbline.model.host import ROLES, Condition, Topology
from plumbline.place.interface import Placement
from plumbline.place.sets import plan_sets


def sets(topology: Topology) -> Condition:
    """Return the sets that a session would use."""
    say = partial(
        Condition,
        id="sets",
        title="CPUs of each role",
        why="The application never shares a CPU with what measures it.",
        needed_for="any",
    )
    try:
        found = plan_sets(topology)
    except UsageError as error:
        return say(
            verdict="unfit", reading=f"{error.problem.rstrip('.')}: {error.next_step.rstrip('.').lower()}"
        )
    roles: dict[str, list[str]] = {}
    for role in ROLES:
        roles.setdefault(format_cpulist(found.of(role)), []).append(role)
    return say(
        verdict="fit", reading="; ".join(f"{', '.join(names)}: {cpus}" for cpus, names in roles.items())
    )


def placement(chosen: Placement, *, is_root: bool) -> Condition:
    """Return the condition of placement: what holds processes on their CPUs, and what root would add."""
    held = chosen.name != "taskset"
    return Condition(
        id="placement",
        title="Processes held on their CPUs",
        why="Affinity alone can be undone by the process itself, and counts nothing by role.",
        needed_for="lab",
        verdict="fit" if held else "unfit",
        reading=f"{chosen.name}: {chosen.reason}",
        command=None if held or is_root else "sudo ./bench run",
    )
