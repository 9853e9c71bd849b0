"""The promises with fewer jobs. Bounds are binomial: a correct method passes 999 times in 1,000.

Each bound is also tried on a method that is off by half, which must fail.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from laboratory.promises.comparison import FOUND, measure, measure_limits
from laboratory.promises.noise import BEYOND, MODELS, Noise, abba, carry_over, drift, iid, resampled
from plumbline.verdicts.stats.compare import LEVEL, compare
from plumbline.verdicts.stats.interim import LEVEL_OF_LOOKS, LOOKS, detectable_in_course, follow
from plumbline.verdicts.stats.interval import t_interval
from plumbline.verdicts.stats.power import detectable_effect, needed_effect

pytestmark = pytest.mark.slow

JOBS = 20_000
PAIRS = 6  # below ten pairs the check takes next to nothing away, so the share is the level


def most(jobs: int, share: float) -> int:
    return int(binom.ppf(0.999, jobs, share))


def least(jobs: int, share: float) -> int:
    return int(binom.ppf(0.001, jobs, share))


def sessions(noise: Noise, pairs: int, jobs: int = JOBS, seed: int = 11) -> list[list[float]]:
    draw = np.random.default_rng(seed)
    rows: list[list[float]] = abba(draw, noise(draw, jobs, 2 * pairs)).tolist()
    return rows


def flagged(rows: list[list[float]], level: float) -> int:
    return sum(compare(values, level).verdict in ("faster", "slower") for values in rows)


@pytest.mark.parametrize("name", MODELS)
def test_equal_sides_with_one_look(name: str) -> None:
    assert flagged(sessions(MODELS[name], PAIRS), LEVEL) <= most(JOBS, LEVEL)


def test_a_level_off_by_half_is_seen() -> None:
    rows = sessions(iid, PAIRS)
    assert flagged(rows, LEVEL) >= least(JOBS, LEVEL)
    assert flagged(rows, 1.5 * LEVEL) > most(JOBS, LEVEL)
    assert flagged(rows, 0.5 * LEVEL) < least(JOBS, LEVEL)


@pytest.mark.parametrize("looks", [LOOKS[:3], LOOKS])
@pytest.mark.parametrize("name", MODELS)
def test_equal_sides_with_looks(name: str, looks: tuple[int, ...]) -> None:
    ends = [follow(values, looks).last for values in sessions(MODELS[name], looks[-1], 10_000)]
    assert sum(end is not None and end.verdict in ("faster", "slower") for end in ends) <= most(10_000, LEVEL)


def test_the_level_of_looks_where_none_ends_early() -> None:
    smallest = [min(compare(values[:look]).p for look in LOOKS) for values in sessions(iid, LOOKS[-1])]

    def rate(level: float) -> int:
        return sum(p < level for p in smallest)

    assert least(JOBS, LEVEL) <= rate(LEVEL_OF_LOOKS) <= most(JOBS, LEVEL)
    assert rate(1.6 * LEVEL_OF_LOOKS) > most(JOBS, LEVEL)
    assert rate(0.5 * LEVEL_OF_LOOKS) < least(JOBS, LEVEL)


def test_coverage() -> None:
    rows = sessions(iid, PAIRS, 10_000)

    def covered(confidence: float) -> int:
        intervals = [t_interval(values, confidence) for values in rows]
        return sum((interval.low or 0) <= 0 <= (interval.high or 0) for interval in intervals)

    assert least(10_000, 0.95) <= covered(0.95) <= most(10_000, 0.95)
    assert covered(0.925) < least(10_000, 0.95)
    assert covered(0.975) > most(10_000, 0.95)


@pytest.mark.parametrize("name", MODELS)
def test_the_planned_effect_is_found(name: str) -> None:
    rows = sessions(MODELS[name], 10, 4000)
    spread = float(np.sqrt(np.mean([np.var(values, ddof=1) for values in rows])))
    effect = detectable_effect(10, spread)

    def slower_count(share: float) -> int:
        return sum(compare([value - share * effect for value in values]).verdict == "slower" for values in rows)

    assert least(4000, FOUND[0]) <= slower_count(1.0) <= most(4000, FOUND[1])
    assert slower_count(0.5) < least(4000, FOUND[0])
    assert slower_count(1.5) > most(4000, FOUND[1])


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
def test_the_effect_planned_for_looks_is_found(scale: float) -> None:
    rows = [[scale * value for value in values] for values in sessions(iid, LOOKS[-1], 4000)]
    effect = detectable_in_course(scale * float(np.sqrt(2) * 0.01), LOOKS)
    ends = [follow([value + effect for value in values], LOOKS).last for values in rows]
    faster_count = sum(end is not None and end.verdict == "faster" for end in ends)
    assert least(4000, FOUND[0]) <= faster_count <= most(4000, FOUND[1])


@pytest.mark.parametrize("pairs", [6, 10, 15, 26])
def test_the_needed_effect_is_where_the_verdict_turns(pairs: int) -> None:
    for values in sessions(MODELS["bursts"], pairs, 50):
        needed = needed_effect(compare(values))
        assert compare([value + needed + 1e-9 for value in values]).verdict == "faster"
        assert compare([value + needed - 1e-9 for value in values]).verdict != "faster"


def test_noises_have_teeth() -> None:
    # At 5 %, all A before all B gives 55 % false alarms under the drift; A always first gives 14 % under carry-over.
    draw = np.random.default_rng(3)
    drifted = drift(draw, 2000, 20)
    drift_intervals = [t_interval(values) for values in (drifted[:, 10:] - drifted[:, :10]).tolist()]
    assert sum((interval.low or 0) > 0 or (interval.high or 0) < 0 for interval in drift_intervals) >= 1000
    warmed = carry_over(draw, 2000, 20)
    carry_over_intervals = [t_interval(values) for values in (warmed[:, 1::2] - warmed[:, 0::2]).tolist()]
    assert sum((interval.low or 0) > 0 or (interval.high or 0) < 0 for interval in carry_over_intervals) >= 200


def test_resampled_trials_scatter_as_the_real_ones() -> None:
    draw = np.random.default_rng(4)
    groups = [[8.0, 8.02, 7.98, 8.01, 7.99], [3.0, 3.01, 2.99, 3.02, 2.98]]
    drawn = resampled(groups)(draw, 1000, 20)
    assert abs(float(drawn.mean())) < 0.001
    assert float(drawn.std()) == pytest.approx(float(np.std(groups[0], ddof=1)), rel=0.03)


def test_every_promise_is_measured_in_every_noise() -> None:
    rows = list(measure(MODELS, 40, 1))
    assert {row.noise for row in rows} == set(MODELS)
    assert len(rows) == 7 * len(MODELS)
    assert {row.noise for row in measure_limits(BEYOND, 40, 1)} == set(BEYOND)
