"""Leave out rows that no figure and no rule reads, so that the evidence of long trials stays small.

Figures and rules read a counter by its growth over a window, or over a third of a window. The rows around those edges
decide the growth to the last digit, and a few rows in between draw the chart. Rows that are left out are None, like
rows that were never read; a column that this file does not name keeps every row.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from plumbline.model.evidence import Series, Window

# Up to here all rows fit into what a trial may take.
SHORT_ROWS = 90
# Rows of a chart between the edges.
CHART_ROWS = 16

# Read by rules and figures at the edges of windows and their thirds, or shown in charts alone.
THINNED = re.compile(
    r"set\.\w+\.\w+_us|cpu\.(db|harness)\.\w+_us|cpu\.load\.system_us|(db\.)?psi\.\w+\.\w+_us"
    r"|vm\.\w+|tcp\.\w+|net\.\w+\.\w+|disk\.\w+"
    r"|(app|db|load)\.(major_faults|voluntary_switches|involuntary_switches|throttled_us|throttled_periods|oom_kills)"
    r"|(app|db|load)\.memory_peak_bytes|(db|load)\.rss_bytes|(app|load)\.written_bytes|cpu\.app\.outside_us"
    r"|db\.(rollbacks|rows_\w+|blocks_\w+|deadlocks|temporary_bytes|wal_records|wal_syncs|checkpoints)"
    r"|jvm\.(gc_pauses|gc_us|metaspace_bytes|jit_us|compiled_methods|loaded_classes|safepoint_us)|sampler\.us"
)


def thinned(series: Series, windows: Sequence[Window]) -> Series:
    """Return the series without the rows that nothing reads. Thinning twice changes nothing."""
    thin, keep = thinned_part(series, windows)
    if not thin:
        return series
    return series.model_copy(
        update={
            "columns": {
                name: tuple(value if row in keep else None for row, value in enumerate(values))
                if name in thin
                else values
                for name, values in series.columns.items()
            }
        }
    )


def thinned_part(series: Series, windows: Sequence[Window]) -> tuple[frozenset[str], frozenset[int]]:
    """Return the columns that are thinned and the rows that they keep; none of either in a short series."""
    if len(series.t_s) <= SHORT_ROWS:
        return frozenset(), frozenset()
    thin = frozenset(name for name in series.columns if THINNED.fullmatch(name))
    return thin, kept_rows(series.t_s, windows)


def kept_rows(t_s: Sequence[float], windows: Sequence[Window]) -> frozenset[int]:
    """Return the rows on both sides of every edge and third, the first and last one, and some in between."""
    last = len(t_s) - 1
    keep = {0, last, *range(0, last, max(1, len(t_s) // CHART_ROWS))}
    for window in windows:
        third_s = (window.end_s - window.start_s) / 3
        for part in range(4):
            # A line through the rows before and after an edge gives the counter there; a row on it stands alone.
            at = bisect_left(t_s, window.start_s + part * third_s)
            keep |= {row for row in (at - 1, at, at + 1) if 0 <= row <= last}
    return frozenset(keep)
