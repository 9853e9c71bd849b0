"""Trim evidence to the digits that were measured and the rows that are read, so that a trial stays small.

Trimming twice changes nothing. Figures are computed from trimmed evidence only: what is stored is all there
is.
"""

from __future__ import annotations

from plumbline.model.evidence import Evidence, LoadPart, LoadResult, Series, Window
from .thin import thinned

# The kernel counts in ticks of 10 ms or in microseconds; rows are a second apart.
_TIME_DIGITS = 3
# Digits of levels that are not whole numbers (seconds of idle transactions).
_LEVEL_DIGITS = 3
# k6's times have nanoseconds; a tenth of a microsecond is below what it can tell.
_LATENCY_DIGITS = 4
# Digits of a part of a mix, of which a phase has a dozen: hundredths of a millisecond.
_PART_DIGITS = 2


def trimmed(evidence: Evidence) -> Evidence:
    """Return the evidence with series, windows and latencies rounded to what they are good for, and thinned."""
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
    return tuple(None if value is None else round(value, digits) + 0.0 for value in rows)


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
