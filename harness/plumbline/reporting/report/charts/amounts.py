"""Several readings of each subject in one row: moments as marks on a line, or parts as a stacked bar."""

from __future__ import annotations

from itertools import accumulate

from ..view import Parts, PartsChart
from .marks import shape
from .svg import WIDTH, Scale, axis, from_zero, line, rect, shortened, svg_start, text

_ROW = 42.0
_LEFT = 4.0
_RIGHT = 18.0


def moments(key: str, chart: PartsChart, title: str) -> str:
    """Return a chart with a line for each subject, and on it a mark for each reading."""
    scale, tick_values = from_zero([value for row in chart.rows for _, value in row.values], _LEFT, WIDTH - _RIGHT)
    parts = _axis(chart, scale, tick_values)
    for index, row in enumerate(chart.rows):
        y = index * _ROW + 29
        values = [value for _, value in row.values]
        parts.append(_head(row, index, f"{min(values):,.0f} to {max(values):,.0f}"))
        parts.append(line(scale.at(min(values)), y, scale.at(max(values)), y, "span"))
        parts += [
            shape(chart.labels.index(name), scale.at(value), y, 4.5, f"m{chart.labels.index(name)}")
            for name, value in row.values
        ]
    return _start(key, chart, title) + "".join(parts) + "</svg>"


def stacked(key: str, chart: PartsChart, title: str) -> str:
    """Return a chart with a bar for each subject, whose parts add up to a whole."""
    totals = [sum(value for _, value in row.values) for row in chart.rows]
    scale, tick_values = from_zero(totals, _LEFT, WIDTH - _RIGHT)
    parts = _axis(chart, scale, tick_values)
    for index, (row, total) in enumerate(zip(chart.rows, totals, strict=True)):
        parts.append(_head(row, index, f"{total:,.0f} in all"))
        ends = [0.0, *accumulate(value for _, value in row.values)]
        for (name, value), end in zip(row.values, ends, strict=False):
            x, width = scale.at(end), scale.at(end + value) - scale.at(end)
            part = chart.labels.index(name)
            parts.append(rect(x, index * _ROW + 21, max(width - 1, 0.5), 15, f"part p{part}"))
            if width > 30:
                parts.append(text(x + width / 2, index * _ROW + 32.5, f"{value:,.0f}", f"inside i{part}", "middle"))
    return _start(key, chart, title) + "".join(parts) + "</svg>"


def _start(key: str, chart: PartsChart, title: str) -> str:
    description = "; ".join(
        f"{row.name.short}: " + ", ".join(f"{name} {value:,.0f}" for name, value in row.values) for row in chart.rows
    )
    return svg_start(key, len(chart.rows) * _ROW + 36, f"{title}, {chart.unit}", description)


def _axis(chart: PartsChart, scale: Scale, tick_values: list[float]) -> list[str]:
    return axis(scale, tick_values, len(chart.rows) * _ROW, _LEFT, f"{chart.unit}, from zero")


def _head(row: Parts, index: int, right: str) -> str:
    name = row.name.short if row.name.mark is not None else f"{row.name.short}: no framework"
    css = "name" if row.name.mark is not None else "name faint"
    return text(_LEFT + 5, index * _ROW + 15, shortened(name, 40), css) + text(
        WIDTH - 2, index * _ROW + 15, right, "value", "end"
    )
