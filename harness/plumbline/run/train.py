"""Train AOT caches on the measuring host, as an unmeasured step.

A cache is trained from the verified artifact, at its fixed path, with the JDK and the flags of the trial. The JVM
refuses a cache under another path, class path, collector or heap, and `-XX:AOTMode=on` makes that an error instead of a
slow start.
"""

from __future__ import annotations

import time
from pathlib import Path

from plumbline.build.digest import file_sha256
from plumbline.contract.operations import path_of
from plumbline.launch.endpoint import Endpoint
from plumbline.model.errors import AnswerIsNo
from plumbline.model.plan import Scenario
from plumbline.model.record import Training
from .job import Job
from .starting import await_answers, endpoint_of, spawn_application
from .testbed import Testbed

# A fixed workload: enough that every class of the operation is loaded, not so much that compiled code would matter.
REQUESTS = 300
# The JVM writes the cache when it ends, by a second JVM; half a minute on one slow CPU.
WRITE_S = 180.0


def train(testbed: Testbed, job: Job, cache: Path) -> Training:
    """Train the cache of a subject into `cache`. Raises AnswerIsNo when the application or the JVM refuses."""
    began = time.monotonic()
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.unlink(missing_ok=True)
    port = testbed.free_port()
    process = spawn_application(
        testbed, job, port=port, log_name="train.log", extra=(f"-XX:AOTCacheOutput={cache}",)
    )
    try:
        await_answers(testbed, job, process, port)
        _ask(endpoint_of(testbed, job, port), job.scenario)
    finally:
        process.terminate(WRITE_S)
    if not cache.is_file():
        raise AnswerIsNo(
            f"The JVM left no AOT cache of {job.subject.id}.",
            "Its words are in the training's log of this session.",
        )
    return Training(
        subject=job.subject.id,
        wall_s=round(time.monotonic() - began, 3),
        size_bytes=cache.stat().st_size,
        sha256=file_sha256(cache),
    )


def _ask(endpoint: Endpoint, scenario: Scenario) -> None:
    connection = endpoint.connection(30)
    for path in ("/environment", *[path_of(scenario)] * REQUESTS):
        connection.request("GET", path)
        connection.getresponse().read()
    connection.close()
