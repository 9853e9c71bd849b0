"""Seconds of load until steady, and until 95 % of the peak, where rows and loads do not begin together."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from plumbline.model.evidence import Series, Window
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.proof import COST, LATENCY, RATE, Drifts, PhaseProof
from plumbline.verdicts.figures.steady import Loads, stretches
from plumbline.verdicts.stats.drift import BOUND_CONFIDENCE, LAB_LIMIT, OTHER_LIMIT, Drift
from plumbline.verdicts.stats.interval import quantile
from tests.figures.test_compute import SCENARIO, SETS, evidence
from tests.figures.test_first_seconds import counted

STILL = Drift(estimate=0.0, error=0.005, degrees=14, seconds=60, processes=3)
PROOF = PhaseProof(
    "closed", "closed", dict.fromkeys((RATE, COST, LATENCY), Drifts(STILL, {1: STILL})), 30.0, 50.0, limit=0.2
)
CLOSED = Phase(kind="closed", name="closed", duration_s=30, connections=5)


def at_rates(*steps: tuple[float, Loads]) -> Series:
    """A program that answers so many requests a second under each of these loads."""
    parts = [counted(rate, *loads) for rate, loads in steps]
    rows = zip(*(part.columns["load.requests"] for part in parts), strict=True)
    total = tuple(sum(value or 0.0 for value in row) for row in rows)
    return parts[0].model_copy(update={"columns": {**parts[0].columns, "load.requests": total}})


@pytest.mark.parametrize(
    ("cycles", "duration_s", "pause_s", "loads"),
    [
        (4, 5.0, 1.1, tuple((3.0 + 6.1 * cycle, 8.0 + 6.1 * cycle) for cycle in range(4))),
        (1, 20.0, 4.4, ((3.0, 23.0),)),
    ],
    ids=["short cycles", "one cycle and a pause"],
)
def test_every_second_of_load_counts_and_no_other(cycles: int, duration_s: float, pause_s: float, loads: Loads) -> None:
    warm_up = Phase(
        kind="warm-up", name="warm-up", duration_s=duration_s, connections=5, cycles=cycles, pause_s=pause_s
    )
    scenario = Scenario(**{**dict(SCENARIO), "phases": (warm_up, CLOSED)})
    windows = (
        Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=27.4),
        Window(phase="closed", kind="closed", start_s=30.0, end_s=60.0),
    )
    ends = [end for load in stretches(warm_up, windows[0]) for end in load]
    assert ends == pytest.approx([end for load in loads for end in load])
    trial_evidence = evidence(series=at_rates((500, loads), (1000, ((30.0, 60.0),))), windows=windows)
    found = figures(trial_evidence, scenario, SETS, {"closed": PROOF})["closed"]
    # 20 s of load came before, and the first row of the closed phase is 0.4 s after its start.
    assert found["steady_from_s"] == found["time_to_95_share_of_peak_s"] == pytest.approx(20.4)


def test_a_subject_whose_noise_leaves_a_wider_bound_is_not_steady_sooner() -> None:
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=20.0, connections=5, cycles=1)
    scenario = Scenario(**{**dict(SCENARIO), "phases": (warm_up, CLOSED)})
    windows = (
        Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=23.0),
        Window(phase="closed", kind="closed", start_s=23.0, end_s=53.0),
    )
    series = at_rates((700, ((3.0, 8.0),)), (950, ((8.0, 23.0),)), (1000, ((23.0, 53.0),)))
    trial_evidence = evidence(series=series, windows=windows)
    # The rate is 5 % below the last one after 5 s, and the last one after 20 s; rows come 0.4 s later.
    for limit, bounds, seconds in ((LAB_LIMIT, (0.001, 0.019), 20.4), (OTHER_LIMIT, (0.001, 0.19), 5.4)):
        for bound in bounds:
            found = figures(trial_evidence, scenario, SETS, {"closed": bounded(bound, limit)})["closed"]
            assert found["steady_from_s"] == pytest.approx(seconds)


def bounded(bound: float, limit: float) -> PhaseProof:
    error = math.log1p(bound) / quantile(STILL.degrees, BOUND_CONFIDENCE)
    drifts = Drifts(replace(STILL, error=error), {1: STILL})
    return replace(PROOF, drifts=dict.fromkeys((RATE, COST, LATENCY), drifts), limit=limit)
