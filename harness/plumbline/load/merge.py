"""Merges the results of several k6 processes, or of several cycles, into one result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from plumbline.model.evidence import PART_QUANTILES, QUANTILES, LoadPart, LoadResult
from plumbline.stats.mixture import mixture
from .summary import LoadOutcome


def merged(outcomes: Sequence[LoadOutcome]) -> LoadOutcome:
    """Merge what several processes saw: counts are summed, latencies mixed, and of the lag the worst is kept."""
    if len(outcomes) == 1:
        return outcomes[0]
    windows = [outcome.window for outcome in outcomes]
    return LoadOutcome(
        result=_together([outcome.result for outcome in outcomes]),
        window=(min(one[0] for one in windows), max(one[1] for one in windows)),
    )


def _together(results: Sequence[LoadResult]) -> LoadResult:
    first = results[0]
    latencies = _mixed(((one.latency_ms, one.latency_max_ms, one.requests) for one in results), QUANTILES)
    statuses: Counter[str] = Counter()
    for one in results:
        statuses.update(one.statuses)
    return first.model_copy(
        update={
            **{name: sum(getattr(one, name) for one in results) for name in _SUMS},
            **{name: _total([getattr(one, name) for one in results]) for name in _KNOWN_SUMS},
            "latency_mean_ms": _mean([(one.latency_mean_ms, one.requests) for one in results]),
            "latency_min_ms": _best(min, [one.latency_min_ms for one in results]),
            "latency_max_ms": _best(max, [one.latency_max_ms for one in results]),
            "latency_ms": latencies,
            "lag_p99_ms": _best(max, [one.lag_p99_ms for one in results]),
            "lag_max_ms": _best(max, [one.lag_max_ms for one in results]),
            "statuses": dict(sorted(statuses.items())),
            "exit_code": max(one.exit_code for one in results),
            "messages": tuple(dict.fromkeys(text for one in results for text in one.messages)),
            "parts": _parts(results),
            "batch_threads": _mean([(one.batch_threads, one.requests) for one in results]),
        }
    )


def cycles_merged(results: Sequence[LoadResult], phase: str) -> LoadResult:
    """Merge the cycles of a phase into one result over the time of all of them."""
    window_s = math.fsum(one.window_s for one in results)
    return _together(results).model_copy(update={"phase": phase, "window_s": window_s})


_SUMS = (
    *("requests", "completed", "failed", "dropped", "checks_passed", "checks_failed", "writes"),
    *("received_bytes", "sent_bytes", "connect_errors", "timeouts"),
)

# These sums are None if the load had nothing to compare with.
_KNOWN_SUMS = ("wrong_length", "fresh")

_Sample = tuple[tuple[float, ...], float | None, int]


def _parts(results: Sequence[LoadResult]) -> tuple[LoadPart, ...]:
    by_key: dict[tuple[str, str | None], list[LoadPart]] = {}
    for part in (part for one in results for part in one.parts):
        by_key.setdefault((part.use_case, part.request), []).append(part)
    return tuple(
        LoadPart(
            use_case=use_case,
            request=request,
            requests=sum(one.requests for one in its),
            latency_mean_ms=_mean([(one.latency_mean_ms, one.requests) for one in its]) or 0.0,
            latency_max_ms=max(one.latency_max_ms for one in its),
            latency_ms=_mixed(
                ((one.latency_ms, one.latency_max_ms, one.requests) for one in its), PART_QUANTILES
            ),
        )
        for (use_case, request), its in by_key.items()
    )


def _mixed(samples: Iterable[_Sample], quantiles: tuple[float, ...]) -> tuple[float, ...]:
    known = [
        (((*values, greatest), (*quantiles, 1.0)), count)
        for values, greatest, count in samples
        if len(values) == len(quantiles) and greatest is not None
    ]
    return mixture(known, quantiles)[0] if known else ()


def _mean(means: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(mean, count) for mean, count in means if mean is not None]
    total = sum(count for _, count in known)
    return math.fsum(mean * count for mean, count in known) / total if total else None


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _best(chosen: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return chosen(known) if known else None
