"""Reading summaries that real runs of k6 2.2.0 against a counting server left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.load.params import LoadParams, Target, params_of
from plumbline.measuring.load.summary import LoadFailed, parse
from plumbline.model.plan import Phase, Scenario

RECORDED = Path(__file__).with_name("recorded")
CLOSED = Phase(kind="closed", name="closed", duration_s=2, connections=10)


def params(phase: Phase) -> LoadParams:
    scenario = Scenario(
        name="fruits",
        version=1,
        workload="fruits",
        script="fruits.ts",
        operation="GET /fruits",
        uses_database=True,
        phases=(phase,),
    )
    target = Target(base_url="http://127.0.0.1:18080", name="Apple", golden="[]")
    return params_of(phase, scenario, target, Path("/summary.json"))


def recorded(name: str, **changes: Any) -> str:
    summary = json.loads((RECORDED / f"{name}.json").read_text())
    return json.dumps(summary | changes)


def test_closed_load() -> None:
    outcome = parse(recorded("closed"), params(CLOSED))
    load = outcome.result
    assert (load.executor, load.connections, load.rate_per_s) == ("constant-vus", 10, None)
    assert (load.requests, load.completed, load.failed) == (44576, 44556, 0)
    assert load.statuses == {"2xx": 44576}
    assert outcome.window == (1795244948897.0, 1795244950897.0)


def test_open_load() -> None:
    phase = Phase(kind="open", name="open@200", duration_s=2, rate_per_s=200)
    load = parse(recorded("open"), params(phase)).result
    assert (load.executor, load.connections, load.rate_per_s) == ("constant-arrival-rate", None, 200)
    assert (load.requests, load.completed, load.dropped) == (401, 400, 0)
    assert (load.lag_p99_ms, load.lag_max_ms) == (1.0, 6.0)


def test_dropped_arrivals() -> None:
    phase = Phase(kind="open", name="open@19000", duration_s=1, rate_per_s=19_000)
    load = parse(recorded("dropped"), params(phase)).result
    assert (load.requests, load.completed, load.dropped) == (3862, 2580, 15135)


def test_unavailable_answers_are_failures_by_class() -> None:
    phase = Phase(kind="closed", name="closed", duration_s=1, connections=3)
    load = parse(recorded("unavailable"), params(phase), messages=("status 503",)).result
    assert (load.requests, load.completed, load.failed) == (19718, 0, 19718)
    assert load.statuses == {"5xx": 19718}
    assert load.messages == ("status 503",)


def test_warm_up_is_constant_in_each_cycle() -> None:
    phase = Phase(kind="warm-up", name="warm-up", duration_s=1, connections=5, cycles=2, pause_s=0.5)
    load = parse(recorded("warm-up"), params(phase)).result
    assert (load.executor, load.window_s, load.requests) == ("constant-vus", 3.0, 50)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "garbled"),
        ("[]", "garbled"),
        (recorded("closed")[:-100], "garbled"),
        (recorded("closed", extra=1), "garbled: extra"),
        (recorded("closed", requests=-1), "garbled: requests"),
        (recorded("closed", latency_ms=[1.0]), "does not add up"),
        (recorded("closed", connecting_ms=[0.0]), "does not add up"),
        (recorded("closed", failed=44577), "does not add up"),
        (recorded("open"), r"is of the phase open@200 \(constant-arrival-rate\), not of closed"),
        (recorded("closed", requests=0, late=0), "k6 made no request"),
        (recorded("closed", started_ms=None), "k6 made no request"),
    ],
)
def test_what_is_no_summary_of_the_phase_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(LoadFailed, match=sentence) as caught:
        parse(text, params(CLOSED))
    assert caught.value.why == "summary"
