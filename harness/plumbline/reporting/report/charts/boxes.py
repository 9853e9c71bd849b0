"""Distributions as boxes: half of all times lie inside, nine of ten between the whiskers; a mark is the mean."""

from __future__ import annotations

from ..view import Box, Boxes
from .marks import colour, mark
from .svg import WIDTH, Scale, axis, from_zero, number, shortened, svg_start, text

_ROW = 40.0
_LEFT = 4.0
_RIGHT = 18.0
_AXIS = 34.0


def boxes_chart(key: str, boxes: Boxes, where: str, longest_ms: float) -> str:
    """Return the chart of one use case of all subjects. All use cases of a phase have the same axis, from zero."""
    scale, ticks = from_zero([longest_ms], _LEFT, WIDTH - _RIGHT)
    bottom = len(boxes.rows) * _ROW
    parts = [svg_start(key, bottom + _AXIS, f"Response times of {boxes.use_case} {where}", _described(boxes))]
    parts += axis(scale, ticks, bottom, _LEFT, "ms, from zero; lower is better")
    parts += [_row(row, index * _ROW, scale) for index, row in enumerate(boxes.rows)]
    return "".join(parts) + "</svg>"


def longest(all_boxes: tuple[Boxes, ...]) -> float:
    """Return the greatest value that any of the boxes draws."""
    return max(
        (value for boxes in all_boxes for row in boxes.rows for value in (row.mean, *row.quantiles.values())),
        default=1.0,
    )


def _row(row: Box, top: float, scale: Scale) -> str:
    quantiles, y = row.quantiles, top + 27
    parts = [
        text(_LEFT + 5, top + 15, shortened(row.name.short, 38), "name"),
        text(WIDTH - 2, top + 15, f"mean {row.mean:.3g} ms", "value", "end"),
    ]
    css = colour(row.name.mark)
    middle = [quantiles[quantile] for quantile in (0.25, 0.75) if quantile in quantiles]
    ends = [quantiles[quantile] for quantile in (0.05, 0.95) if quantile in quantiles]
    if len(ends) == 2:
        low, high = (number(scale.at(value)) for value in ends)
        cap = number(y - 4)
        parts.append(f'<path d="M{low} {number(y)}H{high}M{low} {cap}v8M{high} {cap}v8" class="whisker {css}"/>')
    if len(middle) == 2:
        low_x, high_x = (scale.at(value) for value in middle)
        width = max(high_x - low_x, 1.0)
        parts.append(
            f'<rect x="{number(low_x)}" y="{number(y - 6)}" width="{number(width)}" height="12" class="box {css}"/>'
        )
    if 0.5 in quantiles:
        x = number(scale.at(quantiles[0.5]))
        parts.append(f'<path d="M{x} {number(y - 8)}v16" class="median {css}"/>')
    parts.append(mark(row.name.mark, scale.at(row.mean), y))
    return "".join(parts)


def _described(boxes: Boxes) -> str:
    descriptions = [
        f"{row.name.short}: mean {row.mean:.3g} ms"
        + "".join(f", p{quantile * 100:g} {value:.3g}" for quantile, value in row.quantiles.items())
        for row in boxes.rows
    ]
    return "; ".join(descriptions) + "."
