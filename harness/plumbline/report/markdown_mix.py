"""Response times of a mix by use case, as Markdown."""

from __future__ import annotations

from .markdown_text import escaped, table
from .mix_view import Box, MixView

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def mix_lines(mix: MixView) -> list[str]:
    """One open phase of a mix: a table over all use cases, with quantiles that enough requests lie beyond."""
    lines = ["", f"### Response times by use case, {escaped(mix.where)}", ""]
    lines += table(
        ("Use case", "Subject", "Mean, ms", *(f"p{quantile * 100:g}" for quantile in _QUANTILES), "Requests"),
        ((boxes.use_case, row.name.short, *_cells(row)) for boxes in mix.boxes for row in boxes.rows),
    )
    return lines


def _cells(row: Box) -> tuple[str, ...]:
    quantiles = (
        f"{row.quantiles[quantile]:.3g}" if quantile in row.quantiles else "" for quantile in _QUANTILES
    )
    return f"{row.mean:.3g}", *quantiles, f"{row.requests:,}"
