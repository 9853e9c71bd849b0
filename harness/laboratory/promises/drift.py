"""The promises of drifts: no fall reverses an order, a bound holds, a flat cost is not called changing, and a slowdown
large enough for the drifts that may be left is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from plumbline.verdicts.stats.compare import PairedComparison, Verdict, compare
from plumbline.verdicts.stats.drift import LAB_LIMIT, OTHER_LIMIT, Drift, drift
from plumbline.verdicts.stats.interim import LOOKS, LOOKS_AT_BLOCKS
from plumbline.verdicts.stats.power import detectable_effect
from plumbline.verdicts.stats.ranking import pair_of, ranking
from .comparison import PAIRS, pooled_spread
from .measured import Measured
from .seconds import NOISES, Floats, Noise, costs, course, late, straight

SECONDS = 19
"""A measured part of 20 s, as the default run and `compare` have it, has so many whole seconds."""

OF_RUN, OF_COMPARE = LOOKS_AT_BLOCKS[0], LOOKS[0]
"""The processes of each subject at the first look of the default run, and of each side at that of `compare`."""

FALL = 0.05
AHEAD = 0.001
"""The falling subject ends cheaper by only this share, so its mean is dearer by as much as possible."""

LATE_S = 1
APART = 0.15

FLAT = np.zeros(SECONDS)
FALLING = course(SECONDS, FALL)
STRAIGHT = straight(SECONDS, FALL)
LATE = late(SECONDS, FALL, LATE_S)

TURNED_AT_MOST = 0.01
CHANGING_AT_MOST = 0.015
HELD_AT_LEAST = 0.90
"""The bound is one-sided at 95 %; collections, and seconds that resemble their neighbours, cost it a little."""

FOUND_AT_LEAST = 0.95
LAB_NOISE_MAX = 0.01
"""With more noise a subject is hardly ever proven steady within what a lab has to show."""

_OF = f"{OF_RUN} processes of {SECONDS} s"
_TURNED = f"a fall of {FALL * 100:.0f} % reverses an order"
_ALONE = f"a fall of {FALL * 100:.0f} % reverses an order, if drift is ignored ({_OF})"
_HELD = f"the whole of a straight fall of {FALL * 100:.0f} % lies within its bound"
_FLAT = "a flat curve is called changing"
_LATE_HELD = f"a cost that falls by {FALL * 100:.0f} % in its last {LATE_S} s ends within its bound ({_OF})"
_LATE_TURNED = f"a fall of {FALL * 100:.0f} % in the last {LATE_S} s reverses an order ({_OF})"
_CLAIMED = f"an order of flat curves {APART * 100:.0f} % apart is claimed ({_OF})"
_STEADY_PAIRS = f"{PAIRS} pairs of {SECONDS} s, both sides proven steady"
_MINIMUM = f"a slowdown as large as the minimum detectable effect is found ({_STEADY_PAIRS})"
_LARGER = (
    f"a slowdown larger by the limit of a steady figure is found ({_STEADY_PAIRS} within that limit: "
    f"{LAB_LIMIT * 100:.0f} % under the least noise, as on a lab, else {OTHER_LIMIT * 100:.0f} %)"
)


def measure_drift(
    jobs: int,
    seed: int,
    noises: Mapping[str, Noise] = NOISES,
    *,
    processes: int = OF_RUN,
    promised: bool = True,
) -> Iterator[Measured]:
    """Yield every promise measured in every noise: the code for real subjects decides `jobs` pairs each."""
    of = f"({processes} processes of {SECONDS} s)"
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place, processes))
        reversed_orders = kept_bounds = called_changing = 0
        for _ in range(jobs):
            falling, flat = costs(draw, processes, noise, FALLING), costs(draw, processes, noise, FLAT)
            # The flat cost lies between the mean of the falling cost and its end.
            reversed_orders += _order(falling, flat * (1 + AHEAD)) == "slower"
            kept_bounds += -math.log1p(-FALL) <= _drift(costs(draw, processes, noise, STRAIGHT)).may_improve
            called_changing += _drift(flat).changing
        yield Measured(f"{_TURNED} {of}", name, jobs, reversed_orders / jobs, 0.0, TURNED_AT_MOST if promised else 1.0)
        yield Measured(f"{_HELD} {of}", name, jobs, kept_bounds / jobs, HELD_AT_LEAST if promised else 0.0, 1.0)
        yield Measured(f"{_FLAT} {of}", name, jobs, called_changing / jobs, 0.0, CHANGING_AT_MOST if promised else 1.0)


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


def measure_found(jobs: int, seed: int, noises: Mapping[str, Noise] = NOISES) -> Iterator[Measured]:
    """Yield how often a comparison of sides proven steady finds a slowdown: as large as the minimum detectable effect,
    which is not promised, and larger by what a drift within the limit may take away.
    """
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place, 2))
        limit = LAB_LIMIT if noise.cv <= LAB_NOISE_MAX else OTHER_LIMIT
        sides = [(costs(draw, PAIRS, noise, FLAT), costs(draw, PAIRS, noise, FLAT)) for _ in range(jobs)]
        effect = detectable_effect(PAIRS, pooled_spread([_compared(*both) for both in sides]))
        larger = effect + math.log1p(limit)
        steady = found = larger_found = 0
        for base, head in sides:
            drifts = _drift(head), _drift(base)
            if all(proof.steady_within(limit) for proof in drifts):
                steady += 1
                found += _is_slower(base, head * math.exp(effect), drifts)
                larger_found += _is_slower(base, head * math.exp(larger), drifts)
        yield Measured(_MINIMUM, name, steady, found / steady, 0.0, 1.0)
        yield Measured(_LARGER, name, steady, larger_found / steady, FOUND_AT_LEAST, 1.0)


def _compared(base: Floats, head: Floats) -> PairedComparison:
    return compare((np.log(base.mean(axis=1)) - np.log(head.mean(axis=1))).tolist())


def _is_slower(base: Floats, head: Floats, drifts: tuple[Drift, Drift]) -> bool:
    return pair_of(_compared(base, head), "lower", *drifts).verdict == "slower"


def _costs(draw: np.random.Generator, noise: Noise, logs: Floats) -> Floats:
    return costs(draw, OF_RUN, noise, logs)


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
