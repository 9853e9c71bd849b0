"""Trim evidence to the digits that were measured and the rows that are read, so that a trial stays small.

Trimming twice changes nothing. Figures are computed from trimmed evidence only: what is stored is all there
is.

Rows that no figure and no rule reads are left out. Figures and rules read a counter by its growth over a window, or
over a third of a window; some counters over the cycles of a warm-up and over the first ten seconds of load as well. The
rows around those edges decide the growth to the last digit, and a few rows in between draw the chart. Rule R17
reads the rows that were inserted in each second before a measured phase. Rows that are left out are None, like rows
that were never read; a column that this file does not name keeps every row.

Evidence that was written when fewer rows were kept is still read, as it is. So no later version may leave out a row
that this version keeps, or keep all rows of a column that this version thins.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

from plumbline.model.evidence import Evidence, LoadPart, LoadResult, Series, Window
from plumbline.verdicts.figures.series import known_rows
from plumbline.verdicts.figures.steady import first_of
from plumbline.verdicts.judge.rules.r17_stationary_work import KEPT_S

# Up to this number all rows fit into the bytes that a trial may take.
SHORT_ROWS = 90
# Rows of a chart between the edges.
CHART_ROWS = 16

# Columns that rules and figures read at the edges of windows and their thirds, or that only charts show.
THINNED = re.compile(
    r"set\.\w+\.\w+_us|cpu\.(db|harness)\.\w+_us|cpu\.load\.system_us|(db\.)?psi\.\w+\.\w+_us"
    r"|vm\.\w+|tcp\.\w+|net\.\w+\.\w+|disk\.\w+"
    r"|(app|db|load)\.(major_faults|voluntary_switches|involuntary_switches|throttled_us|throttled_periods|oom_kills)"
    r"|harness\.throttled_(us|periods)"
    r"|(app|db|load)\.memory_peak_bytes|(db|load)\.rss_bytes|(app|load)\.written_bytes|cpu\.app\.(outside|preferred)_us"
    r"|db\.(rollbacks|rows_\w+|blocks_\w+|deadlocks|temporary_bytes|wal_records|wal_syncs|checkpoints)"
    r"|jvm\.(gc_pauses|gc_us|metaspace_bytes|jit_us|compiled_methods|loaded_classes|safepoint_us)|sampler\.us"
)

# Rule R17 asks how fast this counter grew in each of the seconds before a phase.
READ_BEFORE_PHASES = "db.rows_inserted"

# Those that also tell who used the CPUs, or whether the compiler rested, in a part of a warm-up.
READ_BY_LOAD = re.compile(
    r"set\.(app|db|load)\.(busy|irq|softirq)_us|cpu\.(db|harness)\.\w+_us|cpu\.load\.system_us|jvm\.jit_us"
)


def thinned(series: Series, windows: Sequence[Window]) -> Series:
    """Return the series without the rows that nothing reads. Thinning twice changes nothing."""
    thin = thinned_columns(series)
    if not thin:
        return series
    kept = kept_rows(series.t_s, windows)
    kept_of_load = kept | _rows_at_edges_of_load(series.t_s, windows)
    kept_of_writes = kept | _rows_before_phases(series, windows)

    def kept_of(name: str) -> Set[int]:
        if name == READ_BEFORE_PHASES:
            return kept_of_writes
        return kept_of_load if _matches(READ_BY_LOAD, name) else kept

    return series.model_copy(
        update={
            "columns": {
                name: _without_others(values, kept_of(name)) if name in thin else values
                for name, values in series.columns.items()
            }
        }
    )


def _without_others(values: Sequence[float | None], keep: Set[int]) -> tuple[float | None, ...]:
    return spread({row: values[row] for row in keep}, len(values))


def spread(values: Mapping[int, float | None], rows: int) -> tuple[float | None, ...]:
    """Return a column of so many rows that holds nothing but these values."""
    column: list[float | None] = [None] * rows
    for row, value in values.items():
        column[row] = value
    return tuple(column)


def thinned_columns(series: Series) -> frozenset[str]:
    """Return the columns that are thinned, none in a short series."""
    if len(series.t_s) <= SHORT_ROWS:
        return frozenset()
    return frozenset(name for name in series.columns if _matches(THINNED, name))


def rows_with_values(series: Series, columns: Set[str]) -> frozenset[int]:
    """Return the rows in which one of the columns at the least has a value."""
    return frozenset(row for name in columns for row, value in enumerate(series.columns[name]) if value is not None)


@lru_cache(maxsize=1024)
def _matches(pattern: re.Pattern[str], column: str) -> bool:
    return pattern.fullmatch(column) is not None


def kept_rows(t_s: Sequence[float], windows: Sequence[Window]) -> frozenset[int]:
    """Return the rows on both sides of every edge and third, the first and last one, and some in between."""
    last = len(t_s) - 1
    keep = {0, last, *range(0, last, max(1, len(t_s) // CHART_ROWS))}
    for window in windows:
        third_s = (window.end_s - window.start_s) / 3
        for part in range(4):
            # A line through the rows before and after an edge gives the counter there; a row on the edge does so alone.
            edge_row = bisect_left(t_s, window.start_s + part * third_s)
            keep |= {row for row in (edge_row - 1, edge_row, edge_row + 1) if 0 <= row <= last}
    return frozenset(keep)


def _rows_at_edges_of_load(t_s: Sequence[float], windows: Sequence[Window]) -> frozenset[int]:
    """Return the rows on both sides of the edges of each stretch of load, and of the first ten seconds of load."""
    loads = [load for window in windows for load in window.cycles or ((window.start_s, window.end_s),)]
    edge_rows = {bisect_left(t_s, edge_s) for load in (*loads, *first_of(loads)) for edge_s in load}
    return frozenset(row for edge_row in edge_rows for row in (edge_row - 1, edge_row) if 0 <= row < len(t_s))


def _rows_before_phases(series: Series, windows: Sequence[Window]) -> frozenset[int]:
    """Return the rows of the seconds before each measured phase; none where nothing was written."""
    if len({value for _, value in known_rows(series, READ_BEFORE_PHASES)}) < 2:
        return frozenset()
    starts_s = [window.start_s for window in windows if window.kind in ("closed", "open")]
    return frozenset(
        row for row, t_s in enumerate(series.t_s) if any(start_s - KEPT_S <= t_s <= start_s for start_s in starts_s)
    )


# The kernel counts in ticks of 10 ms or in microseconds; rows are a second apart.
_TIME_DIGITS = 3
# Digits of levels that are not whole numbers (seconds of idle transactions).
_LEVEL_DIGITS = 3
# k6's times have nanoseconds; a tenth of a microsecond is below what it can measure.
_LATENCY_DIGITS = 4
# Digits of a part of a mix, of which a phase has a dozen: hundredths of a millisecond.
_PART_DIGITS = 2


def trimmed(evidence: Evidence) -> Evidence:
    """Return the evidence with series, windows and latencies rounded to the digits that were measured, and thinned."""
    windows = tuple(_window(window) for window in evidence.windows)
    return evidence.model_copy(
        update={
            "series": thinned(_series(evidence.series), windows),
            "windows": windows,
            "load": tuple(_load(load) for load in evidence.load),
        }
    )


def _series(series: Series) -> Series:
    return Series(
        t_s=tuple(round(t_s, _TIME_DIGITS) for t_s in series.t_s),
        columns={name: _rows(name, rows) for name, rows in series.columns.items()},
    )


def _rows(column: str, rows: tuple[float | None, ...]) -> tuple[float | None, ...]:
    digits = 0 if column.endswith(("_us", ".us", "_bytes", ".bytes")) else _LEVEL_DIGITS
    # Nearly all values are whole numbers, and the check for that takes far less time than rounding.
    return tuple(
        [None if value is None else (value if value.is_integer() else round(value, digits)) + 0.0 for value in rows]
    )


def _window(window: Window) -> Window:
    return window.model_copy(
        update={
            "start_s": round(window.start_s, _TIME_DIGITS),
            "end_s": round(window.end_s, _TIME_DIGITS),
        }
    )


def _load(load: LoadResult) -> LoadResult:
    return load.model_copy(
        update={
            "latency_ms": _latencies(load.latency_ms),
            # Nobody asks which use case of a warm-up was slow.
            "parts": tuple(_part(part) for part in load.parts) if load.rate_per_s is not None else (),
        }
    )


def _part(part: LoadPart) -> LoadPart:
    return part.model_copy(
        update={
            "latency_ms": _latencies(part.latency_ms, _PART_DIGITS),
            "latency_mean_ms": round(part.latency_mean_ms, _LATENCY_DIGITS),
            "latency_max_ms": round(part.latency_max_ms, _PART_DIGITS),
        }
    )


def _latencies(values_ms: tuple[float, ...], digits: int = _LATENCY_DIGITS) -> tuple[float, ...]:
    return tuple(round(value, digits) for value in values_ms)
