"""Write a series as steps from row to row instead of values, since steps repeat and so compress well.

    {"t_ms": [0, 1000, 1001, ...], "rows": [0, 19, 20, ...], "milli": ["db.idle_in_transaction_max_s"],
     "columns": {"load.requests": [0, 4003, ...]}, "thinned": {"tcp.timeouts": [0, 0, ...]}}

A value is the sum of the steps up to it, in thousandths where the column is named in `milli`; null is "not read". A
column in `columns` has a step for every row, one in `thinned` for those of `rows` alone. All steps are whole numbers: a
series is trimmed to three digits before, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from pydantic import Field

from plumbline.model.base import Frozen
from plumbline.model.evidence import Series
from .trim import spread

_MILLI = 1000
# A hundred thinned columns in a day of rows. A few bytes of rows may claim any number of values.
MOST_VALUES = 10_000_000

Steps = tuple[int | None, ...]


class PackedSeries(Frozen):
    """The series of a trial as the file of its evidence holds it."""

    t_ms: tuple[int, ...]
    rows: tuple[int, ...] = Field(description="rows that thinned columns have, from 0; empty when there are none")
    milli: tuple[str, ...]
    columns: dict[str, Steps]
    thinned: dict[str, Steps]


def packed(series: Series, thin: frozenset[str], rows: frozenset[int]) -> PackedSeries:
    """Return a trimmed series as it is written; columns named in `thin` have values in `rows` alone."""
    milli = tuple(
        sorted(
            name
            for name, values in series.columns.items()
            # Neither None nor zero needs the check.
            if not all(map(float.is_integer, filter(None, values)))
        )
    )
    kept = sorted(rows)
    columns: dict[str, Steps] = {}
    thinned: dict[str, Steps] = {}
    for name, values in series.columns.items():
        scale = _MILLI if name in milli else 1
        if name in thin:
            thinned[name] = _steps([values[row] for row in kept], scale)
        else:
            columns[name] = _steps(values, scale)
    times = tuple(step for step in _steps(series.t_s, _MILLI) if step is not None)
    return PackedSeries(t_ms=times, rows=tuple(kept), milli=milli, columns=columns, thinned=thinned)


def unpacked(written: PackedSeries) -> Series:
    """Return the series again. Raises ValueError when its parts do not fit together."""
    times = [value for value in _values(written.t_ms, _MILLI) if value is not None]
    rows = written.rows
    if len(times) * len(written.thinned) > MOST_VALUES:
        raise ValueError(f"thinned columns of the series spread to more than {MOST_VALUES:,} values")
    if list(rows) != sorted({row for row in rows if 0 <= row < len(times)}):
        raise ValueError("rows of the series are not in order, or not there")
    columns: dict[str, tuple[float | None, ...]] = {}
    for part, length in ((written.columns, len(times)), (written.thinned, len(rows))):
        for name, steps in part.items():
            if len(steps) != length or name in columns:
                raise ValueError(f"the column {name[:80]} is there twice, or has another number of rows")
            values = _values(steps, _MILLI if name in written.milli else 1)
            columns[name] = (
                tuple(values) if part is written.columns else spread(dict(zip(rows, values, strict=True)), len(times))
            )
    return Series(t_s=tuple(times), columns=columns)


def _steps(values: Sequence[float | None], scale: int) -> Steps:
    # Columns that are not in thousandths hold whole numbers alone.
    scaled = [int(value) if scale == 1 else round(value * scale) for value in values if value is not None]
    steps = map(sub, scaled, [0, *scaled])
    if len(scaled) == len(values):
        return tuple(steps)
    return tuple([None if value is None else next(steps) for value in values])


def _values(steps: Sequence[int | None], scale: int) -> list[float | None]:
    sums = accumulate([step or 0 for step in steps])
    return [None if step is None else total / scale for step, total in zip(steps, sums, strict=True)]
