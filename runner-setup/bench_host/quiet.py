"""How quiet a host is: how much time is taken from a loop on each CPU, and what a durable write costs."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .refused import Refused

# Two minutes for all CPUs together and each tracer of the kernel, and no CPU less than a second.
TOTAL_S = 100.0
TRACER_S = 15.0
LEAST_S = 1.0
# The loop looks at the clock every 0.1 us or so; a longer gap than this was caused by somebody else.
GAP_NS = 5_000
WRITES = 200
_BLOCK = 8192


@dataclass(frozen=True)
class Jitter:
    """One CPU: how long the loop ran, the share of time taken away, how often, and the longest time at once."""

    cpu: int
    seconds: float
    lost_share: float
    gaps_per_s: float
    longest_us: float


@dataclass(frozen=True)
class Writes:
    """The time of a durable write of 8 kB in a folder: the median, the 99th percentile, and the longest."""

    folder: str
    writes: int
    median_ms: float
    p99_ms: float
    longest_ms: float


def jitter(cpu: int, seconds: float) -> Jitter:
    """Run a loop on one CPU that only looks at the clock. Raises Refused where this process may not run there."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError as error:
        raise Refused(
            f"This process may not run on CPU {cpu}: {error.strerror}.",
            "Run it from a login, since `apply` keeps services off; or leave the CPU out by --cpus.",
        ) from None
    clock = time.perf_counter_ns
    gaps = lost = longest = 0
    gc.disable()
    try:
        start = last = clock()
        end = start + int(seconds * 1e9)
        while last < end:
            now = clock()
            gap = now - last
            if gap > GAP_NS:
                gaps += 1
                lost += gap
                longest = max(longest, gap)
            last = now
    finally:
        gc.enable()
        os.sched_setaffinity(0, before)
    elapsed_s = (last - start) / 1e9
    return Jitter(
        cpu,
        round(elapsed_s, 3),
        round(lost / 1e9 / elapsed_s, 7),
        round(gaps / elapsed_s, 2),
        round(longest / 1e3, 1),
    )


def writes(folder: Path, count: int = WRITES) -> Writes:
    """Write blocks to one file and wait for each, as a database waits for its log."""
    times: list[float] = []
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            for _ in range(count):
                begin_s = time.perf_counter()
                file.write(bytes(_BLOCK))
                os.fdatasync(file.fileno())
                times.append((time.perf_counter() - begin_s) * 1e3)
    except OSError as error:
        raise Refused(f"{folder} can't be written to: {error.strerror}.", "Name another folder by --scratch.") from None
    times.sort()
    p99 = times[min(len(times) - 1, int(0.99 * len(times)))]
    return Writes(str(folder), count, round(median(times), 3), round(p99, 3), round(times[-1], 3))
