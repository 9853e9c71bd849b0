"""The interval of a share, where something happened so many times in so many tries (Clopper and Pearson 1934)."""

from __future__ import annotations

from scipy.special import betaincinv

from .interval import CONFIDENCE


def share_interval(happened: int, tries: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact interval of the share; never too narrow, even where the thing never or always happened.

    Raises ValueError without a try, or where more happened than was tried.
    """
    if not 0 <= happened <= tries or tries < 1:
        raise ValueError(f"{happened} of {tries} is no share")
    tail = (1 - confidence) / 2
    low = 0.0 if happened == 0 else float(betaincinv(happened, tries - happened + 1, tail))
    high = 1.0 if happened == tries else float(betaincinv(happened + 1, tries - happened, 1 - tail))
    return low, high
