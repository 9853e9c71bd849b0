"""Start one subject on a freshly restored database, and send it single requests."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.launch.interface import RunningProcess
from plumbline.measuring.launch.prober import ProbedStart
from plumbline.measuring.observe.readers.probe import CounterReader, probe_of
from plumbline.measuring.run.conditions import impose, lift, why_conditions_unavailable
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.local import empty_folders
from plumbline.measuring.run.prepare import train
from plumbline.measuring.run.starting import await_answers, endpoint_of, spawn_application
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.subject import has_aot_cache
from plumbline.subjects.catalog.variant import VariantSpec
from plumbline.verdicts.contract.budgets import QueryBudget
from plumbline.verdicts.contract.endpoint import Endpoint

ANSWER_S = 10.0
STOP_S = 10.0
# The six sources of an order answer soon: the checks count how often each is asked, and leave their time to trials.
_SOURCES_MS = 1.0


def serves(spec: VariantSpec, operation: str) -> bool:
    """Return whether a variant has the operation's workload, and writes there if the operation does."""
    workload = QueryBudget.workload(operation)
    return workload in spec.workloads and (operation.startswith("GET") or workload not in spec.reads_only)


@dataclass(frozen=True)
class Serving:
    """A started subject and its testbed."""

    testbed: Testbed
    job: Job
    process: RunningProcess
    endpoint: Endpoint
    log: Path
    probed: ProbedStart

    @property
    def spec(self) -> VariantSpec:
        """The content of its variant.toml."""
        return self.job.variant.spec

    @property
    def has_database(self) -> bool:
        """Whether the subject has a database."""
        return self.job.subject.engine != "none"

    def database(self, *, settled: bool = False) -> CounterReader:
        """Return the reader of the database's counters; `settled` waits until it counts transactions, too."""
        target = self.testbed.database.target
        return probe_of(target) if settled else probe_of(target, settle_s=0)

    def serves(self, operation: str) -> bool:
        """Return whether the variant answers the operation; see `serves`."""
        return serves(self.spec, operation)

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        """Return status and body, over a fresh connection. Raises OSError and http.client.HTTPException."""
        connection = self.endpoint.connection(ANSWER_S)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def fields(self, path: str) -> set[str]:
        """Return the names of the fields in the head of the answer to a GET, in lower case. Raises as `ask`."""
        connection = self.endpoint.connection(ANSWER_S)
        try:
            connection.request("GET", path)
            return {name.lower() for name in connection.getresponse().headers}
        finally:
            connection.close()

    def took_ms(self, path: str) -> float:
        """Return how long a GET took, over a fresh connection. Raises as `ask`."""
        begun_s = time.monotonic()
        self.ask("GET", path)
        return (time.monotonic() - begun_s) * 1000

    def answered(self) -> Counter[str]:
        """Return how often each source of an order answered so far. Raises CannotGoOn."""
        assert self.testbed.sources is not None, "every testbed of this host has them"
        return self.testbed.sources.answered(_SOURCES_MS)

    def environment(self) -> dict[str, Any]:
        """Return the environment that the subject states now."""
        answer: dict[str, Any] = json.loads(self.ask("GET", "/environment")[1])
        return answer


def job_to_check(context: Context, testbed: Testbed, subject: str) -> Job:
    """Return the job of a subject that is built, with its AOT cache trained on this testbed.

    Raises BuildFailed and AnswerIsNo, and Unavailable if the host can't give what its settings ask for.
    """
    job = context.job(subject)
    if (missing := why_conditions_unavailable(testbed, job.settings)) is not None:
        raise Unavailable(f"{subject} is unavailable: {missing}")
    if "orders" in job.variant.spec.workloads:
        scenario = job.scenario.model_copy(update={"source_latency_ms": _SOURCES_MS})
        job = replace(job, scenario=scenario)
    if has_aot_cache(job.subject.packaging):
        testbed.database.restore()
        cache = testbed.aot / "held.aot"
        train(testbed, job, cache, (job.scenario,))
        job = replace(job, aot_cache=cache)
    return job


def on_one_connection(job: Job) -> Job:
    """Return the same contender with a pool of one connection, so that what pools do to unused connections adds no
    transaction.

    HikariCP asks a connection that was unused for half a second whether it lives, and PostgreSQL counts that.
    """
    return replace(job, settings={**job.settings, "pool": "1"})


@contextmanager
def serving(testbed: Testbed, job: Job) -> Iterator[Serving]:
    """Start a fresh process on the seed, under the conditions that its settings ask for; in the end, stop the process
    and remove its files. Raises AnswerIsNo.
    """
    testbed.database.restore()
    port = testbed.free_port()
    try:
        impose(testbed, job.settings)
        process = spawn_application(testbed, job, port=port, extra=job.aot_flags)
        try:
            probed = await_answers(testbed, job, process, port)
            yield Serving(testbed, job, process, endpoint_of(testbed, job, port), testbed.work / "app.log", probed)
        finally:
            process.terminate(STOP_S)
            empty_folders(testbed)
    finally:
        lift(testbed, job.settings)
