"""The promises of comparisons: false alarms, coverage, and how often the minimum detectable effect is found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from plumbline.verdicts.stats.compare import PairedComparison, compare
from plumbline.verdicts.stats.interim import LOOKS, detectable_in_course, follow
from plumbline.verdicts.stats.interval import t_interval
from plumbline.verdicts.stats.power import detectable_effect
from .measured import Measured
from .noise import Noise, abba

PAIRS = 10
"""The number of pairs of a session with one look."""

NOISIER = 5
"""The factor that raises the noise until no session is called equivalent: then every session takes all looks."""

FALSE_ALARMS_AT_MOST = 0.012
FOUND = (0.92, 0.98)
COVERED_95 = (0.94, 0.96)
COVERED_99_AT_LEAST = 0.988

_FALSE_ALARMS = f"equal sides are called faster or slower ({PAIRS} pairs, one look)"
_MINIMUM_FOUND = "a slowdown as large as the minimum detectable effect is found, if no drift has to be excluded"
_FOUND = f"{_MINIMUM_FOUND} ({PAIRS} pairs, one look)"

Sessions = Sequence[Sequence[float]]


def measure(noises: Mapping[str, Noise], jobs: int, seed: int) -> Iterator[Measured]:
    """Yield every promise measured in every noise: the code that decides real sessions decides `jobs` sessions each."""
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place))

        def sessions(pairs: int, noise: Noise = noise, draw: np.random.Generator = draw) -> Sessions:
            rows: list[list[float]] = abba(draw, noise(draw, jobs, 2 * pairs)).tolist()
            return rows

        yield from _one_look(name, sessions(PAIRS), sessions(PAIRS))
        yield from _many_looks(name, sessions(LOOKS[-1]), sessions(LOOKS[-1]))


def _one_look(noise: str, equal: Sessions, power_sessions: Sessions) -> Iterator[Measured]:
    jobs = len(equal)
    comparisons = [compare(values) for values in equal]
    yield Measured(
        _FALSE_ALARMS,
        noise,
        jobs,
        false_alarms(comparisons),
        0.0,
        FALSE_ALARMS_AT_MOST,
    )
    intervals = [t_interval(values) for values in equal]
    yield Measured(
        f"the 95 % interval contains the true difference ({PAIRS} pairs)",
        noise,
        jobs,
        sum((interval.low or 0) <= 0 <= (interval.high or 0) for interval in intervals) / jobs,
        *COVERED_95,
    )
    effect = detectable_effect(PAIRS, pooled_spread(comparisons))
    yield Measured(
        _FOUND,
        noise,
        jobs,
        sum(_compare_slowed(values, effect).verdict == "slower" for values in power_sessions) / jobs,
        *FOUND,
    )


def _many_looks(noise: str, equal: Sessions, power_sessions: Sessions) -> Iterator[Measured]:
    jobs = len(equal)
    comparisons = [_last_look(values) for values in equal]
    looks = f"looks after {', '.join(map(str, LOOKS))} pairs"
    yield Measured(
        f"equal sides are called faster or slower ({looks})",
        noise,
        jobs,
        false_alarms(comparisons),
        0.0,
        FALSE_ALARMS_AT_MOST,
    )
    yield Measured(
        f"the 99 % interval at the last look contains the true difference ({looks})",
        noise,
        jobs,
        sum(comparison.low <= 0 <= comparison.high for comparison in comparisons) / jobs,
        COVERED_99_AT_LEAST,
        1.0,
    )
    noisy_comparisons = [_last_look([NOISIER * value for value in values]) for values in equal]
    yield Measured(
        f"equal sides are called faster or slower ({looks}; {NOISIER} times the noise: no session ends early)",
        noise,
        jobs,
        false_alarms(noisy_comparisons),
        0.0,
        FALSE_ALARMS_AT_MOST,
    )
    spread = pooled_spread([compare(values) for values in equal])
    effect = detectable_in_course(spread, LOOKS)
    yield Measured(
        f"{_MINIMUM_FOUND} ({looks})",
        noise,
        jobs,
        sum(_last_look([value - effect for value in values]).verdict == "slower" for values in power_sessions) / jobs,
        *FOUND,
    )


def false_alarms(comparisons: Sequence[PairedComparison]) -> float:
    """Return the share of comparisons that call a side faster or slower."""
    return sum(comparison.verdict in ("faster", "slower") for comparison in comparisons) / len(comparisons)


def pooled_spread(comparisons: Sequence[PairedComparison]) -> float:
    """The standard deviation of a difference over many sessions, as the history of a host knows it."""
    return math.sqrt(sum(comparison.spread**2 for comparison in comparisons) / len(comparisons))


def measure_limits(noises: Mapping[str, Noise], jobs: int, seed: int) -> Iterator[Measured]:
    """False alarms and power in noises that no promise covers, so that a reader knows where the promises end."""
    for place, (name, noise) in enumerate(noises.items()):
        draw = np.random.default_rng((seed, place))
        equal, power_sessions = (abba(draw, noise(draw, jobs, 2 * PAIRS)).tolist() for _ in range(2))
        comparisons = [compare(values) for values in equal]
        yield Measured(_FALSE_ALARMS, name, jobs, false_alarms(comparisons), 0.0, 1.0)
        effect = detectable_effect(PAIRS, pooled_spread(comparisons))
        share = sum(_compare_slowed(values, effect).verdict == "slower" for values in power_sessions) / jobs
        yield Measured(_FOUND, name, jobs, share, 0.0, 1.0)


def _compare_slowed(values: Sequence[float], effect: float) -> PairedComparison:
    return compare([value - effect for value in values])


def _last_look(values: Sequence[float]) -> PairedComparison:
    last = follow(values, LOOKS).last
    assert last is not None
    return last
