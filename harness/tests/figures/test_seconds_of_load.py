"""Seconds of load until steady, and until 95 % of the peak, where rows and loads do not begin together."""

from __future__ import annotations

import pytest

from plumbline.model.evidence import Series, Window
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.proof import COST, LATENCY, RATE, Drifts, PhaseProof
from plumbline.verdicts.figures.steady import Loads, stretches
from plumbline.verdicts.stats.drift import Drift
from tests.figures.test_compute import SCENARIO, SETS, evidence
from tests.figures.test_first_seconds import counted

STILL = Drift(estimate=0.0, error=0.005, degrees=14, seconds=60, processes=3)
PROOF = PhaseProof(
    "closed", "closed", dict.fromkeys((RATE, COST, LATENCY), Drifts(STILL, {1: STILL})), 30.0, 50.0, limit=0.2
)
CLOSED = Phase(kind="closed", name="closed", duration_s=30, connections=5)


def twice_as_fast(loads: Loads, closed: tuple[float, float]) -> Series:
    """A program that answers 500 requests a second until the closed phase, and 1000 in it."""
    slow, fast = counted(500, *loads), counted(1000, closed)
    both = zip(slow.columns["load.requests"], fast.columns["load.requests"], strict=True)
    total = tuple((before or 0.0) + (after or 0.0) for before, after in both)
    return slow.model_copy(update={"columns": {**slow.columns, "load.requests": total}})


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
    trial_evidence = evidence(series=twice_as_fast(loads, (30.0, 60.0)), windows=windows)
    found = figures(trial_evidence, scenario, SETS, {"closed": PROOF})["closed"]
    # 20 s of load came before, and the first row of the closed phase is 0.4 s after its start.
    assert found["steady_from_s"] == found["time_to_95_share_of_peak_s"] == pytest.approx(20.4)
