"""R16: requests wait for their sleep, and orders for the six sources that they ask."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import QUANTILES, LoadPart, SourcesWork
from plumbline.model.record import Finding
from plumbline.verdicts.contract.waits import SOURCES
from tests.judge.damage import Change, both, damaged, findings, measured, with_fields, with_load
from tests.judge.evidence import session
from tests.judge.planned import CONTROL, scenario


def found(operation: str, change: Change, *, source_ms: float | None = None, of_control: str | None = None) -> Finding:
    """Return what R16 finds in the open phase of a trial with an operation, or of a control, which has another."""
    whole = session()
    number = measured(whole)[1]
    if of_control is not None:
        number = next(trial.number for trial in whole.plan.trials if trial.subject == CONTROL)
    asked = scenario().model_copy(
        update={"operation": operation, "source_latency_ms": source_ms, "control_operation": of_control}
    )
    whole = replace(whole, trials={key: replace(facts, scenario=asked) for key, facts in whole.trials.items()})
    return findings(damaged(whole, number, change), number, "R16")["open@500"]


def latencies(*from_quantile: tuple[float, float]) -> Change:
    """The open phase with these times in milliseconds, each from a quantile on."""
    times = tuple(max(ms for quantile, ms in from_quantile if quantile <= at) for at in QUANTILES)
    return with_load("open@500", latency_ms=times, latency_min_ms=times[0])


@pytest.mark.parametrize(
    ("operation", "change", "outcome"),
    [
        ("GET /sleep", latencies((0.0, 2.0)), "pass"),
        ("GET /sleep", latencies((0.0, 1.9), (0.1, 2.1)), "invalid"),
        ("GET /sleep-async", latencies((0.0, 0.3)), "invalid"),
        ("GET /split/{name}", latencies((0.0, 0.3), (0.8, 2.1)), "pass"),
        ("GET /split/{name}", latencies((0.0, 0.3), (0.95, 2.1)), "invalid"),
        ("GET /hello/{name}", latencies((0.0, 0.3)), "pass"),
        # A request that failed waited for nothing, and R7 has it.
        ("GET /sleep", both(latencies((0.0, 0.3)), with_load("open@500", failed=1)), "pass"),
    ],
)
def test_answers_before_the_sleep_are_refused(operation: str, change: Change, outcome: str) -> None:
    finding = found(operation, change)
    assert finding.outcome == outcome, finding.reading
    assert ("Requests that have to wait for 2 ms were answered after" in finding.reading) == (outcome == "invalid")


def answered(count: int, **others: int) -> Change:
    """Each source answered so often in the open phase, but for the others."""
    counts = {**dict.fromkeys(SOURCES, count), **others}
    return with_fields(sources=(SourcesWork(phase="open@500", answered=counts),))


ORDERS = both(latencies((0.0, 5.0)), with_load("open@500", requests=7500))


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        (answered(7500), "pass", "All six sources answered for each of 7500 orders."),
        (answered(7501), "pass", "All six sources answered"),
        (answered(7500, cards=12), "invalid", "7500 orders were made, and of their sources cards answered 12 times"),
        (with_fields(sources=(SourcesWork(phase="open@500", answered={}),)), "invalid", "customers answered 0 times"),
        (with_fields(sources=(SourcesWork(phase="closed", answered={}),)), "unknown", "was not counted"),
        # Evidence of before has no counts.
        (with_fields(sources=()), "n/a", "Answers differ in length"),
        (both(answered(7500), latencies((0.0, 4.99))), "invalid", "wait for 5 ms were answered after 4.99 ms"),
    ],
)
def test_orders_that_did_not_ask_their_sources_are_refused(change: Change, outcome: str, words: str) -> None:
    finding = found("POST /orders", both(ORDERS, change), source_ms=5.0)
    assert (finding.outcome, words in finding.reading) == (outcome, True), finding.reading


def test_the_control_reads_what_others_order_and_asks_no_source() -> None:
    nobody_asked = with_fields(sources=(SourcesWork(phase="open@500", answered={}),))
    finding = found("POST /orders", nobody_asked, source_ms=5.0, of_control="GET /orders/{orderId}")
    assert finding.outcome == "n/a", finding.reading


@pytest.mark.parametrize(("asked", "outcome"), [(90, "pass"), (89, "invalid")])
def test_orders_of_a_mix_are_those_of_all_its_use_cases(asked: int, outcome: str) -> None:
    parts = tuple(
        LoadPart(
            use_case=use_case,
            request=request,
            requests=count,
            latency_mean_ms=7.0,
            latency_max_ms=9.0,
            latency_ms=(least_ms, 8.0, 9.0),
        )
        for use_case, request, count, least_ms in (
            ("order", None, 120, 0.4),
            ("order", "POST /orders", 60, 6.0),
            ("order", "GET /orders/{orderId}", 60, 0.4),
            ("rescind", "POST /orders", 30, 5.0),
        )
    )
    change = both(with_load("open@500", parts=parts), answered(asked))
    finding = found("POST /orders (mix)", change, source_ms=5.0)
    assert finding.outcome == outcome, finding.reading
