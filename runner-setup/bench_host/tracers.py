"""What the kernel's own tracers see of a host: osnoise sees who took each CPU away, hwlat what the hardware took.

A thread of the kernel sees what no program can see: whether an interrupt, another thread or the hardware itself was the
cause, and stalls (of firmware, say) in which the kernel does not run at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measures.face import Roots
from measures.files import read

from .refused import Refused

OSNOISE, HWLAT = "osnoise", "hwlat"
TRACERS = (OSNOISE, HWLAT)
# osnoise writes a line for each CPU when a second is over; hwlat watches during half of each second, one CPU after the
# other.
LEAST_S = 3.0
NONE = "nop"
CAUSES = ("hardware", "nmi", "interrupts", "soft_interrupts", "threads")

# `<...>-859 [000] .... 81.637220: 1000000 190 99.98100 9 18 0 1007 18 1`, times in us:
# https://docs.kernel.org/trace/osnoise-tracer.html
_OSNOISE = re.compile(
    r"\[(?P<cpu>\d+)\]\s+\S+\s+[\d.]+:\s+(?P<ran>\d+)\s+(?P<noise>\d+)\s+[\d.]+\s+(?P<longest>\d+)"
    r"\s+(?P<causes>\d+(?:\s+\d+){4})\s*$",
    re.MULTILINE,
)
# `<...>-1729 [001] d... 678.473449: #1 inner/outer(us): 11/12 ts:1581527483.343962693 count:6`, a line for the stalls
# of half a second on one CPU: https://docs.kernel.org/trace/hwlat_detector.html
_HWLAT = re.compile(r"inner/outer\(us\):\s+(?P<inner>\d+)/(?P<outer>\d+)\s+ts:[\d.]+\s+count:(?P<count>\d+)")

Wait = Callable[[float], None]


@dataclass(frozen=True)
class Noise:
    """One CPU by osnoise: how long its thread ran, the share of time taken away, the longest time at once, and how
    often a second each cause took the CPU away.
    """

    cpu: int
    seconds: float
    lost_share: float
    longest_us: float
    per_s: dict[str, float]


@dataclass(frozen=True)
class Stalls:
    """The machine by hwlat: how often in so many seconds the hardware stood still, and the longest time at once."""

    seconds: float
    stalls: int
    longest_us: float


def folder_of(roots: Roots) -> Path:
    """Return the folder of the tracers, where systemd mounts it."""
    return roots.sys / "kernel/tracing"


def offered(roots: Roots) -> tuple[str, ...] | None:
    """Return which of the two tracers this kernel has; None if not shown. Raises Refused while somebody else traces."""
    folder = folder_of(roots)
    names, current = read(folder / "available_tracers"), read(folder / "current_tracer")
    if names is None or current is None:
        return None
    if current != NONE:
        raise Refused(
            f"Somebody traces this kernel ({current}), which is no quiet.",
            f"End it: echo {NONE} | sudo tee {folder / 'current_tracer'}",
        )
    return tuple(tracer for tracer in TRACERS if tracer in names.split())


def osnoise(roots: Roots, seconds: float, wait: Wait) -> list[Noise]:
    """Measure what took each CPU away, on all CPUs at once. Empty if the kernel wrote no line."""
    lines_of_cpu: dict[int, list[re.Match[str]]] = {}
    for line in _OSNOISE.finditer(_trace_text(roots, OSNOISE, seconds, wait)):
        lines_of_cpu.setdefault(int(line["cpu"]), []).append(line)
    return [_noise(cpu, lines) for cpu, lines in sorted(lines_of_cpu.items())]


def hwlat(roots: Roots, seconds: float, wait: Wait) -> Stalls:
    """Measure what the hardware took from the machine."""
    lines = list(_HWLAT.finditer(_trace_text(roots, HWLAT, seconds, wait)))
    longest = max((int(line[name]) for line in lines for name in ("inner", "outer")), default=0)
    return Stalls(seconds, sum(int(line["count"]) for line in lines), float(longest))


def _noise(cpu: int, lines: list[re.Match[str]]) -> Noise:
    ran_s = sum(int(line["ran"]) for line in lines) / 1e6
    counts = [map(int, line["causes"].split()) for line in lines]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    return Noise(
        cpu,
        round(ran_s, 3),
        round(sum(int(line["noise"]) for line in lines) / 1e6 / ran_s, 7),
        float(max(int(line["longest"]) for line in lines)),
        {name: round(count / ran_s, 2) for name, count in zip(CAUSES, sums, strict=True)},
    )


def _trace_text(roots: Roots, tracer: str, seconds: float, wait: Wait) -> str:
    folder = folder_of(roots)
    with _temporary_value(folder / "tracing_on", "1"), _temporary_value(folder / "current_tracer", tracer):
        wait(seconds)
        return read(folder / "trace") or ""


@contextmanager
def _temporary_value(path: Path, value: str) -> Iterator[None]:
    """Give a setting of the tracers a value, and its old value again at the end."""
    before = path.read_text(encoding="utf-8").strip()
    try:
        path.write_text(value, encoding="utf-8")
        yield
    finally:
        path.write_text(before, encoding="utf-8")
