"""The promises of drifts: no fall reverses an order, a bound holds, and a flat cost is not called changing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from plumbline.verdicts.stats.compare import Verdict
from plumbline.verdicts.stats.drift import LAB_LIMIT, OTHER_LIMIT, Drift, drift
from plumbline.verdicts.stats.ranking import ranking
from .measured import Measured
from .seconds import NOISES, Floats, Noise, costs, course, late, straight

PROCESSES, SECONDS = 4, 45
"""The data of each subject: so many processes with a measured part of three quarters of a minute."""

FALL = 0.05
AHEAD = 0.001
"""The falling subject ends cheaper by only this share, so its mean is dearer by as much as possible."""

LATE_S = 3
APART = 0.15

FLAT = np.zeros(SECONDS)
FALLING = course(SECONDS, FALL)
STRAIGHT = straight(SECONDS, FALL)
LATE = late(SECONDS, FALL, LATE_S)

TURNED_AT_MOST = 0.01
CHANGING_AT_MOST = 0.01
HELD_AT_LEAST = 0.93
"""The bound is one-sided at 95 %; collections, and seconds that resemble their neighbours, cost it a little."""

_OF = f"{PROCESSES} processes of {SECONDS} s"
_TURNED = f"a fall of {FALL * 100:.0f} % reverses an order ({_OF})"
_ALONE = f"a fall of {FALL * 100:.0f} % reverses an order, if drift is ignored ({_OF})"
_HELD = f"the whole of a straight fall of {FALL * 100:.0f} % lies within its bound ({_OF})"
_FLAT = f"a flat curve is called changing ({_OF})"
_LATE_HELD = f"a cost that falls by {FALL * 100:.0f} % in its last {LATE_S} s ends within its bound ({_OF})"
_LATE_TURNED = f"a fall of {FALL * 100:.0f} % in the last {LATE_S} s reverses an order ({_OF})"
_CLAIMED = f"an order of flat curves {APART * 100:.0f} % apart is claimed ({_OF})"


def measure_drift(
    jobs: int, seed: int, noises: Mapping[str, Noise] = NOISES, *, promised: bool = True
) -> Iterator[Measured]:
    """Yield every promise measured in every noise: the code for real subjects decides `jobs` pairs each."""
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place))
        reversed_orders = kept_bounds = called_changing = 0
        for _ in range(jobs):
            falling, flat = _costs(draw, noise, FALLING), _costs(draw, noise, FLAT)
            # The flat cost lies between the mean of the falling cost and its end.
            reversed_orders += _order(falling, flat * (1 + AHEAD)) == "slower"
            kept_bounds += -math.log1p(-FALL) <= _drift(_costs(draw, noise, STRAIGHT)).may_improve
            called_changing += _drift(flat).changing
        yield Measured(_TURNED, name, jobs, reversed_orders / jobs, 0.0, TURNED_AT_MOST if promised else 1.0)
        yield Measured(_HELD, name, jobs, kept_bounds / jobs, HELD_AT_LEAST if promised else 0.0, 1.0)
        yield Measured(_FLAT, name, jobs, called_changing / jobs, 0.0, CHANGING_AT_MOST if promised else 1.0)


def measure_reach(jobs: int, seed: int, noises: Mapping[str, Noise] = NOISES) -> Iterator[Measured]:
    """Yield which claims the noise still allows, and which means alone would have made; none of them is promised."""
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place, 1))
        claims_of_means = claims = steady_in_lab = steady_elsewhere = late_held = late_turned = 0
        for _ in range(jobs):
            first, second = _costs(draw, noise, FLAT), _costs(draw, noise, FLAT)
            claims += _order(first * (1 + APART), second) == "slower"
            steady_in_lab += _drift(first).steady_within(LAB_LIMIT)
            steady_elsewhere += _drift(first).steady_within(OTHER_LIMIT)
            claims_of_means += _order(_costs(draw, noise, FALLING), second * (1 + AHEAD), by_means=True) == "slower"
            falling_late = _costs(draw, noise, LATE)
            late_held += float(np.mean(LATE)) <= _drift(falling_late).may_improve
            late_turned += _order(falling_late, second * (1 + AHEAD)) == "slower"
        yield Measured(_ALONE, name, jobs, claims_of_means / jobs, 0.0, 1.0)
        yield Measured(_CLAIMED, name, jobs, claims / jobs, 0.0, 1.0)
        for limit, count in ((LAB_LIMIT, steady_in_lab), (OTHER_LIMIT, steady_elsewhere)):
            words = f"a flat curve is proven steady within {limit * 100:.0f} % ({_OF})"
            yield Measured(words, name, jobs, count / jobs, 0.0, 1.0)
        yield Measured(_LATE_HELD, name, jobs, late_held / jobs, 0.0, 1.0)
        yield Measured(_LATE_TURNED, name, jobs, late_turned / jobs, 0.0, 1.0)


def _costs(draw: np.random.Generator, noise: Noise, logs: Floats) -> Floats:
    return costs(draw, PROCESSES, noise, logs)


def _drift(values: Floats) -> Drift:
    result = drift(values.tolist(), "lower")
    assert result is not None
    return result


def _order(one: Floats, other: Floats, *, by_means: bool = False) -> Verdict:
    """Return how one subject stands against the other in a ranking of both, with each process a block of its own.

    By means alone the ranking knows nothing of their drifts.
    """
    subjects = {"one": one, "other": other}
    blocks = {
        name: {block: [mean] for block, mean in enumerate(values.mean(axis=1).tolist())}
        for name, values in subjects.items()
    }
    drifts = {} if by_means else {name: _drift(values) for name, values in subjects.items()}
    pair = ranking(blocks, "lower", drifts).between("one", "other")
    assert pair is not None
    return pair.verdict
