"""A program without a server: it is told what to run, and is its own load."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from plumbline.launch.interface import RunningProcess
from plumbline.launch.prober import ProbedStart
from plumbline.load.program import LOOK_S, Program
from plumbline.load.summary import LoadFailed, LoadOutcome
from plumbline.model.batch import Batch
from plumbline.model.evidence import Probe
from plumbline.model.plan import Phase
from plumbline.observe.readers.memory import rss_bytes
from .driver import OnStarted, Stop
from .http_driver import wanted_probes
from .job import Job
from .starting import spawn_application
from .testbed import Testbed

# A probe is some thousand queries.
PROBE_S = 30.0
_FIRST = Batch(query="one", count=1)


class ProgramDriver:
    """See `driver.Driver`."""

    http_tls = None

    def __init__(self, testbed: Testbed, job: Job) -> None:
        self._testbed, self._job = testbed, job
        self._program = Program(testbed.work)

    @property
    def results(self) -> Path | None:
        """The file of the program's answers, a line for each batch."""
        return self._program.results

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn it with the two ends of the conversation. It has no port."""
        return spawn_application(self._testbed, self._job, port=None, extra=extra, words=self._program.words)

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Wait for its greeting, then run a batch of a single query. Raises LoadFailed."""
        self._program.greeting(self._testbed.deadline_s, stop)
        healthy_s = time.monotonic()
        rss_idle_bytes = rss_bytes(self._testbed.roots, process.pid)
        self._program.first(_FIRST, self._testbed.deadline_s, stop)
        return ProbedStart(
            healthy_ms=1000 * (healthy_s - process.spawned_at_s),
            first_response_ms=1000 * (time.monotonic() - process.spawned_at_s),
            resolution_ms=1000 * LOOK_S,
            rss_idle_bytes=rss_idle_bytes,
        )

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """Return what the program says of itself; None when it says nothing."""
        try:
            return self._program.environment(self._testbed.stop_s, stop)
        except LoadFailed:
            return None

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Return the batches among the probes: what else they ask needs a server."""
        wanted = wanted_probes(self._testbed, self._job)
        batches = [
            spec for spec in wanted if Batch.asked_by(f"{spec.method} {spec.path}") and spec.status == (200,)
        ]
        return tuple(self._program.probe(spec, PROBE_S, stop) for spec in batches)

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run the load, which the program makes itself. Raises LoadFailed."""
        on_started((), ())
        return self._program.run(phase, self._job.scenario, stop)

    def close(self) -> None:
        """Take the pipe away."""
        self._program.close()
