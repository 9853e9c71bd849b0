"""The parts of every chart: SVG elements with escaped text, axes with their ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import escape

from ..view import Point

WIDTH = 360.0


def number(value: float) -> str:
    """Return a coordinate as short text."""
    return f"{value:.1f}".removesuffix(".0")


def svg_start(key: str, height: float, title: str, description: str, *, width: float = WIDTH) -> str:
    """Return the start of a picture with its name and description; `key` is unique in the page."""
    return (
        f'<svg viewBox="0 0 {number(width)} {number(height)}" role="img" aria-labelledby="{key}-t {key}-d">'
        f'<title id="{key}-t">{escape(title)}</title><desc id="{key}-d">{escape(description)}</desc>'
    )


def text(x: float, y: float, content: str, css: str = "", anchor: str = "start") -> str:
    """Return a line of text, its baseline at y; `anchor` is start, middle or end."""
    anchor_class = "" if anchor == "start" else f" at-{anchor}"
    return f'<text x="{number(x)}" y="{number(y)}" class="{css}{anchor_class}">{escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """Return a straight line."""
    return f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{css}"/>'


def rect(x: float, y: float, width: float, height: float, css: str) -> str:
    """Return a rectangle; nothing when it has no width."""
    if width <= 0:
        return ""
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" class="{css}"/>'


def axis(scale: Scale, tick_values: Iterable[float], bottom: float, left: float, words: str) -> list[str]:
    """Return the upright lines of an axis, down to `bottom`, their labels, and below them `words` on the axis."""
    parts = []
    for tick_value in tick_values:
        x = scale.at(tick_value)
        parts.append(line(x, 4, x, bottom + 2, "zero" if tick_value == 0 else "grid"))
        parts.append(text(x, bottom + 16, label(tick_value), "tick", "start" if x < 10 else "middle"))
    return [*parts, text(left, bottom + 31, words, "tick")]


def path(points: Iterable[Point], css: str) -> str:
    """Return an SVG path that joins points by straight lines, each relative to the previous point, in steps of 0.1."""
    (x, y), *later_points = [(round(x * 10), round(y * 10)) for x, y in points]
    steps = [f"M{number(x / 10)} {number(y / 10)}"]
    for later_x, later_y in later_points:
        across, down = number((later_x - x) / 10), number((later_y - y) / 10)
        steps.append(f"l{across}{'' if down.startswith('-') else ' '}{down}")
        x, y = later_x, later_y
    return f'<path d="{"".join(steps)}" class="{css}"/>'


def shortened(content: str, most: int) -> str:
    """Return a text cut to at most `most` characters, the middle left out: the ends tell subjects apart."""
    if len(content) <= most:
        return content
    head = (most - 1) // 2
    return f"{content[:head]}…{content[-(most - 1 - head) :]}"


_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
# So that the greatest value does not lie on the frame.
_BEYOND = 1.04


@dataclass(frozen=True)
class Scale:
    """A scale that draws values from `low` to `high` between `start` and `end`. Charts say if it is `logarithmic`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        low, high, position = (math.log(bound) if self.logarithmic else bound for bound in (self.low, self.high, value))
        return self.start + (position - low) / (high - low) * (self.end - self.start)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most about `most` round numbers between low and high, both ends included if they are round."""
    step = _round_step((high - low) / max(most - 1, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def from_zero(values: list[float], start: float, end: float, most: int = 6) -> tuple[Scale, list[float]]:
    """Return an axis that begins at zero (below it only if a value does) and ends just beyond the greatest value."""
    low = min([*values, 0.0])
    high = max([*values, 0.0]) * _BEYOND or 1.0
    return Scale(low, high, start, end), ticks(low, high, most)


def label(value: float) -> str:
    """Return a tick in few characters: `0`, `0.25`, `2,500`."""
    if value and abs(value) < 0.01:
        return f"{value:.0e}"
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def _round_step(rough: float) -> float:
    """Return the smallest round number that is not below `rough`."""
    if rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step for step in _STEPS if step * power >= rough * (1 - 1e-9)) * power
