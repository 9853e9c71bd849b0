"""The drivers of an application in a trial: over HTTP with k6, or of a program without a server, its own load."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from plumbline.measuring.launch.interface import RunningProcess
from plumbline.measuring.launch.prober import ProbedStart
from plumbline.measuring.load.params import Target
from plumbline.measuring.load.program import LOOK_S, Program
from plumbline.measuring.load.summary import LoadFailed, LoadOutcome
from plumbline.measuring.observe.readers.identity import rss_bytes
from plumbline.model.batch import Batch
from plumbline.model.evidence import HttpTlsUse, Probe
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.contract.changed_row import changed_answer
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import (
    ProbeSpec,
    fitting,
    golden_of,
    name_of,
    probe_by_key,
    send_probes,
)
from .interventions import AskedRow, RowChange, ask_while_locked, row_to_change, write_to_lock_out
from .job import Job
from .starting import await_answers, endpoint_of, spawn_application
from .testbed import Testbed

OnStarted = Callable[[tuple[int, ...], tuple[str, ...]], None]
"""Called when the load of a phase begins, with the pids of the load generator and their REST addresses, if any."""

Stop = Callable[[], str | None]
"""Says in a sentence why to wait no longer; None while everything lives."""


class Driver(Protocol):
    """A driver of one application in one trial."""

    @property
    def results(self) -> Path | None:
        """The file that has a line a batch, where the application makes its own load."""

    @property
    def http_tls(self) -> HttpTlsUse | None:
        """The parameters on which the handshake agreed, once `environment` was asked over TLS."""

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn it. `extra` are flags of the harness for the JVM."""

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Wait until its pool is full, then ask for the first answer. Raises AnswerIsNo."""

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """Return the environment that the application states; None when it states none."""

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Return the probes of the trial's workload, answered."""

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run one phase of load. Raises LoadFailed."""

    def close(self) -> None:
        """Close what was opened, after the end of the process."""


def wanted_probes(probes: tuple[ProbeSpec, ...], job: Job) -> tuple[ProbeSpec, ...]:
    """Return those of the contract's probes that a trial asks: reads of its workload alone."""
    wanted = fitting(
        probes,
        serves_on=job.variant.spec.serves_on,
        workloads=(job.scenario.workload,),
        reads_only=(job.scenario.workload,),
    )
    if job.scenario.prepare is not None:
        # Golden answers are of the seed's rows; what is refused is refused whatever the rows.
        wanted = tuple(probe for probe in wanted if probe.status != (200,))
    return wanted


def send_load(
    testbed: Testbed,
    endpoint: Endpoint,
    phase: Phase,
    scenario: Scenario,
    *,
    golden: str | None,
    changed: str | None = None,
    requests: int | None = None,
    on_started: OnStarted = lambda pids, rest_addresses: None,
    stop: Stop = lambda: None,
) -> LoadOutcome:
    """Send one phase of a scenario to an endpoint by the testbed's k6, and wait for its end, which `requests` make come
    by count. Raises LoadFailed.

    `golden` is the body that sampled answers are compared with, None to compare none; `changed` is what it becomes once
    a row is changed.
    """
    target = Target(
        base_url=endpoint.url,
        name=name_of(scenario),
        golden=golden,
        changed=changed,
        insecure_tls=endpoint.tls is not None,
    )
    return testbed.k6.run(
        phase,
        scenario,
        target,
        folder=testbed.work,
        rest_port=testbed.free_port(),
        on_started=on_started,
        stop=stop,
        requests=requests,
    )


class HttpDriver:
    """See `driver.Driver`."""

    results = None

    def __init__(self, testbed: Testbed, job: Job) -> None:
        self._testbed, self.job = testbed, job
        self.port = testbed.free_port()
        self._endpoint = endpoint_of(testbed, job, self.port)
        self.http_tls: HttpTlsUse | None = None

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn it on a free port."""
        return spawn_application(self._testbed, self.job, port=self.port, extra=extra)

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Poll until it is healthy, then send the first request. Raises AnswerIsNo."""
        return await_answers(self._testbed, self.job, process, self.port)

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """Return GET /environment."""
        connection = self._endpoint.connection(self._testbed.stop_s)
        try:
            connection.request("GET", "/environment")
            if isinstance(connection.sock, ssl.SSLSocket):
                self.http_tls = _handshake(connection.sock)
            response = connection.getresponse()
            content = response.read()
            found = json.loads(content) if response.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
        return found if isinstance(found, dict) else None

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Ask the probes over one connection, and send a write over another connection while nobody can write."""
        found = send_probes(self._endpoint, wanted_probes(self._testbed.probes, self.job))
        write = write_to_lock_out(self.job.scenario, self._testbed.probes)
        if write is None:
            return found
        return *found, *ask_while_locked(self._endpoint, self._testbed.database, self.job.scenario, write)

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run the load by k6, while a served row is changed and put back. Raises LoadFailed."""
        testbed, scenario = self._testbed, self.job.scenario
        golden, by_key = golden_of(scenario, testbed.probes), probe_by_key(scenario, testbed.probes)
        served = by_key.body.decode() if by_key is not None and by_key.body is not None else golden
        row = row_to_change(phase, scenario.workload, served)
        asked = None if row is None or by_key is None else AskedRow(self._endpoint, by_key, row)
        change = None if row is None else RowChange(testbed.database, row, phase.duration_s, asked)

        def began(pids: tuple[int, ...], rest_addresses: tuple[str, ...]) -> None:
            on_started(pids, rest_addresses)
            if change is not None:
                change.start()

        try:
            outcome = send_load(
                testbed,
                self._endpoint,
                phase,
                scenario,
                golden=golden,
                changed=None if row is None or golden is None else changed_answer(golden, row),
                on_started=began,
                stop=stop,
            )
        finally:
            changed = None if change is None else change.end()
        return outcome.model_copy(
            update={"changed": changed, "asked": None if asked is None else asked.answer()}
        )

    def close(self) -> None:
        """Do nothing: nothing was opened."""


def _handshake(socket: ssl.SSLSocket) -> HttpTlsUse:
    cipher = socket.cipher()
    return HttpTlsUse(version=socket.version(), cipher=None if cipher is None else cipher[0])


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
        wanted = wanted_probes(self._testbed.probes, self._job)
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
