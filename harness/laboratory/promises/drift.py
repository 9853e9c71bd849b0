"""The promises of drifts: a cost that still falls reverses no order, and a flat cost is not called changing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from plumbline.verdicts.stats.drift import LAB_LIMIT, OTHER_LIMIT, Drift, drift
from plumbline.verdicts.stats.interval import Interval, t_interval
from plumbline.verdicts.stats.ranking import OrderClaim, order
from .measured import Measured
from .seconds import NOISES, Floats, Noise, costs, course

PROCESSES, SECONDS = 4, 45
"""The data of each subject: so many processes with a measured part of three quarters of a minute."""

FALL = 0.05
AHEAD = 0.001
"""The falling subject ends cheaper by only this share, so its mean is dearer by as much as possible."""

APART = 0.15

TURNED_AT_MOST = 0.01
CHANGING_AT_MOST = 0.01
HELD_AT_LEAST = 0.95

_OF = f"{PROCESSES} processes of {SECONDS} s"
_TURNED = f"a fall of {FALL * 100:.0f} % reverses an order ({_OF})"
_ALONE = f"a fall of {FALL * 100:.0f} % reverses an order, if drift is ignored ({_OF})"
_HELD = f"a cost that falls by {FALL * 100:.0f} % ends within its bound ({_OF})"
_FLAT = f"a flat curve is called changing ({_OF})"
_CLAIMED = f"an order of flat curves {APART * 100:.0f} % apart is claimed ({_OF})"


def measure_drift(
    jobs: int, seed: int, noises: Mapping[str, Noise] = NOISES, *, promised: bool = True
) -> Iterator[Measured]:
    """Yield every promise measured in every noise: the code for real subjects decides `jobs` pairs each."""
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place))
        reversed_orders = kept_bounds = called_changing = 0
        for _ in range(jobs):
            falling, flat = _costs(draw, noise, FALL), _costs(draw, noise, 0.0)
            drifts = _drift(falling), _drift(flat)
            # The flat cost lies between the mean of the falling cost and its end.
            reversed_orders += _claimed_order(falling, flat * (1 + AHEAD), *drifts).better == "other"
            kept_bounds += float(np.mean(course(SECONDS, FALL))) <= drifts[0].may_improve
            called_changing += drifts[1].changing
        yield Measured(_TURNED, name, jobs, reversed_orders / jobs, 0.0, TURNED_AT_MOST if promised else 1.0)
        yield Measured(_HELD, name, jobs, kept_bounds / jobs, HELD_AT_LEAST if promised else 0.0, 1.0)
        yield Measured(_FLAT, name, jobs, called_changing / jobs, 0.0, CHANGING_AT_MOST if promised else 1.0)


def measure_reach(jobs: int, seed: int, noises: Mapping[str, Noise] = NOISES) -> Iterator[Measured]:
    """Yield which claims the noise still allows, and which means alone would have made; none of them is promised."""
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place, 1))
        claims_of_means = claims = steady_in_lab = steady_elsewhere = 0
        for _ in range(jobs):
            first, second = _costs(draw, noise, 0.0), _costs(draw, noise, 0.0)
            drifts = _drift(first), _drift(second)
            claims += _claimed_order(first * (1 + APART), second, *drifts).better == "other"
            steady_in_lab += drifts[0].steady_within(LAB_LIMIT)
            steady_elsewhere += drifts[0].steady_within(OTHER_LIMIT)
            claims_of_means += (_interval(_costs(draw, noise, FALL), second * (1 + AHEAD)).low or 0.0) > 0
        yield Measured(_ALONE, name, jobs, claims_of_means / jobs, 0.0, 1.0)
        yield Measured(_CLAIMED, name, jobs, claims / jobs, 0.0, 1.0)
        for limit, count in ((LAB_LIMIT, steady_in_lab), (OTHER_LIMIT, steady_elsewhere)):
            words = f"a flat curve is proven steady within {limit * 100:.0f} % ({_OF})"
            yield Measured(words, name, jobs, count / jobs, 0.0, 1.0)


def _costs(draw: np.random.Generator, noise: Noise, fall: float) -> Floats:
    return costs(draw, PROCESSES, SECONDS, noise, fall)


def _drift(values: Floats) -> Drift:
    result = drift(values.tolist(), "lower")
    assert result is not None
    return result


def _interval(first: Floats, second: Floats) -> Interval:
    """Return the 95 % interval of log(first / second), with processes paired as blocks pair them."""
    return t_interval(np.log(first.mean(axis=1) / second.mean(axis=1)).tolist())


def _claimed_order(first_costs: Floats, second_costs: Floats, first_drift: Drift, second_drift: Drift) -> OrderClaim:
    interval = _interval(first_costs, second_costs)
    low, high = (
        (-math.inf if interval.low is None else interval.low),
        (math.inf if interval.high is None else interval.high),
    )
    return order(low, high, first_drift, second_drift, "lower")
