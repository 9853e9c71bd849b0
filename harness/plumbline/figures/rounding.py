"""Round every figure that is stored, in one way."""

from __future__ import annotations

# Enough for any figure here, and few enough that another order of additions on another machine can't show.
SIGNIFICANT_DIGITS = 9


def rounded(value: float) -> float:
    """Return the value to 9 significant digits; never minus zero."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") + 0.0
