"""Read where every thread of every process of a role was allowed to run, and how the scheduler treats the thread."""

from __future__ import annotations

import os

from plumbline.machine.host.kernel import parse_cpulist
from plumbline.measuring.place.interface import PLACED_ROLES, PlacedRole, cpus_of
from plumbline.model.evidence import Affinity
from plumbline.model.host import CpuSets
from ..open_file import read_once
from ..processes import Processes, after_command, scheduling_of
from ..targets import Roots, Targets

_ALLOWED = b"\nCpus_allowed_list:"


def read_affinity(roots: Roots, targets: Targets, t_s: float) -> tuple[Affinity, ...]:
    """Return an entry for each process, in the order app, db, load, harness, by pid.

    Processes that ended meanwhile are left out. `allowed` is the union over the threads.
    """
    processes = Processes(roots)
    processes.begin(targets)
    affinities = [
        affinity
        for role in PLACED_ROLES
        for pids in processes.roots(role).values()
        for pid in sorted(pids)
        if (affinity := _affinity_of(roots, targets.sets, role, pid, t_s)) is not None
    ]
    processes.close()
    return tuple(affinities)


def _affinity_of(roots: Roots, sets: CpuSets, role: PlacedRole, pid: int, t_s: float) -> Affinity | None:
    role_cpus = frozenset(cpus_of(sets, role))
    folder = roots.proc / str(pid)
    allowed_sets = [allowed for allowed in map(_allowed_cpus, _thread_files(folder / "task", "status")) if allowed]
    harness_scheduling = _scheduling(read_once(roots.proc / "self" / "stat"))
    thread_schedulings = [_scheduling(stat) for stat in _thread_files(folder / "task", "stat")]
    command = read_once(folder / "comm")
    if not allowed_sets or command is None:
        return None
    return Affinity(
        t_s=round(t_s, 3),
        role=role,
        pid=pid,
        command=command.decode(errors="replace").strip(),
        threads=len(allowed_sets),
        outside=sum(not allowed <= role_cpus for allowed in allowed_sets),
        allowed=tuple(sorted(frozenset[int]().union(*allowed_sets))),
        preferred=None
        if harness_scheduling is None
        else sum(scheduling != harness_scheduling for scheduling in thread_schedulings if scheduling is not None),
    )


def _thread_files(folder: os.PathLike[str], file: str) -> list[bytes]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    contents = (read_once(os.path.join(folder, name, file)) for name in names)
    return [content for content in contents if content is not None]


def _allowed_cpus(status: bytes) -> frozenset[int]:
    _, label, remainder = status.partition(_ALLOWED)
    return frozenset(parse_cpulist(remainder.split(b"\n", 1)[0].decode())) if label else frozenset()


def _scheduling(stat: bytes | None) -> tuple[bytes, bytes, bytes] | None:
    """Return how the scheduler treats a thread; None where its file is not whole."""
    return scheduling_of(after_command(stat)) if stat is not None and b")" in stat else None
