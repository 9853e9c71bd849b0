"""Axes: from values to coordinates, with ticks at round numbers (Heckbert 1990, nice numbers for graph labels)."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
# So that the greatest value does not lie on the frame.
_BEYOND = 1.04


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` drawn from `start` to `end`; `logarithmic` ones are marked as such by the charts."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The coordinate of a value."""
        low, high, its = (math.log(v) if self.logarithmic else v for v in (self.low, self.high, value))
        return self.start + (its - low) / (high - low) * (self.end - self.start)


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most about that many round numbers between low and high, both ends included where they are round."""
    step = _nice((high - low) / max(most - 1, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def from_zero(values: list[float], start: float, end: float, most: int = 6) -> tuple[Scale, list[float]]:
    """An axis that begins at zero (below it only if a value does) and ends just beyond the greatest value."""
    low = min([*values, 0.0])
    high = max([*values, 0.0]) * _BEYOND or 1.0
    return Scale(low, high, start, end), ticks(low, high, most)


def label(value: float) -> str:
    """A tick in few characters: `0`, `0.25`, `2,500`."""
    if value and abs(value) < 0.01:
        return f"{value:.0e}"
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def _nice(rough: float) -> float:
    """The smallest round number that is not below."""
    if rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step for step in _STEPS if step * power >= rough * (1 - 1e-9)) * power
