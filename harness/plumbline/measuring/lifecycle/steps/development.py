"""Development mode: from the command to the first answer, and from a change of a source to the new answer.

    spawn Maven                                    t0
    GET /hello/Ada until 200                       dev_first_answer_s
    nobody asks for SETTLE_S
    the source is changed, GET until the new word  dev_first_reload_s
    ... again, RELOADS times                       dev_reload_s, their mean

Reloads of one process are no replicates: a run gives one value of each metric.
"""

from __future__ import annotations

import math
import time

from plumbline.measuring.build.builder import Builder
from plumbline.measuring.build.command import tail
from plumbline.measuring.launch.interface import RunningProcess
from plumbline.measuring.observe.readers.logs import self_reported_ms
from plumbline.measuring.run.starting import command_of, endpoint_of
from plumbline.model.errors import AnswerIsNo
from plumbline.model.subject import Subject, is_native
from plumbline.subjects.catalog.variant import Variant
from plumbline.verdicts.contract.endpoint import Endpoint
from ..step_context import STOP_S, StepContext, body_of
from .step import Lacking, Step, StepResult

# framework -> the goals of its development mode.
# https://quarkus.io/guides/maven-tooling#dev-mode, https://micronaut-projects.github.io/micronaut-maven-plugin/latest
_GOALS: dict[str, tuple[str, ...]] = {
    # No debugger and no console: no person is at this terminal. No usage data are sent.
    "quarkus": (
        "quarkus:dev",
        "-Ddebug=false",
        "-Dquarkus.console.enabled=false",
        "-Dquarkus.test.continuous-testing=disabled",
        "-Dquarkus.analytics.disabled=true",
    ),
    "micronaut": ("mn:run", "-Dmn.watch=true"),
}
# framework -> why it has no development mode.
_WITHOUT = {
    "spring": "Spring Boot's developer tools restart when an IDE has compiled; Maven alone has no such mode",
    "vertx": "Vert.x 5 has no development mode of its own; its launcher's redeployment went with Vert.x 4",
    "none": "it has no framework",
}
_PATH = "/hello/Ada"
START_S = 180.0
RELOAD_S = 60.0
RELOADS = 3
# Quarkus looks for changed sources when a request comes, at most once in two seconds. A person at a keyboard never
# notices this pause, but requests without a rest would measure it.
SETTLE_S = 3.0
# A hundredth of what a reload takes; more frequent requests would take a small host's only CPU from the compiler.
ASK_EVERY_S = 0.02


def _lacking(subject: Subject, variant: Variant, builder: Builder) -> Lacking | None:
    if is_native(subject.packaging):
        return Lacking("none", "development runs on the JVM; see its JVM packaging")
    if variant.spec.framework in _GOALS:
        return None
    reason = _WITHOUT.get(variant.spec.framework, "its framework has no development mode known here")
    return Lacking("none", reason)


def _run(step_context: StepContext) -> StepResult:
    job = step_context.job
    port = step_context.testbed.free_port()
    endpoint = endpoint_of(step_context.testbed, job, port)
    command = step_context.maven_words(*_GOALS[job.variant.spec.framework])
    # The settings of the contract, as a trial's process receives them.
    env = step_context.maven_env(command_of(step_context.testbed, job, port=port).env)
    step_context.tree.edit(job.variant, 0)
    process = step_context.spawn(command, env)
    try:
        _await_body(process, endpoint, "Hello, Ada!", START_S, step_context)
        values = {"dev_first_answer_s": time.monotonic() - process.spawned_at_s}
        reload_times_s = [_reload(step_context, process, endpoint, number) for number in range(1, 2 + RELOADS)]
    finally:
        process.terminate(STOP_S)
        step_context.tree.edit(job.variant, 0)
    reported_ms = (
        None if job.variant.spec.started is None else self_reported_ms(step_context.log, job.variant.spec.started)
    )
    if reported_ms is not None:
        values["dev_self_reported_s"] = reported_ms / 1000
    values |= {
        "dev_first_reload_s": reload_times_s[0],
        "dev_reload_s": math.fsum(reload_times_s[1:]) / RELOADS,
    }
    return StepResult(values, tuple(command))


def _reload(step_context: StepContext, process: RunningProcess, endpoint: Endpoint, number: int) -> float:
    time.sleep(SETTLE_S)
    began = time.monotonic()
    step_context.tree.edit(step_context.job.variant, number)
    _await_body(process, endpoint, f"Hello {number}, Ada!", RELOAD_S, step_context)
    return time.monotonic() - began


def _await_body(
    process: RunningProcess, endpoint: Endpoint, wanted: str, limit_s: float, step_context: StepContext
) -> None:
    end_s = time.monotonic() + limit_s
    while body_of(endpoint, _PATH) != wanted:
        if process.poll() is not None:
            raise AnswerIsNo(f"Development mode ended by itself: {(tail(step_context.log, 1) or ('',))[0]}")
        if time.monotonic() > end_s:
            raise AnswerIsNo(f"GET {_PATH} did not answer '{wanted}' within {limit_s:.0f} s.")
        time.sleep(ASK_EVERY_S)


DEVELOPMENT = Step(
    "dev",
    "development mode, and a change of a source in it",
    {
        "dev_self_reported_s": "development start, as it says",
        "dev_first_answer_s": "development start to first answer",
        "dev_first_reload_s": "first change to new answer",
        "dev_reload_s": "later changes to new answer",
    },
    _lacking,
    _run,
)
