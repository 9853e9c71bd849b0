"""Where every thread of every process of a role was allowed to run."""

from __future__ import annotations

import os

from plumbline.host.cpulist import parse_cpulist
from plumbline.model.evidence import Affinity
from plumbline.model.host import CpuSets
from plumbline.place.face import PLACED_ROLES, PlacedRole, cpus_of
from ..held import read_once
from ..processes import Processes
from ..roots import Roots
from ..targets import Targets

_ALLOWED = b"\nCpus_allowed_list:"


def read_affinity(roots: Roots, targets: Targets, t_s: float) -> tuple[Affinity, ...]:
    """One entry a process, in the order app, db, load, harness, by pid.

    Processes that ended meanwhile are left out.     `allowed` is the union over the threads.
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
    threads = [allowed for allowed in map(_allowed, _statuses(folder / "task")) if allowed]
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
    )


def _statuses(folder: os.PathLike[str]) -> list[bytes]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    contents = (read_once(os.path.join(folder, name, "status")) for name in names)
    return [content for content in contents if content is not None]


def _allowed(status: bytes) -> frozenset[int]:
    _, found, rest = status.partition(_ALLOWED)
    return frozenset(parse_cpulist(rest.split(b"\n", 1)[0].decode())) if found else frozenset()
