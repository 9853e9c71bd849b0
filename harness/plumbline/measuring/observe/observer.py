"""Samples once a second, on a thread of its own, from before the application is spawned until the observer stops."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from plumbline.model.evidence import Series, ThreadUse, Window
from .processes import Processes
from .samplers import make_samplers
from .samplers.base import Sampler, Tick
from .table import SampleTable
from .targets import Roots, Targets
from .threads import ThreadLog

PERIOD_S = 1.0


class Observer:
    """Runs the samplers on a grid of whole seconds from `zero_s`, which is a time of `now`.

    A tick that comes late is written with its real time, a tick that is missed altogether is left out,
    and the grid never drifts. The thread keeps itself to the housekeeping CPUs.
    """

    def __init__(
        self,
        roots: Roots,
        targets: Targets,
        *,
        zero_s: float,
        samplers: Sequence[Sampler] | None = None,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[threading.Event, float], bool] = threading.Event.wait,
        pin: Callable[[Iterable[int]], None] = lambda cpus: os.sched_setaffinity(0, cpus),
    ) -> None:
        self._targets = targets
        self._zero_s = zero_s
        self._samplers = make_samplers(roots) if samplers is None else tuple(samplers)
        self._now, self._wait, self._pin = now, wait, pin
        self._processes = Processes(roots)
        self._threads = ThreadLog(roots)
        self._table = SampleTable()
        self._stop = threading.Event()
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="plumbline-sampler", daemon=True)

    @property
    def targets(self) -> Targets:
        """The targets that are sampled now."""
        return self._targets

    def start(self) -> None:
        """Take the first row at once, then one each second."""
        self._thread.start()

    def aim(self, targets: Targets) -> None:
        """Sample these targets from the next tick on: an application was spawned, a k6 started or ended."""
        self._targets = targets

    def so_far(self) -> Series:
        """Return all rows up to now."""
        return self._table.series()

    def stop(self) -> Series:
        """Take a last row, end the thread and close everything; a second call gives the same series.

        Raises what a sampler raised: samplers return None for what can't be read, so an exception is an error of ours.
        """
        self._stop.set()
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        return self._table.series()

    def thread_use(self, windows: Iterable[Window]) -> tuple[ThreadUse, ...]:
        """Return the application's CPU time by thread within each window; after `stop`."""
        return self._threads.use(windows)

    def write_threads(self, path: Path) -> None:
        """Write the application's CPU time by thread and second as gzipped JSON lines, if possible; after `stop`."""
        # The disk may be full, and a log alone is lost here: the evidence has the sums.
        with contextlib.suppress(OSError):
            self._threads.write(path)

    def _run(self) -> None:
        # This process may not be allowed on these CPUs: the reading of affinities shows where the thread ran instead.
        with contextlib.suppress(OSError):
            self._pin(self._targets.sets.housekeeping)
        try:
            self._sample_until_stopped()
        except Exception as problem:
            self._problem = problem
        finally:
            for sampler in self._samplers:
                sampler.close()
            self._processes.close()
            self._threads.close()

    def _sample_until_stopped(self) -> None:
        due = math.floor(self._elapsed_s() / PERIOD_S)
        stopped = False
        while True:
            self._tick()
            if stopped:
                return
            due = max(due + 1, math.floor(self._elapsed_s() / PERIOD_S) + 1)
            stopped = self._wait(self._stop, max(0.0, due * PERIOD_S - self._elapsed_s()))

    def _tick(self) -> None:
        t_s = self._elapsed_s()
        tick = Tick(self._targets, self._processes)
        self._processes.begin(tick.targets)
        row = dict(self._threads.sample(t_s, tick))
        for sampler in self._samplers:
            # Where one source can't be read, another sampler may have the value.
            row.update((name, value) for name, value in sampler.sample(tick).items() if value is not None)
        self._table.add(t_s, row)

    def _elapsed_s(self) -> float:
        return self._now() - self._zero_s
