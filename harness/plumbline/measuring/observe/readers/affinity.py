"""Read where every thread of every process of a role was allowed to run, and how the scheduler treats the thread."""

from __future__ import annotations

import os

from plumbline.machine.host.kernel import parse_cpulist
from plumbline.measuring.place.interface import PLACED_ROLES, PlacedRole, cpus_of
from plumbline.model.evidence import Affinity
from plumbline.model.host import CpuSets
from ..open_file import read_once
from ..processes import Processes, after_command, scheduled
from ..targets import Roots, Targets

_ALLOWED = b"\nCpus_allowed_list:"


def read_affinity(roots: Roots, targets: Targets, t_s: float) -> tuple[Affinity, ...]:
    """Return an entry for each process, in the order app, db, load, harness, by pid.

    Processes that ended meanwhile are left out. `allowed` is the union over the threads.
    """
    processes = Processes(roots)
    processes.begin(targets)
    found = [
        affinity
        for role in PLACED_ROLES
        for pids in processes.roots(role).values()
        for pid in sorted(pids)
        if (affinity := _of_process(roots, targets.sets, role, pid, t_s)) is not None
    ]
    processes.close()
    return tuple(found)


def _of_process(roots: Roots, sets: CpuSets, role: PlacedRole, pid: int, t_s: float) -> Affinity | None:
    of_role = frozenset(cpus_of(sets, role))
    folder = roots.proc / str(pid)
    threads = [allowed for allowed in map(_allowed, _of_threads(folder / "task", "status")) if allowed]
    ours = _scheduled(read_once(roots.proc / "self" / "stat"))
    theirs = [_scheduled(stat) for stat in _of_threads(folder / "task", "stat")]
    command = read_once(folder / "comm")
    if not threads or command is None:
        return None
    return Affinity(
        t_s=round(t_s, 3),
        role=role,
        pid=pid,
        command=command.decode(errors="replace").strip(),
        threads=len(threads),
        outside=sum(not allowed <= of_role for allowed in threads),
        allowed=tuple(sorted(frozenset[int]().union(*threads))),
        preferred=None if ours is None else sum(one != ours for one in theirs if one is not None),
    )


def _of_threads(folder: os.PathLike[str], file: str) -> list[bytes]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    contents = (read_once(os.path.join(folder, name, file)) for name in names)
    return [content for content in contents if content is not None]


def _allowed(status: bytes) -> frozenset[int]:
    _, found, rest = status.partition(_ALLOWED)
    return frozenset(parse_cpulist(rest.split(b"\n", 1)[0].decode())) if found else frozenset()


def _scheduled(stat: bytes | None) -> tuple[bytes, bytes, bytes] | None:
    """Return how the scheduler treats a thread; None where its file is not whole."""
    return scheduled(after_command(stat)) if stat is not None and b")" in stat else None
