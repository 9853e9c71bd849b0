"""Reads what else runs on the host just before a trial."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from plumbline.model.evidence import HostBefore
from ..open_file import number_after, read_once
from ..processes import after_command
from ..targets import Roots

# Long enough that the kernel's steps of 10 ms are small beside the 2 % of R25: 4 of 200 steps on two CPUs.
LOOK_S = 1.0
BUSY_TICKS = 2
_NAMED = 8

_PARENT, _UTIME, _STIME = 1, 11, 12
_IDLE, _IOWAIT = 3, 4


def read_host_before(
    roots: Roots, ours: Iterable[int], sleep: Callable[[float], None] = time.sleep
) -> HostBefore | None:
    """Return load, swap, and the share of foreign processes in all CPU time within a second; None without /proc.

    All processes but `ours` and their descendants are foreign.

    `busy_commands` are names of foreign processes that ran for 20 ms or more of that time, the busiest first.
    """
    load = read_once(roots.proc / "loadavg")
    if load is None:
        return None
    cpus_before, processes_before = _cpu_ticks(roots), _processes(roots)
    sleep(LOOK_S)
    cpus_after, processes_after = _cpu_ticks(roots), _processes(roots)
    load_fields = load.split()
    spent = {
        pid: (process.command, process.ticks - processes_before[pid].ticks)
        for pid, process in processes_after.items()
        if pid in processes_before
    }
    family = _with_descendants(ours, processes_after)
    busy, total = cpus_after[0] - cpus_before[0], cpus_after[1] - cpus_before[1]
    own_ticks = sum(ticks for pid, (_, ticks) in spent.items() if pid in family)
    foreign = [(ticks, command) for pid, (command, ticks) in spent.items() if pid not in family]
    busiest = sorted((entry for entry in foreign if entry[0] >= BUSY_TICKS), reverse=True)
    return HostBefore(
        load_1m=float(load_fields[0]),
        runnable=int(load_fields[3].split(b"/")[0]),
        foreign_cpu_share=None if total <= 0 else round(max(0, busy - own_ticks) / total, 4),
        busy_commands=tuple(dict.fromkeys(command for _, command in busiest))[:_NAMED],
        swap_used_bytes=_swap_used_bytes(roots),
    )


def _cpu_ticks(roots: Roots) -> tuple[int, int]:
    """Return the busy ticks and all ticks of all CPUs."""
    fields = [int(field) for field in (read_once(roots.proc / "stat") or b"cpu 0 0 0 0 0").split(None, 9)[1:9]]
    total = sum(fields)
    return total - fields[_IDLE] - fields[_IOWAIT], total


@dataclass(frozen=True)
class _Process:
    command: str
    parent: int
    ticks: int


def _processes(roots: Roots) -> dict[int, _Process]:
    processes: dict[int, _Process] = {}
    for folder in roots.proc.iterdir():
        stat = read_once(folder / "stat") if folder.name.isdigit() else None
        if stat is not None:
            fields = after_command(stat)
            command = stat[stat.index(b"(") + 1 : stat.rindex(b")")].decode(errors="replace")
            ticks = int(fields[_UTIME]) + int(fields[_STIME])
            processes[int(folder.name)] = _Process(command, int(fields[_PARENT]), ticks)
    return processes


def _with_descendants(ours: Iterable[int], processes: Mapping[int, _Process]) -> frozenset[int]:
    family = set(ours)
    while children := {pid for pid, process in processes.items() if process.parent in family} - family:
        family |= children
    return frozenset(family)


def _swap_used_bytes(roots: Roots) -> int:
    content = read_once(roots.proc / "meminfo") or b""
    total, free = number_after(content, b"SwapTotal:"), number_after(content, b"SwapFree:")
    return ((total or 0) - (free or 0)) * 1024
