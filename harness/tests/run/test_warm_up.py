"""A warm-up until steady: as many cycles as it takes, none cut off, one result."""

from __future__ import annotations

from plumbline.measuring.run.trial import until_warm
from plumbline.model.evidence import LoadResult
from plumbline.model.plan import Phase
from plumbline.verdicts.figures.steady import Loads

PHASE = Phase(kind="warm-up", name="warm-up", duration_s=5, connections=10, cycles=6, least_cycles=3, pause_s=1)


def warmed(over_after: int) -> tuple[LoadResult, Loads, list[str]]:
    """The result, the times of the cycles, and all steps in their order."""
    steps: list[str] = []

    def load(cycle: Phase) -> tuple[LoadResult, Loads]:
        assert (cycle.cycles, cycle.pause_s, cycle.least_cycles) == (1, 0.0, None)
        steps.append(cycle.name)
        start_s = 10.0 * len(steps)
        result = LoadResult(
            phase=cycle.name,
            executor="constant-vus",
            connections=10,
            window_s=cycle.duration_s,
            requests=100,
            completed=100,
            failed=0,
            dropped=0,
            checks_passed=1,
            checks_failed=0,
            latency_mean_ms=1.0,
            latency_min_ms=1.0,
            latency_max_ms=1.0,
            latency_ms=(),
            received_bytes=1,
            sent_bytes=1,
            exit_code=0,
        )
        return result, ((start_s, start_s + cycle.duration_s),)

    def is_over(loads: Loads) -> bool:
        steps.append(f"asked after {len(loads)}")
        return len(loads) >= over_after

    ended = until_warm(
        PHASE, load, is_over, lambda: steps.append("met"), sleep=lambda s: steps.append(f"rested {s:g} s")
    )
    return *ended, steps


def test_it_ends_with_the_cycle_after_which_nothing_falls() -> None:
    result, loads, steps = warmed(over_after=4)
    assert (result.phase, result.requests, result.window_s, len(loads)) == ("warm-up", 400, 20.0, 4)
    assert steps[-3:] == ["warm-up.4", "rested 1 s", "asked after 4"]


def test_it_is_not_asked_before_the_least() -> None:
    _, loads, steps = warmed(over_after=1)
    assert len(loads) == 3 and steps.count("asked after 3") == 1 and "asked after 2" not in steps


def test_it_ends_at_the_cap() -> None:
    result, loads, _ = warmed(over_after=99)
    assert len(loads) == PHASE.cycles and result.window_s == 30.0
