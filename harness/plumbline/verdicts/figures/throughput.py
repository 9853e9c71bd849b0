"""Throughput of closed load and how steady it was, whether an open rate was met, and threads of batches."""

from __future__ import annotations

import math
from statistics import fmean, stdev

from plumbline.model.evidence import LoadResult
from .series import mean, per_second, rows_inside
from .view import FigureValues, PhaseView, ratio

MIB = 1024 * 1024
# A rate counts as met when all but 1 % of its arrivals were answered in time (the rung has to be met,
# and an exact count would call a slow last second a failure).
UNMET_SHARE = 0.01
# Below three rows of rates there are no thirds to compare.
FEWEST_ROWS = 3


def throughput(view: PhaseView) -> FigureValues:
    """Return the figures of a closed or open phase; the spread is that of k6's running count, second by second."""
    load = view.load
    if load is None:
        return {}
    achieved = ratio(load.completed, load.window_s)
    if view.phase.kind == "open":
        return {
            "achieved_rate_per_s": achieved,
            "dropped": float(load.dropped),
            "saturated": _saturated(load),
        }
    if view.phase.kind != "closed":
        return {}
    resident = None if view.window is None else mean(view.series, "app.rss_bytes", view.window)
    return {
        "throughput_per_s": achieved,
        "throughput_per_mib": ratio(achieved, None if resident is None else resident / MIB),
        **_steadiness(view),
    }


def _saturated(load: LoadResult) -> float | None:
    """Return 1 when the application did not keep up with the rate, else 0.

    Besides UNMET_SHARE, one arrival at the edge and the arrivals that even the fastest answer would leave in
    flight at the end are forgiven.
    """
    if load.rate_per_s is None or load.latency_min_ms is None:
        return None
    arrivals = load.rate_per_s * load.window_s
    unmet = arrivals - load.completed - load.failed
    forgiven = 1 + UNMET_SHARE * arrivals + load.rate_per_s * load.latency_min_ms / 1000
    return float(load.dropped > 0 or unmet > forgiven)


def _steadiness(view: PhaseView) -> FigureValues:
    """Return the coefficient of variation of the rate, and the last third of the rate over the first, minus 1."""
    rates = [] if view.window is None else per_second(view.series, "load.requests", view.window)
    if len(rates) < FEWEST_ROWS or math.fsum(rates) <= 0:
        return {}
    third = len(rates) // 3
    growth = ratio(fmean(rates[-third:]), fmean(rates[:third]))
    return {
        "throughput_cv_share": stdev(rates) / fmean(rates),
        "first_to_last_third_share": None if growth is None else growth - 1,
    }


def batches(view: PhaseView) -> FigureValues:
    """Return the figures of a closed phase of batches; none of any other load.

    Evidence from before threads were counted has neither figure, so that old records keep their figures.
    """
    load, window = view.load, view.window
    if load is None or window is None or load.batch_threads is None or view.phase.kind != "closed":
        return {}
    return {
        "batch_threads": load.batch_threads,
        "batch_connections": max(rows_inside(view.series, "db.active", window), default=None),
    }
