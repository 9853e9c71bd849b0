"""The drivers of an application in a trial: k6 over HTTP, or for a program without a server the program itself."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from plumbline.archive.record.files import keepable
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
    golden_of,
    name_of,
    probe_by_key,
    probes_of_variant,
    send_probes,
)
from .interventions import AskedRow, RowChange, ask_while_locked, row_to_change, write_to_lock_out
from .job import Job
from .starting import await_answers, endpoint_of, spawn_application
from .testbed import Testbed

OnStarted = Callable[[tuple[int, ...], tuple[str, ...]], None]
"""Called when the load of a phase begins, with the pids of the load generator and their REST addresses, if any."""

Stop = Callable[[], str | None]
"""Returns in a sentence why to wait no longer; None while every process lives."""


class Driver(Protocol):
    """A driver of one application in one trial."""

    @property
    def results(self) -> Path | None:
        """The file with a line for each batch, where the application makes its own load."""

    @property
    def http_tls(self) -> HttpTlsUse | None:
        """The parameters that the TLS handshake agreed on; None before `environment` was asked over TLS."""

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn the application. `extra` are flags of the harness for the JVM."""

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Wait until the application's pool is full, then ask for the first answer. Raises AnswerIsNo."""

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """Return the environment that the application states; None when it states none."""

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Send the probes of the trial's workload, and return them with their answers."""

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run one phase of load. Raises LoadFailed."""

    def close(self) -> None:
        """Close what was opened, after the end of the process."""


def wanted_probes(probes: tuple[ProbeSpec, ...], job: Job) -> tuple[ProbeSpec, ...]:
    """Return the probes of the contract that a trial sends: only reads of its workload."""
    wanted = probes_of_variant(
        probes,
        serves_on=job.variant.spec.serves_on,
        workloads=(job.scenario.workload,),
        reads_only=(job.scenario.workload,),
    )
    if job.scenario.prepare is not None:
        # Golden answers hold for the seed's rows alone; a refused request is refused with any rows.
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
    """Run one phase of a scenario against an endpoint by the testbed's k6, and wait for its end: after
    its time, or with `requests` after so many requests. Raises LoadFailed.

    `golden` is the body that sampled answers are compared with, None to compare none; `changed` is that body once a row
    is changed.
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
        folder=testbed.private,
        rest_port=testbed.free_port(),
        on_started=on_started,
        stop=stop,
        requests=requests,
    )


class HttpDriver:
    """Drives an application over HTTP with k6; see `Driver`."""

    results = None

    def __init__(self, testbed: Testbed, job: Job) -> None:
        self._testbed, self.job = testbed, job
        self.port = testbed.free_port()
        self._endpoint = endpoint_of(testbed, job, self.port)
        self.http_tls: HttpTlsUse | None = None

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn the application on a free port."""
        return spawn_application(self._testbed, self.job, port=self.port, extra=extra)

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Poll until the application is healthy, then send the first request. Raises AnswerIsNo."""
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
            environment = keepable(content) if response.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
        return environment if isinstance(environment, dict) else None

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Send the probes over one connection, and a write over another connection while nobody can write."""
        answers = send_probes(self._endpoint, wanted_probes(self._testbed.probes, self.job))
        write = write_to_lock_out(self.job.scenario, self._testbed.probes)
        if write is None:
            return answers
        return *answers, *ask_while_locked(self._endpoint, self._testbed.database, self.job.scenario, write)

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run the load by k6, while a served row is changed and put back. Raises LoadFailed."""
        testbed, scenario = self._testbed, self.job.scenario
        golden, by_key = golden_of(scenario, testbed.probes), probe_by_key(scenario, testbed.probes)
        served_body = by_key.body.decode() if by_key is not None and by_key.body is not None else golden
        row = row_to_change(phase, scenario.workload, served_body)
        asked_row = None if row is None or by_key is None else AskedRow(self._endpoint, by_key, row)
        row_change = None if row is None else RowChange(testbed.database, row, phase.duration_s, asked_row)

        def load_began(pids: tuple[int, ...], rest_addresses: tuple[str, ...]) -> None:
            on_started(pids, rest_addresses)
            if row_change is not None:
                row_change.start()

        try:
            outcome = send_load(
                testbed,
                self._endpoint,
                phase,
                scenario,
                golden=golden,
                changed=None if row is None or golden is None else changed_answer(golden, row),
                on_started=load_began,
                stop=stop,
            )
        finally:
            changed_times = None if row_change is None else row_change.end()
        return outcome.model_copy(
            update={"changed": changed_times, "asked": None if asked_row is None else asked_row.answer()}
        )

    def close(self) -> None:
        """Do nothing: nothing was opened."""


def _handshake(socket: ssl.SSLSocket) -> HttpTlsUse:
    cipher = socket.cipher()
    return HttpTlsUse(version=socket.version(), cipher=None if cipher is None else cipher[0])


# The longest time of a probe, which is some thousand queries.
PROBE_S = 30.0
_FIRST_BATCH = Batch(query="one", count=1)


class ProgramDriver:
    """Drives a program that makes its own load; see `Driver`."""

    http_tls = None

    def __init__(self, testbed: Testbed, job: Job) -> None:
        self._testbed, self._job = testbed, job
        self._program = Program(testbed.work)

    @property
    def results(self) -> Path | None:
        """The file of the program's answers, a line for each batch."""
        return self._program.results

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn the program with the two ends of its conversation with the harness; it has no port."""
        return spawn_application(self._testbed, self._job, port=None, extra=extra, words=self._program.words)

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Wait for the program's greeting, then run a batch of a single query. Raises LoadFailed."""
        self._program.greeting(self._testbed.deadline_s, stop)
        healthy_s = time.monotonic()
        rss_idle_bytes = rss_bytes(self._testbed.roots, process.pid)
        self._program.first(_FIRST_BATCH, self._testbed.deadline_s, stop)
        return ProbedStart(
            healthy_ms=1000 * (healthy_s - process.spawned_at_s),
            first_response_ms=1000 * (time.monotonic() - process.spawned_at_s),
            resolution_ms=1000 * LOOK_S,
            rss_idle_bytes=rss_idle_bytes,
        )

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """Return the environment that the program states; None when it states none."""
        try:
            return self._program.environment(self._testbed.stop_s, stop)
        except LoadFailed:
            return None

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Run the probes that are batches, and return them with their answers: all others need a server."""
        wanted = wanted_probes(self._testbed.probes, self._job)
        batches = [spec for spec in wanted if Batch.asked_by(f"{spec.method} {spec.path}") and spec.status == (200,)]
        return tuple(self._program.probe(spec, PROBE_S, stop) for spec in batches)

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run the load, which the program makes itself. Raises LoadFailed."""
        on_started((), ())
        return self._program.run(phase, self._job.scenario, stop)

    def close(self) -> None:
        """Close the pipe."""
        self._program.close()
