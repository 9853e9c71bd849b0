"""A fresh process: its start, and its memory after a fixed number of requests, with and without a bound of the heap.

Study 003 read memory after 15 runs of 10,000 requests. The heap is left to the runtime, or bound by `-Xmx128m` alone;
everything else is stated as in a trial.
"""

from __future__ import annotations

from dataclasses import replace

from plumbline.measuring.build.builder import Builder
from plumbline.measuring.load.summary import LoadFailed
from plumbline.measuring.observe.readers.identity import rss_bytes
from plumbline.measuring.observe.readers.logs import self_reported_ms
from plumbline.measuring.run.drivers import Stop, send_load
from plumbline.measuring.run.starting import await_answers, command_of, endpoint_of
from plumbline.model.errors import AnswerIsNo
from plumbline.model.plan import Phase
from plumbline.model.subject import Subject, is_native
from plumbline.subjects.catalog.variant import Variant
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import golden_of
from ..step_context import STOP_S, StepContext
from .step import Lacking, Step, StepResult

BOUND = "-Xmx128m"
# The longest that the requests may take; they end by count.
LONGEST_S = 600.0


def _lacking(subject: Subject, variant: Variant, builder: Builder) -> Lacking | None:
    missing = builder.unavailable(subject)
    return None if missing is None else Lacking("unavailable", missing.problem)


def _run_unbound(step_context: StepContext) -> StepResult:
    return _run(step_context, (), "rss_after_load_bytes", with_start=True)


def _run_bound(step_context: StepContext) -> StepResult:
    return _run(step_context, (BOUND,), "rss_after_load_128m_bytes", with_start=False)


def _run(step_context: StepContext, flags: tuple[str, ...], metric: str, *, with_start: bool) -> StepResult:
    testbed = step_context.testbed
    job = replace(step_context.job, settings={**step_context.job.settings, "heap": "auto"})
    port = testbed.free_port()
    # A native image takes the flag among its own arguments, the JVM before them.
    native = is_native(job.subject.packaging)
    command = command_of(testbed, job, port=port, extra=() if native else flags, words=flags if native else ())
    process = step_context.spawn(command.argv, command.env, command.cwd)
    try:
        start = await_answers(testbed, job, process, port)
        values = {}
        if with_start:
            values = {"healthy_ms": start.healthy_ms, "first_response_ms": start.first_response_ms}
            if start.rss_idle_bytes is not None:
                values["rss_idle_bytes"] = float(start.rss_idle_bytes)
        if not step_context.discarded:
            _load(
                step_context,
                endpoint_of(testbed, job, port),
                lambda: None if process.poll() is None else "The application ended.",
            )
            rss_after_bytes = rss_bytes(testbed.roots, process.pid)
            if rss_after_bytes is not None:
                values[metric] = float(rss_after_bytes)
    finally:
        process.terminate(STOP_S)
    reported_ms = (
        None if job.variant.spec.started is None else self_reported_ms(step_context.log, job.variant.spec.started)
    )
    if with_start and reported_ms is not None:
        values["self_reported_start_ms"] = reported_ms
    return StepResult(values, tuple(command.argv))


def _load(step_context: StepContext, endpoint: Endpoint, stop: Stop) -> None:
    testbed, scenario = step_context.testbed, step_context.job.scenario
    phase = Phase(
        kind="closed",
        name="load",
        duration_s=LONGEST_S,
        connections=next(phase.connections for phase in scenario.phases if phase.connections),
    )
    try:
        outcome = send_load(
            testbed,
            endpoint,
            phase,
            scenario,
            golden=golden_of(scenario, testbed.probes),
            requests=step_context.requests,
            stop=stop,
        )
    except LoadFailed as failure:
        raise AnswerIsNo(failure.problem) from failure
    result = outcome.result
    if result.failed or result.checks_failed or result.requests != step_context.requests:
        raise AnswerIsNo(
            f"Of {step_context.requests} requests {result.requests} were sent and {result.failed} failed; "
            f"{result.checks_failed} answers were wrong."
        )


RUNNING = (
    Step(
        "run",
        "a fresh process with the heap that its runtime chooses",
        {
            "self_reported_start_ms": "start, as it says",
            "healthy_ms": "start to healthy",
            "first_response_ms": "start to first response",
            "rss_idle_bytes": "memory before the first request",
            "rss_after_load_bytes": "memory after the load",
        },
        _lacking,
        _run_unbound,
    ),
    Step(
        "run-128m",
        f"a fresh process with {BOUND}",
        {"rss_after_load_128m_bytes": f"memory after the load, {BOUND}"},
        _lacking,
        _run_bound,
    ),
)
