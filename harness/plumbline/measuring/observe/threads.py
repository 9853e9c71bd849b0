"""CPU time of each thread of the application: a compact log for people, sums a window for the evidence."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.evidence import OF_VISITORS, TICK_US, ThreadUse, Window
from .open_file import OpenFile, read_once
from .processes import after_command, scheduling_of
from .samplers.base import Row, Tick
from .targets import Roots

# Enough for event loops, carriers and compilers of a common server; the other threads are summed up.
NAMED_THREADS = 12

# Behind the command: utime, stime (fields 14 and 15 of proc(5)), processor (field 39).
_UTIME, _STIME, _PROCESSOR = 11, 12, 36


@dataclass(frozen=True)
class _Row:
    """Threads whose time or name changed since the row before: id -> time since their start, id -> name."""

    t_s: float
    cpu_us: dict[int, int]
    names: dict[int, str]


class ThreadLog:
    """The application's threads, each second, in steps of 10 ms."""

    def __init__(self, roots: Roots) -> None:
        self._proc = str(roots.proc)
        self._files: dict[int, OpenFile] = {}
        self._cpu_us: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._app_cpus: frozenset[int] = frozenset()
        self._harness_stat = Path(roots.proc) / "self" / "stat"
        self._harness_scheduling: tuple[bytes, bytes, bytes] | None = None
        self._rows: list[_Row] = []
        self._outside_us: int | None = None
        self._preferred_us: int | None = None

    def sample(self, t_s: float, tick: Tick) -> Row:
        """Read all threads of all processes of the role app.

        `cpu.app.outside_us` is the time of threads that were last seen on a CPU outside the application's set, and
        `cpu.app.preferred_us` that of threads last seen at another priority than the harness. A thread that came back
        within the second is not noticed.
        """
        self._app_cpus = frozenset(tick.targets.set_of("app"))
        stat = read_once(self._harness_stat)
        self._harness_scheduling = None if stat is None else scheduling_of(after_command(stat))
        cpu_us: dict[int, int] = {}
        names: dict[int, str] = {}
        live: set[int] = set()
        for pids in tick.processes.roots("app").values():
            for pid in pids:
                self._sample_process(pid, live, cpu_us, names)
        for ended in self._files.keys() - live:
            self._files.pop(ended).close()
        self._rows.append(_Row(round(t_s, 3), cpu_us, names))
        times_us = {"cpu.app.outside_us": self._outside_us, "cpu.app.preferred_us": self._preferred_us}
        return {column: us for column, us in times_us.items() if us is not None}

    def use(self, windows: Iterable[Window]) -> tuple[ThreadUse, ...]:
        """Return CPU time by thread within each window, the largest first, all others as `others (n threads)`.

        At the edges, time is taken as spent evenly between two rows. Threads OF_VISITORS stand behind the largest.
        """
        visitors = {thread: row.t_s for row in self._rows for thread, name in row.names.items() if name in OF_VISITORS}
        uses: list[ThreadUse] = []
        for window in windows:
            before, after = self._times_at(window.start_s), self._times_at(window.end_s)
            spent = {thread: round(used - before.get(thread, 0.0)) for thread, used in after.items()}
            busy = sorted((item for item in spent.items() if item[1] > 0), key=lambda item: (-item[1], item[0]))
            present_visitors = {thread for thread, t_s in visitors.items() if t_s <= window.end_s}
            named_items = [item for item in busy if item[0] not in present_visitors][:NAMED_THREADS]
            named_items += [(thread, spent.get(thread, 0)) for thread in sorted(present_visitors)]
            uses += [ThreadUse(phase=window.phase, name=self._names[thread], cpu_us=us) for thread, us in named_items]
            if others := [item for item in busy if item not in named_items]:
                name = f"others ({len(others)} threads)"
                uses.append(ThreadUse(phase=window.phase, name=name, cpu_us=sum(us for _, us in others)))
        return tuple(uses)

    def write(self, path: Path) -> None:
        """Write gzipped lines of JSON: `t_s`, and what changed: `cpu_us` and `names` by thread id."""
        with gzip.GzipFile(path, "wb", mtime=0) as file:
            for row in self._rows:
                line = {"t_s": row.t_s, "cpu_us": row.cpu_us, "names": row.names}
                file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def close(self) -> None:
        """Close the threads' files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _sample_process(self, pid: int, live: set[int], cpu_us: dict[int, int], names: dict[int, str]) -> None:
        folder = f"{self._proc}/{pid}/task"
        try:
            threads = [int(name) for name in os.listdir(folder)]
        except OSError:
            return
        for thread in threads:
            live.add(thread)
            if thread not in self._files:
                self._files[thread] = OpenFile(f"{folder}/{thread}/stat")
            stat = self._files[thread].read()
            if stat is None:
                continue
            fields = after_command(stat)
            used_us = (int(fields[_UTIME]) + int(fields[_STIME])) * TICK_US
            if used_us > (before_us := self._cpu_us.get(thread, 0)):
                self._cpu_us[thread] = cpu_us[thread] = used_us
                self._add_spent(used_us - before_us, fields)
            name = stat[stat.index(b"(") + 1 : stat.rindex(b")")].decode(errors="replace")
            if name != self._names.get(thread):
                self._names[thread] = names[thread] = name

    def _add_spent(self, spent_us: int, fields: Sequence[bytes]) -> None:
        """Add the time of a thread since the row before, where it was seen elsewhere or at another priority."""
        if len(fields) > _PROCESSOR:
            is_outside = int(fields[_PROCESSOR]) not in self._app_cpus
            self._outside_us = (self._outside_us or 0) + (spent_us if is_outside else 0)
        scheduling = scheduling_of(fields)
        if scheduling is not None and self._harness_scheduling is not None:
            self._preferred_us = (self._preferred_us or 0) + (spent_us if scheduling != self._harness_scheduling else 0)

    def _times_at(self, t_s: float) -> dict[int, float]:
        used_us: dict[int, float] = {}
        earlier_s: float | None = None
        for row in self._rows:
            if row.t_s > t_s:
                if earlier_s is not None:
                    share = (t_s - earlier_s) / (row.t_s - earlier_s)
                    for thread, after in row.cpu_us.items():
                        before = used_us.get(thread, 0.0)
                        used_us[thread] = before + (after - before) * share
                break
            used_us.update(row.cpu_us)
            earlier_s = row.t_s
        return used_us
