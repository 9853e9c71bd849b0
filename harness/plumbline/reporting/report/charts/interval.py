"""Standings as dots with whiskers: mean and interval, ties joined at the left, the control below a line."""

from __future__ import annotations

from itertools import pairwise

from plumbline.verdicts.judge.wording import percent
from ..view import Row, StandingsView
from .marks import colour, mark
from .svg import WIDTH, Scale, axis, from_zero, line, number, shortened, svg_start, text

_ROW = 40.0
# Rows are higher by this if a subject has settings or may still warm up: both stand on a line of their own.
_SETTINGS = 14.0
_LEFT = 22.0
_RIGHT = 18.0
_AXIS = 34.0
_GAP = 10.0


def interval_chart(key: str, standings: StandingsView) -> str:
    """Return the chart of one metric of all subjects. The axis begins at zero."""
    rows = [*standings.rows, *((standings.control,) if standings.control else ())]
    ends = [value for row in rows for value in (row.high, row.mean) if value is not None]
    scale, ticks = from_zero(ends, _LEFT, WIDTH - _RIGHT)
    gap = _GAP if standings.control else 0.0
    height = _ROW + (_SETTINGS if any("+" in row.name.short or row.warming_up for row in rows) else 0.0)
    bottom = len(rows) * height + gap
    title = f"{standings.title} {standings.where}, {standings.unit}: {standings.sentence}"
    parts = [svg_start(key, bottom + _AXIS, title, _described(standings, rows))]
    parts += axis(scale, ticks, bottom, _LEFT, f"{standings.unit}, from zero; {standings.better} is better")
    for index, row in enumerate(rows):
        top = index * height + (gap if row is standings.control else 0.0)
        parts.append(_row(row, top, height, scale))
    neighbours_in_class = {pair for group in standings.groups for pair in pairwise(group.rows)}
    ties = "".join(
        f"M7 {number(index * height + 20)}V{number((index + 1) * height + 4)}"
        for index, (above, below) in enumerate(pairwise(standings.rows))
        if above.rank is not None and above.rank == below.rank and (above, below) in neighbours_in_class
    )
    if ties:
        parts.append(f'<path d="{ties}" class="tie"/>')
    if standings.control:
        y = len(standings.rows) * height + gap / 2
        parts.append(line(0, y, WIDTH, y, "grid"))
    return "".join(parts) + "</svg>"


def _row(row: Row, top: float, height: float, scale: Scale) -> str:
    faint = " faint" if row.name.mark is None or row.mean is None else ""
    name, *settings = ("control: no framework" if row.name.short == "control" else row.name.short).split(" +")
    below = [*(f"+{setting}" for setting in settings), *([row.place] if row.warming_up else [])]
    parts = [
        text(_LEFT + 5, top + 15, shortened(name, 33), f"name{faint}"),
        text(WIDTH - 2, top + 15, row.text, f"value{faint}", "end"),
    ]
    if below:
        parts.append(text(_LEFT + 5, top + 29, shortened(" ".join(below), 52), "small"))
    if row.rank is not None:
        parts.append(text(7, top + 15, str(row.rank), "rank", "middle"))
    y = top + height - 13
    if row.low is not None and row.high is not None:
        # An interval that reaches below the axis runs off it, without an end.
        low, high = number(scale.at(max(row.low, scale.low))), number(scale.at(row.high))
        cap = f"M{low} {number(y - 4)}v8" if row.low >= scale.low else ""
        whisker = f"M{low} {number(y)}H{high}M{high} {number(y - 4)}v8{cap}"
        parts.append(f'<path d="{whisker}" class="whisker {colour(row.name.mark)}"/>')
    if row.mean is not None:
        parts.append(mark(row.name.mark, scale.at(row.mean), y))
    return "".join(parts)


def _described(standings: StandingsView, rows: list[Row]) -> str:
    places = [f", {'' if row.rank is None else 'rank '}{row.place}" if row.place else "" for row in rows]
    row_texts = [f"{row.name.short} {row.text}{place}" for row, place in zip(rows, places, strict=True)]
    return (
        f"Mean with {percent(standings.confidence)} interval over trials, axis from zero. " + "; ".join(row_texts) + "."
    )
