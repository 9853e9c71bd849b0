"""Which quantiles count, and how the grids of trials are merged as a mixture."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.model.evidence import QUANTILES
from plumbline.verdicts.figures.latency import Grid, latency_at, merged, reportable

# Merging grids is within 0.4 % at p99 and 1.3 % at p99.9 of the pooled samples.
P99_ERROR = 0.004
P99_9_ERROR = 0.013


def quantile_of(ordered: list[float], quantile: float) -> float:
    """The quantile as k6 computes it: linear between the two samples around the quantile."""
    place = quantile * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def grid(samples: list[float]) -> Grid:
    ordered = sorted(samples)
    values = tuple(quantile_of(ordered, quantile) for quantile in QUANTILES)
    return Grid(values_ms=values, max_ms=ordered[-1], samples=len(ordered))


@pytest.mark.parametrize(
    ("samples", "quantile", "counts"),
    [
        (200, 0.5, True),
        (199, 0.5, False),
        (1000, 0.9, True),
        (999, 0.9, False),
        (10_000, 0.99, True),
        (9_999, 0.99, False),
        (100_000, 0.999, True),
        (99_999, 0.999, False),
        (0, 0.0, False),
    ],
)
def test_a_quantile_counts_with_a_hundred_samples_beyond_it(samples: int, quantile: float, counts: bool) -> None:
    assert reportable(samples, quantile) is counts


def test_a_quantile_between_those_of_the_grid_is_on_the_line() -> None:
    straight = Grid(values_ms=tuple(100 * quantile for quantile in QUANTILES), max_ms=100.0, samples=1)
    assert latency_at(straight, 0.5) == 50.0
    assert latency_at(straight, 0.505) == pytest.approx(50.5)
    assert latency_at(straight, 1.0) == 100.0


def test_merging_one_grid_leaves_it_as_it_is() -> None:
    single = grid([float(n) for n in range(1, 5001)])
    mixture = merged([single])
    assert mixture.values_ms == pytest.approx(single.values_ms, rel=1e-12)
    assert (mixture.max_ms, mixture.samples) == (single.max_ms, single.samples)


def test_merging_weighs_by_samples() -> None:
    fast = grid([1.0] * 3000)
    slow = grid([5.0] * 1000)
    mixture = merged([fast, slow])
    assert (latency_at(mixture, 0.7), latency_at(mixture, 0.8)) == (1.0, 5.0)
    assert mixture.samples == 4000


def test_trials_that_lie_as_far_apart_as_numbers_can_are_merged() -> None:
    near = Grid(tuple(quantile / 1000 for quantile in QUANTILES), 0.001, 1)
    far = Grid(tuple(1e308 for _ in QUANTILES), 1e308, 1)
    assert latency_at(merged([near, far]), 0.25) == pytest.approx(0.0005, rel=0.01)


def test_a_trial_without_samples_does_not_count() -> None:
    single = grid([1.0, 2.0, 3.0])
    empty = Grid(values_ms=tuple(0.0 for _ in QUANTILES), max_ms=0.0, samples=0)
    assert merged([single, empty]) == merged([single])
    with pytest.raises(ValueError, match="no samples"):
        merged([empty])


# Trials of one subject differ by up to a fifth here, far more than trials on a quiet host.
@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    centres=st.lists(st.floats(0.9, 1.1), min_size=2, max_size=5),
    spread=st.floats(0.2, 0.6),
)
def test_the_mixture_is_close_to_the_pooled_samples(seed: int, centres: list[float], spread: float) -> None:
    source = random.Random(seed)
    trials = [[source.lognormvariate(centre, spread) for _ in range(20_000)] for centre in centres]
    pooled = sorted(value for trial in trials for value in trial)
    mixture = merged([grid(trial) for trial in trials])
    for quantile in (0.5, 0.9, 0.95, 0.99):
        assert latency_at(mixture, quantile) == pytest.approx(quantile_of(pooled, quantile), rel=P99_ERROR)
    assert latency_at(mixture, 0.999) == pytest.approx(quantile_of(pooled, 0.999), rel=P99_9_ERROR)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=40), min_size=1, max_size=4))
def test_a_merged_grid_ascends_and_stays_within_its_trials(trials: list[list[int]]) -> None:
    grids = [grid([float(value) for value in trial]) for trial in trials]
    mixture = merged(grids)
    assert list(mixture.values_ms) == sorted(mixture.values_ms)
    assert mixture.values_ms[0] == min(min(trial) for trial in trials)
    assert mixture.max_ms == max(max(trial) for trial in trials)
