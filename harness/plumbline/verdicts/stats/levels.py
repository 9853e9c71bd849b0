"""The simulation that finds the level of sequential looks.

Equal sides, Gaussian differences: the level is the 1 % quantile of the smallest p value over all looks. Equivalence
is never declared on the way, as on a host that is too noisy for that: an early end would only lower the false alarms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from .compare import LEVEL
from .special import special

SEED = 20260301
JOBS = 400_000
"""So many simulated comparisons tell the level within 3 %."""

CHUNK = 50_000


@lru_cache(maxsize=64)
def level_for(looks: tuple[int, ...], jobs: int = JOBS) -> float:
    """Return the level of each of `looks` (ascending numbers of pairs) at which equal sides are told apart in 1 %
    of cases at most, rounded down to two digits.
    """
    draw = np.random.default_rng(SEED)
    smallest = [_smallest_p(draw, looks, min(CHUNK, jobs - done)) for done in range(0, jobs, CHUNK)]
    level = float(np.quantile(np.concatenate(smallest), LEVEL))
    digit = 10.0 ** (math.floor(math.log10(level)) - 1)
    return min(LEVEL, round(math.floor(level / digit) * digit, 12))


def _smallest_p(
    draw: np.random.Generator, looks: Sequence[int], jobs: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = draw.standard_normal((jobs, looks[-1]))
    smallest = np.ones(jobs)
    for look in looks:
        so_far = values[:, :look]
        p = 2 * special().stdtr(look - 1, -np.abs(so_far.mean(axis=1)) / np.sqrt(so_far.var(axis=1, ddof=1) / look))
        smallest = np.minimum(smallest, p)
    return smallest
