"""An application that serves HTTP, loaded by k6."""

from __future__ import annotations

import http.client
import json
import ssl
from typing import Any

from plumbline.contract.changed_row import changed_answer
from plumbline.contract.operations import golden_of, name_of
from plumbline.contract.probes import ProbeSpec, fitting, send_probes
from plumbline.launch.interface import RunningProcess
from plumbline.launch.prober import ProbedStart
from plumbline.load.params import Target
from plumbline.load.summary import LoadOutcome
from plumbline.model.evidence import HttpTlsUse, Probe
from plumbline.model.plan import Phase
from .driver import OnStarted, Stop
from .freshness import RowChange, row_to_change
from .job import Job
from .locked_write import ask_while_locked, write_to_lock_out
from .starting import await_answers, endpoint_of, spawn_application
from .testbed import Testbed


def wanted_probes(testbed: Testbed, job: Job) -> tuple[ProbeSpec, ...]:
    """Return the probes of a trial: reads of its workload alone."""
    wanted = fitting(
        testbed.probes,
        serves_on=job.variant.spec.serves_on,
        workloads=(job.scenario.workload,),
        reads_only=(job.scenario.workload,),
    )
    if job.scenario.prepare is not None:
        # Golden answers are of the seed's rows; what is refused is refused whatever the rows.
        wanted = tuple(probe for probe in wanted if probe.status != (200,))
    return wanted


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
        found = send_probes(self._endpoint, wanted_probes(self._testbed, self.job))
        write = write_to_lock_out(self.job.scenario, self._testbed.probes)
        if write is None:
            return found
        return *found, *ask_while_locked(self._endpoint, self._testbed.database, self.job.scenario, write)

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run the load by k6, while a served row is changed and put back. Raises LoadFailed."""
        testbed, scenario = self._testbed, self.job.scenario
        golden = golden_of(scenario, testbed.probes)
        row = row_to_change(phase, scenario.workload, golden)
        change = None if row is None else RowChange(testbed.database, row, phase.duration_s)

        def began(pids: tuple[int, ...], rest_addresses: tuple[str, ...]) -> None:
            on_started(pids, rest_addresses)
            if change is not None:
                change.start()

        target = Target(
            base_url=self._endpoint.url,
            name=name_of(scenario),
            golden=golden,
            changed=None if row is None or golden is None else changed_answer(golden, row),
            insecure_tls=self._endpoint.tls is not None,
        )
        try:
            outcome = testbed.k6.run(
                phase,
                scenario,
                target,
                folder=testbed.work,
                rest_port=testbed.free_port(),
                on_started=began,
                stop=stop,
            )
        finally:
            changed = None if change is None else change.end()
        return outcome.model_copy(update={"changed": changed})

    def close(self) -> None:
        """Do nothing: nothing was opened."""


def _handshake(socket: ssl.SSLSocket) -> HttpTlsUse:
    cipher = socket.cipher()
    return HttpTlsUse(version=socket.version(), cipher=None if cipher is None else cipher[0])
