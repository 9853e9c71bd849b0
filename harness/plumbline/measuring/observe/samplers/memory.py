"""Sample what each role uses, by its processes and its cgroup: memory, throttling, writes, threads and switches."""

from __future__ import annotations

import os
from functools import partial

from plumbline.measuring.place.interface import PLACED_ROLES, PlacedRole
from ..open_file import OpenFile, keyed, number_after
from ..targets import Roots, Targets
from .base import HoldsFiles, RoleCounter, RoleFiles, Row, RunningTotal, Tick

SAMPLED_ROLES: tuple[PlacedRole, ...] = ("app", "db", "load")


class MemorySampler(HoldsFiles):
    """Samples the memory of each role: `<role>.rss_bytes`, `.swap_bytes`, `.memory_peak_bytes` and `.oom_kills` of app,
    db and load.

    Pages that processes of a role share (PostgreSQL's buffers, the program itself) count once: private pages
    are summed, of shared and file pages the largest process's count is taken. For one process that is its
    RSS.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._peak = self.hold(RoleFiles("memory.peak", "memory.max_usage_in_bytes"))
        self._events = self.hold(RoleFiles("memory.events", "memory.oom_control"))
        self._kills = RoleCounter()

    def sample(self, tick: Tick) -> Row:
        """Return bytes and kills; None for a role none of whose processes is there."""
        row: dict[str, float | None] = {}
        for role in SAMPLED_ROLES:
            row[f"{role}.rss_bytes"], row[f"{role}.swap_bytes"] = _resident(role, tick)
            peaks = self._peak.read(role, tick)
            row[f"{role}.memory_peak_bytes"] = sum(map(int, peaks.values())) if peaks else None
            row[f"{role}.oom_kills"] = self._kills.add(role, self._events.read(role, tick), _kills)
        return row


def _kills(events: bytes) -> int | None:
    return number_after(b"\n" + events, b"\noom_kill ")


def _resident(role: PlacedRole, tick: Tick) -> tuple[float | None, float | None]:
    private_kb = shared_kb = swap_kb = 0
    is_known = False
    for pids in tick.processes.roots(role).values():
        for pid in pids:
            status = tick.processes.read(pid, "status")
            anonymous = None if status is None else number_after(status, b"\nRssAnon:")
            if status is None or anonymous is None:
                continue
            is_known = True
            private_kb += anonymous
            file_kb, shmem_kb = number_after(status, b"\nRssFile:"), number_after(status, b"\nRssShmem:")
            shared_kb = max(shared_kb, (file_kb or 0) + (shmem_kb or 0))
            swap_kb += number_after(status, b"\nVmSwap:") or 0
    return ((private_kb + shared_kb) * 1024, swap_kb * 1024) if is_known else (None, None)


class ThrottlingSampler(HoldsFiles):
    """Samples `<role>.throttled_us` (v2 `throttled_usec`, v1 `throttled_time` in ns) and `.throttled_periods`.

    Those of `harness` are of the groups around the roles'.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._stat = self.hold(RoleFiles("cpu.stat", of=Targets.quotas_of))
        self._us, self._periods = RoleCounter(), RoleCounter()

    def sample(self, tick: Tick) -> Row:
        """Return the throttled time of each role; None for a role without a cgroup with a CPU controller."""
        row: dict[str, float | None] = {}
        for role in PLACED_ROLES:
            stat = self._stat.read(role, tick)
            row[f"{role}.throttled_us"] = self._us.add(role, stat, _throttled_us)
            row[f"{role}.throttled_periods"] = self._periods.add(role, stat, _throttled_periods)
        return row


def _throttled_us(stat: bytes) -> int | None:
    numbers = keyed(stat)
    throttled_ns = numbers.get(b"throttled_time")
    return numbers.get(b"throttled_usec") if throttled_ns is None else throttled_ns // 1000


def _throttled_periods(stat: bytes) -> int | None:
    return keyed(stat).get(b"nr_throttled")


class OutsideSampler(HoldsFiles):
    """Samples the CPU time of roles outside of their sets, `cpu.<role>.outside_us`: the scheduler's own count, by
    `cpuacct.usage_percpu`.

    Cgroup v2 has no count for each CPU; there the application's threads give the time (`observe.threads`).
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._counts = self.hold(RoleFiles("cpuacct.usage_percpu"))
        self._us = RoleCounter()

    def sample(self, tick: Tick) -> Row:
        """Return microseconds since the group was made; None where the host has no such file."""
        return {
            f"cpu.{role}.outside_us": self._us.add(
                role,
                self._counts.read(role, tick),
                partial(_outside_us, frozenset(tick.targets.set_of(role))),
            )
            for role in SAMPLED_ROLES
        }


def _outside_us(own: frozenset[int], content: bytes) -> int:
    return sum(int(ns) for cpu, ns in enumerate(content.split()) if cpu not in own) // 1000


WRITING_ROLES: tuple[PlacedRole, ...] = ("app", "load")


class WrittenSampler(HoldsFiles):
    """Samples the bytes written: `app.written_bytes` and `load.written_bytes`, of /proc/PID/io.

    The kernel bills a page to the process that first made it dirty, so that many small writes into one page count once
    until it was written back; what lies in memory alone (a tmpfs) does not count. Children that ended count with their
    parent.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._roots = roots
        self._totals = {role: RunningTotal() for role in WRITING_ROLES}

    def sample(self, tick: Tick) -> Row:
        """Return bytes; None for a role one of whose root processes may not be read."""
        row: dict[str, float | None] = {}
        for role in WRITING_ROLES:
            written: dict[int, int] = {}
            for root, pids in tick.processes.roots(role).items():
                # A process of another user is read by a service, which knows the root process alone.
                contents = (tick.processes.read(pid, "io") or self._roots.of_process(pid, "io") or b"" for pid in pids)
                counts = [number_after(content, b"\nwrite_bytes:") for content in contents]
                if counts[0] is not None:
                    written[root] = sum(count for count in counts if count is not None)
            known = len(written) == len(tick.processes.roots(role))
            row[f"{role}.written_bytes"] = self._totals[role].add(written) if known else None
        return row


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
            threads, faults = self._threads_and_faults(role, tick, live)
            row[f"{role}.threads"] = threads
            row[f"{role}.major_faults"] = faults
            switches = self._switches[role].values()
            row[f"{role}.voluntary_switches"] = None if faults is None else sum(pair[0] for pair in switches)
            row[f"{role}.involuntary_switches"] = None if faults is None else sum(pair[1] for pair in switches)
        for ended in self._threads.keys() - live:
            self._threads.pop(ended).close()
        return row

    def close(self) -> None:
        """Close the threads' files."""
        for file in self._threads.values():
            file.close()
        self._threads.clear()

    def _threads_and_faults(self, role: PlacedRole, tick: Tick, live: set[int]) -> tuple[int | None, int | None]:
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
