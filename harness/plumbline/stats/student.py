"""Student's t distribution, and the F distribution of a ratio of variances."""

from __future__ import annotations

from functools import lru_cache

from scipy.special import fdtri, stdtr, stdtrit


@lru_cache(maxsize=4096)
def quantile(degrees: float, probability: float) -> float:
    """The t quantile: P(T <= result) = probability, for `degrees` of freedom (not necessarily whole)."""
    return float(stdtrit(degrees, probability))


@lru_cache(maxsize=4096)
def f_quantile(degrees: float, degrees_below: float, probability: float) -> float:
    """The F quantile: P(F <= result) = probability, F a ratio of variances with these degrees of freedom."""
    return float(fdtri(degrees, degrees_below, probability))


def two_sided_p(degrees: float, t: float) -> float:
    """P(|T| >= |t|)."""
    return float(2 * stdtr(degrees, -abs(t)))
