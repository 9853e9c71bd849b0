"""The promises of drifts: a program that still falls turns no order round, and a flat one is not called changing."""

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
"""Of each subject: a measured part of three quarters of a minute."""

FALL = 0.05
AHEAD = 0.001
"""By so little the falling subject is cheaper in the end: its mean is dearer by as much as it can be."""

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
    """Every promise in every noise, `jobs` pairs of subjects each, through the code that decides real ones."""
    for place, (name, its) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place))
        turned = held = changing = 0
        for _ in range(jobs):
            falling, flat = _costs(draw, its, FALL), _costs(draw, its, 0.0)
            drifts = _drift(falling), _drift(flat)
            # The flat one stands still between the mean of the other and where that ends.
            turned += _asked(falling, flat * (1 + AHEAD), *drifts).better == "other"
            held += float(np.mean(course(SECONDS, FALL))) <= drifts[0].may_improve
            changing += drifts[1].changing
        yield Measured(_TURNED, name, jobs, turned / jobs, 0.0, TURNED_AT_MOST if promised else 1.0)
        yield Measured(_HELD, name, jobs, held / jobs, HELD_AT_LEAST if promised else 0.0, 1.0)
        yield Measured(_FLAT, name, jobs, changing / jobs, 0.0, CHANGING_AT_MOST if promised else 1.0)


def measure_reach(jobs: int, seed: int, noises: Mapping[str, Noise] = NOISES) -> Iterator[Measured]:
    """What the noise leaves to be said, and what means alone would have said; nothing of it is promised."""
    for place, (name, its) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place, 1))
        alone = claimed = lab = elsewhere = 0
        for _ in range(jobs):
            one, other = _costs(draw, its, 0.0), _costs(draw, its, 0.0)
            drifts = _drift(one), _drift(other)
            claimed += _asked(one * (1 + APART), other, *drifts).better == "other"
            lab += drifts[0].steady_within(LAB_LIMIT)
            elsewhere += drifts[0].steady_within(OTHER_LIMIT)
            alone += (_interval(_costs(draw, its, FALL), other * (1 + AHEAD)).low or 0.0) > 0
        yield Measured(_ALONE, name, jobs, alone / jobs, 0.0, 1.0)
        yield Measured(_CLAIMED, name, jobs, claimed / jobs, 0.0, 1.0)
        for limit, count in ((LAB_LIMIT, lab), (OTHER_LIMIT, elsewhere)):
            words = f"a flat curve is proven steady within {limit * 100:.0f} % ({_OF})"
            yield Measured(words, name, jobs, count / jobs, 0.0, 1.0)


def _costs(draw: np.random.Generator, its: Noise, fall: float) -> Floats:
    return costs(draw, PROCESSES, SECONDS, its, fall)


def _drift(values: Floats) -> Drift:
    found = drift(values.tolist(), "lower")
    assert found is not None
    return found


def _interval(one: Floats, other: Floats) -> Interval:
    """The 95 % interval of log(one / other), process by process as blocks pair them."""
    return t_interval(np.log(one.mean(axis=1) / other.mean(axis=1)).tolist())


def _asked(one: Floats, other: Floats, first: Drift, second: Drift) -> OrderClaim:
    its = _interval(one, other)
    low, high = (-math.inf if its.low is None else its.low), (math.inf if its.high is None else its.high)
    return order(low, high, first, second, "lower")
