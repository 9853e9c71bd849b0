"""The promises of drifts with fewer jobs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.stats import binom

from laboratory.promises.comparison import FOUND
from laboratory.promises.drift import (
    LATE_S,
    OF_COMPARE,
    SECONDS,
    TURNED_AT_MOST,
    measure_drift,
    measure_found,
    measure_reach,
)
from laboratory.promises.measured import Measured
from laboratory.promises.seconds import NOISES, Noise, costs, course, late, noise, straight
from tests.checkout import CATALOG

pytestmark = pytest.mark.slow

JOBS = 300


@pytest.mark.parametrize(
    ("measured", "promises"),
    [
        (lambda: measure_drift(JOBS, 5), 3),
        (lambda: measure_drift(JOBS, 5, processes=OF_COMPARE), 3),
        (lambda: measure_found(JOBS, 5), 2),
    ],
)
def test_every_promise_is_kept_in_every_noise(measured: Callable[[], Iterator[Measured]], promises: int) -> None:
    rows = list(measured())
    assert {row.noise for row in rows} == set(NOISES)
    assert len(rows) == promises * len(NOISES)
    for row in rows:
        # A promise of at most 1 % that is just kept passes 999 times in 1,000.
        assert row.value <= binom.ppf(0.999, JOBS, row.high) / JOBS, row
        assert row.value >= binom.ppf(0.001, JOBS, row.low) / JOBS, row


def test_promises_are_of_phases_that_suites_have() -> None:
    for suite in ("stacks", "compare"):
        assert SECONDS + 1 in {phase.time for phase in CATALOG.bench.suites[suite].phases if phase.kind == "closed"}


def test_the_minimum_detectable_effect_is_found_more_rarely_where_a_drift_has_to_be_excluded() -> None:
    rows = [row for row in measure_found(JOBS, 5) if "as large as the minimum" in row.promise]
    assert len(rows) == len(NOISES) and all(row.value < FOUND[0] for row in rows)


def test_means_alone_would_have_broken_them() -> None:
    rows = {(row.promise, row.noise): row.value for row in measure_reach(JOBS, 5, {"1 %": Noise(0.01)})}
    (share_by_means,) = [value for (promise, _), value in rows.items() if "if drift is ignored" in promise]
    assert share_by_means > binom.ppf(0.999, JOBS, TURNED_AT_MOST) / JOBS
    (claimed,) = [value for (promise, _), value in rows.items() if "is claimed" in promise]
    assert claimed > 0.9


def test_a_bound_is_of_a_line_and_not_of_a_step_at_the_end() -> None:
    rows = {row.promise: row.value for row in measure_reach(JOBS, 5, {"1 %": Noise(0.01)})}
    (held,) = [value for promise, value in rows.items() if "ends within its bound" in promise]
    (turned,) = [value for promise, value in rows.items() if f"in the last {LATE_S} s reverses" in promise]
    assert held < 0.5 and turned > binom.ppf(0.999, JOBS, TURNED_AT_MOST) / JOBS
    straight_rows = [row for row in measure_drift(JOBS, 5, {"1 %": Noise(0.01)}) if "straight" in row.promise]
    # The bound is of 95 %: were all of these falls within it, it would be wider than it says.
    assert all(row.value < 1 for row in straight_rows)


def test_the_curves_are_what_they_say() -> None:
    falls = course(45, 0.05)
    assert (falls[0], falls[-1]) == pytest.approx((-math.log(0.95), 0.0))
    assert all(np.diff(falls) < 0)
    line, step = straight(45, 0.05), late(45, 0.05, 3)
    assert (line[0], line[-1]) == (step[0], step[-1]) == pytest.approx((-math.log(0.95), 0.0))
    assert np.diff(line) == pytest.approx(math.log(0.95) / 44) and [*np.nonzero(np.diff(step))[0]] == [41]
    deviations = noise(np.random.default_rng(1), 400, 60, Noise(0.08))
    centred = deviations - deviations.mean()
    assert 0.3 < float(np.mean(centred[:, 1:] * centred[:, :-1]) / np.var(deviations)) < 0.6
    assert costs(np.random.default_rng(1), 3, Noise(0.01), falls).shape == (3, 45)
