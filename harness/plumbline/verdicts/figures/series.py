"""Reading the one-second series: growth of counters and rows of gauges inside a window.

Every function answers None (or an empty list) when the window is not covered by what was read. An edge of a
window lies between two rows; the counter there is interpolated linearly, unless the rows are more than
MAX_GAP_S apart.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import pairwise

from plumbline.model.evidence import Series, Window

# Samplers write one row a second. A hole of more than two missed rows says nothing about what happened
# inside it.
MAX_GAP_S = 3.0


def known_rows(series: Series, column: str) -> list[tuple[float, float]]:
    """Return the rows of a column that were read, as (t_s, value); empty when the column does not exist."""
    values = series.columns.get(column, ())
    return [(t_s, value) for t_s, value in zip(series.t_s, values, strict=False) if value is not None]


Growth = Callable[[float, float], float | None]
"""(from, to), in seconds of the trial -> how much a counter grew, in its unit; None where that was not read."""


def growth(series: Series, column: str) -> Growth:
    """Return the growth of a counter between two moments, as a function for many pairs of moments."""
    rows = known_rows(series, column)

    def between(start_s: float, end_s: float) -> float | None:
        first, last = _value_at(rows, start_s), _value_at(rows, end_s)
        return None if first is None or last is None else last - first

    return between


def increase(series: Series, column: str, window: Window) -> float | None:
    """Return the growth of a counter between the edges of the window, in the column's unit."""
    return growth(series, column)(window.start_s, window.end_s)


def total_increase(series: Series, columns: Iterable[str], window: Window) -> float | None:
    """Return the growth of several counters together; None when one of them is not covered."""
    parts = [increase(series, column, window) for column in columns]
    known_parts = [part for part in parts if part is not None]
    return math.fsum(known_parts) if parts and len(known_parts) == len(parts) else None


def rate_per_s(series: Series, column: str, window: Window) -> float | None:
    """Return the growth of a counter per second, over the whole window."""
    grown = increase(series, column, window)
    duration_s = window.end_s - window.start_s
    return None if grown is None or duration_s <= 0 else grown / duration_s


def share(series: Series, part: Iterable[str], whole: Iterable[str], window: Window) -> float | None:
    """Return the growth of some counters over the growth of others (a share only if `whole` names `part` too)."""
    portion = total_increase(series, part, window)
    total = total_increase(series, whole, window)
    return None if portion is None or total is None or total <= 0 else portion / total


def cpu_share(series: Series, columns: Iterable[str], cpus: int, window: Window) -> float | None:
    """Return the CPU time (`_us` counters) over what `cpus` CPUs could have given in the window: 1 is all of them."""
    used_us = total_increase(series, columns, window)
    available_us = cpus * (window.end_s - window.start_s) * 1e6
    return None if used_us is None or available_us <= 0 else used_us / available_us


def rows_inside(series: Series, column: str, window: Window) -> list[float]:
    """Return the rows of a gauge inside the window, edges included."""
    return [value for t_s, value in known_rows(series, column) if window.start_s <= t_s <= window.end_s]


def is_covered(series: Series, column: str, window: Window) -> bool:
    """Return whether a column was read throughout the window, without a hole in which something may have happened."""
    times_s = [t_s for t_s, _ in known_rows(series, column) if window.start_s <= t_s <= window.end_s]
    return all(later - earlier <= MAX_GAP_S for earlier, later in pairwise((window.start_s, *times_s, window.end_s)))


def mean(series: Series, column: str, window: Window) -> float | None:
    """Return the mean of a gauge's rows inside the window."""
    rows = rows_inside(series, column, window)
    return math.fsum(rows) / len(rows) if rows else None


def per_second(series: Series, column: str, window: Window) -> list[float]:
    """Return the growth of a counter per second between each two successive rows that both lie inside the window."""
    rows = [(t_s, value) for t_s, value in known_rows(series, column) if window.start_s <= t_s <= window.end_s]
    return [
        (after - before) / (later - earlier) for (earlier, before), (later, after) in pairwise(rows) if later > earlier
    ]


def window_of_rows(series: Series, window: Window, column: str | None = None) -> Window:
    """Return the window from its first row to its last row; unchanged where it holds fewer than two.

    With a column, only rows count in which its value is known.

    The row before a window and the row after it hold seconds that were idle in part: a line through them would make
    every short phase look less busy than it was.
    """
    times_s = series.t_s if column is None else [t_s for t_s, _ in known_rows(series, column)]
    rows = [t_s for t_s in times_s if window.start_s <= t_s <= window.end_s]
    if len(rows) < 2 or rows[-1] <= rows[0]:
        return window
    return window.model_copy(update={"start_s": rows[0], "end_s": rows[-1]})


def _value_at(rows: list[tuple[float, float]], t_s: float) -> float | None:
    """Return the value at `t_s`, on the line between the rows around it."""
    index = bisect_left(rows, t_s, key=lambda row: row[0])
    if index < len(rows) and rows[index][0] == t_s:
        return rows[index][1]
    if index == 0 or index == len(rows):
        return None
    (earlier, before), (later, after) = rows[index - 1], rows[index]
    if later - earlier > MAX_GAP_S:
        return None
    return before + (after - before) * (t_s - earlier) / (later - earlier)


# Enough for any figure here, and few enough that another order of additions on another machine can't show.
SIGNIFICANT_DIGITS = 9


def rounded(value: float) -> float:
    """Return the value to 9 significant digits; never minus zero."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") + 0.0
