"""Checks what an application answers to an order whose sources fail, or answer later than the contract waits."""

from __future__ import annotations

from dataclasses import replace

from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from plumbline.verdicts.contract.waits import ORDER
from .lost_database import refusal_problems
from .serving import serving

_DETAIL = "A source of the order does not answer."
# apps/stub answers 500 where the time of its answers is negative. The contract waits three seconds for a source.
_LATENCY_MS = {"While the sources answer 500": -1.0, "While the sources are silent": 4000.0}


def without_sources(testbed: Testbed, job: Job) -> tuple[str, ...]:
    """Return sentences on what falls short of 503 with the contract's problem, for an order whose sources fail."""
    return tuple(
        problem for when, latency_ms in _LATENCY_MS.items() for problem in _problems(testbed, job, when, latency_ms)
    )


def _problems(testbed: Testbed, job: Job, when: str, latency_ms: float) -> list[str]:
    order = next(
        probe for probe in testbed.probes if (probe.method, probe.path, probe.status) == ("POST", "/orders", (201,))
    )
    scenario = job.scenario.model_copy(update={"source_latency_ms": latency_ms})
    with serving(testbed, replace(job, scenario=scenario)) as served:
        status, body = served.ask(order.method, order.path, order.request)
    return refusal_problems(when, ORDER, _DETAIL, status, body)
