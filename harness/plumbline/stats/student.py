"""Student's t distribution."""

from __future__ import annotations

from scipy.special import stdtr, stdtrit


def quantile(degrees: float, probability: float) -> float:
    """The t quantile: P(T <= result) = probability, for `degrees` of freedom (not necessarily whole)."""
    return float(stdtrit(degrees, probability))


def two_sided_p(degrees: float, t: float) -> float:
    """P(|T| >= |t|)."""
    return float(2 * stdtr(degrees, -abs(t)))
