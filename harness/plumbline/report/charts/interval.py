"""Standings as dots with whiskers: mean and interval, ties joined at the left, the control below a line."""

from __future__ import annotations

from itertools import pairwise

from ..view import Row, Standings
from .marks import colour, mark
from .scale import Scale, from_zero, label
from .svg import WIDTH, line, opened, shortened, text

_ROW = 40.0
_LEFT = 22.0
_RIGHT = 18.0
_AXIS = 34.0
_GAP = 10.0


def interval_chart(key: str, standings: Standings) -> str:
    """One metric of all subjects. The axis begins at zero."""
    rows = [*standings.rows, *((standings.control,) if standings.control else ())]
    ends = [value for row in rows for value in (row.low, row.high, row.mean) if value is not None]
    scale, ticks = from_zero(ends, _LEFT, WIDTH - _RIGHT, 6)
    gap = _GAP if standings.control else 0.0
    bottom = len(rows) * _ROW + gap
    title = (
        f"{standings.title} {standings.where}, {standings.unit}: {standings.said} {standings.next}".strip()
    )
    parts = [opened(key, bottom + _AXIS, title, _described(standings, rows))]
    for tick in ticks:
        x = scale.at(tick)
        parts.append(line(x, 4, x, bottom + 2, "zero" if tick == 0 else "grid"))
        parts.append(text(x, bottom + 16, label(tick), "tick", "middle"))
    parts.append(
        text(_LEFT, bottom + 31, f"{standings.unit}, from zero; {standings.better} is better", "tick")
    )
    for index, row in enumerate(rows):
        top = index * _ROW + (gap if row is standings.control else 0.0)
        parts.append(_row(row, top, scale))
    for index, (above, below) in enumerate(pairwise(standings.rows)):
        if above.rank is not None and above.rank == below.rank:
            parts.append(line(7, index * _ROW + 20, 7, (index + 1) * _ROW + 4, "tie"))
    if standings.control:
        y = len(standings.rows) * _ROW + gap / 2
        parts.append(line(0, y, WIDTH, y, "grid"))
    return "".join(parts) + "</svg>"


def _row(row: Row, top: float, scale: Scale) -> str:
    name = row.name.short if row.name.mark is not None else "control: no framework"
    css = "name" if row.mean is not None and row.name.mark is not None else "name faint"
    parts = [
        text(_LEFT + 5, top + 15, shortened(name, 33), css),
        text(WIDTH - 2, top + 15, row.text, "value" if row.name.mark is not None else "value faint", "end"),
    ]
    if row.rank is not None:
        parts.append(text(7, top + 15, str(row.rank), "rank", "middle"))
    y = top + 27
    tint = colour(row.name.mark)
    if row.low is not None and row.high is not None:
        low, high = scale.at(row.low), scale.at(row.high)
        parts += [line(low, y, high, y, f"whisker {tint}"), line(low, y - 4, low, y + 4, f"whisker {tint}")]
        parts.append(line(high, y - 4, high, y + 4, f"whisker {tint}"))
    if row.mean is not None:
        parts.append(mark(row.name.mark, scale.at(row.mean), y))
    return "".join(parts)


def _described(standings: Standings, rows: list[Row]) -> str:
    said = [f"{row.name.short} {row.text}{'' if row.rank is None else f', rank {row.rank}'}" for row in rows]
    return (
        f"Mean with {standings.confidence:.0%} interval over trials, axis from zero. " + "; ".join(said) + "."
    )
