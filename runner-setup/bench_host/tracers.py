"""What the kernel's own tracers see of a host: osnoise, who took each CPU away, and hwlat, what the hardware took.

A thread of the kernel sees what no program can: whether an interrupt, another thread or the hardware itself was the
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
# osnoise writes a line for each CPU when a second is over; hwlat looks during half of each second, at one CPU after
# the other.
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
    often a second each cause took it.
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
    """The folder of the tracers, where systemd mounts it."""
    return roots.sys / "kernel/tracing"


def offered(roots: Roots) -> tuple[str, ...] | None:
    """Which of both this kernel has; None where that is not shown. Raises Refused while somebody else traces."""
    folder = folder_of(roots)
    names, current = read(folder / "available_tracers"), read(folder / "current_tracer")
    if names is None or current is None:
        return None
    if current != NONE:
        raise Refused(
            f"Somebody traces this kernel ({current}), which is no quiet.",
            f"End it: echo {NONE} | sudo tee {folder / 'current_tracer'}",
        )
    return tuple(one for one in TRACERS if one in names.split())


def osnoise(roots: Roots, seconds: float, wait: Wait) -> list[Noise]:
    """What took each CPU away, all CPUs at once. Empty where the kernel wrote no line."""
    found: dict[int, list[re.Match[str]]] = {}
    for line in _OSNOISE.finditer(_traced(roots, OSNOISE, seconds, wait)):
        found.setdefault(int(line["cpu"]), []).append(line)
    return [_noise(cpu, lines) for cpu, lines in sorted(found.items())]


def hwlat(roots: Roots, seconds: float, wait: Wait) -> Stalls:
    """What the hardware took from the machine."""
    lines = list(_HWLAT.finditer(_traced(roots, HWLAT, seconds, wait)))
    longest = max((int(line[name]) for line in lines for name in ("inner", "outer")), default=0)
    return Stalls(seconds, sum(int(line["count"]) for line in lines), float(longest))


def _noise(cpu: int, lines: list[re.Match[str]]) -> Noise:
    ran = sum(int(line["ran"]) for line in lines) / 1e6
    counts = [map(int, line["causes"].split()) for line in lines]
    sums = [sum(its) for its in zip(*counts, strict=True)]
    return Noise(
        cpu,
        round(ran, 3),
        round(sum(int(line["noise"]) for line in lines) / 1e6 / ran, 7),
        float(max(int(line["longest"]) for line in lines)),
        {name: round(count / ran, 2) for name, count in zip(CAUSES, sums, strict=True)},
    )


def _traced(roots: Roots, tracer: str, seconds: float, wait: Wait) -> str:
    folder = folder_of(roots)
    with _set(folder / "tracing_on", "1"), _set(folder / "current_tracer", tracer):
        wait(seconds)
        return read(folder / "trace") or ""


@contextmanager
def _set(path: Path, value: str) -> Iterator[None]:
    """A value of the tracers, and back to what it was."""
    was = path.read_text(encoding="utf-8").strip()
    try:
        path.write_text(value, encoding="utf-8")
        yield
    finally:
        path.write_text(was, encoding="utf-8")
