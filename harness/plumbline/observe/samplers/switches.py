"""Threads, context switches and major faults of each role's processes."""

from __future__ import annotations

import os

from plumbline.place.interface import PlacedRole
from ..open_file import OpenFile, number_after
from ..roots import Roots
from .base import Row, RunningTotal, Tick
from .memory import SAMPLED_ROLES

# Behind the command: majflt, cmajflt (fields 12 and 13 of proc(5)), num_threads (field 20).
_MAJOR_FAULTS, _CHILDREN_MAJOR_FAULTS, _THREADS = 9, 10, 17


class SwitchesSampler:
    """Samples threads, faults and context switches: `<role>.threads`, `.major_faults`, `.voluntary_switches`,
    `.involuntary_switches` of app, db and load.

    The kernel counts switches by thread, so all threads are read; those of a thread that ended stay in the
    sum as last seen.
    """

    def __init__(self, roots: Roots) -> None:
        self._proc = str(roots.proc)
        self._faults = {role: RunningTotal() for role in SAMPLED_ROLES}
        self._switches: dict[PlacedRole, dict[int, tuple[int, int]]] = {role: {} for role in SAMPLED_ROLES}
        self._threads: dict[int, OpenFile] = {}

    def sample(self, tick: Tick) -> Row:
        """Return the context switches of each role, or its last counts without a process; None once a root is gone."""
        row: dict[str, float | None] = {}
        live: set[int] = set()
        for role in SAMPLED_ROLES:
            threads, faults = self._processes(role, tick, live)
            row[f"{role}.threads"] = threads
            row[f"{role}.major_faults"] = faults
            seen = self._switches[role].values()
            row[f"{role}.voluntary_switches"] = None if faults is None else sum(pair[0] for pair in seen)
            row[f"{role}.involuntary_switches"] = None if faults is None else sum(pair[1] for pair in seen)
        for ended in self._threads.keys() - live:
            self._threads.pop(ended).close()
        return row

    def close(self) -> None:
        """Close the threads' files."""
        for file in self._threads.values():
            file.close()
        self._threads.clear()

    def _processes(self, role: PlacedRole, tick: Tick, live: set[int]) -> tuple[int | None, int | None]:
        threads = 0
        faults: dict[int, int] = {}
        for root, pids in tick.processes.roots(role).items():
            if tick.processes.stat(root) is None:
                return None, None
            faults[root] = 0
            for pid in pids:
                fields = tick.processes.stat(pid)
                if fields is None:
                    continue
                faults[root] += int(fields[_MAJOR_FAULTS]) + int(fields[_CHILDREN_MAJOR_FAULTS])
                threads += int(fields[_THREADS])
                if int(fields[_THREADS]) == 1:
                    self._count(role, pid, tick.processes.read(pid, "status"))
                else:
                    self._count_threads(role, pid, live)
        return (threads if faults else None), self._faults[role].add(faults)

    def _count_threads(self, role: PlacedRole, pid: int, live: set[int]) -> None:
        folder = f"{self._proc}/{pid}/task"
        try:
            names = os.listdir(folder)
        except OSError:
            return
        for thread in map(int, names):
            live.add(thread)
            if thread not in self._threads:
                self._threads[thread] = OpenFile(f"{folder}/{thread}/status")
            self._count(role, thread, self._threads[thread].read())

    def _count(self, role: PlacedRole, thread: int, status: bytes | None) -> None:
        if status is None:
            return
        voluntary = number_after(status, b"\nvoluntary_ctxt_switches:")
        involuntary = number_after(status, b"\nnonvoluntary_ctxt_switches:")
        if voluntary is not None and involuntary is not None:
            before = self._switches[role].get(thread, (0, 0))
            self._switches[role][thread] = (max(voluntary, before[0]), max(involuntary, before[1]))
