"""Reads the summary of a phase, the JSON file that a scenario leaves, and merges those of several processes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from pydantic import NonNegativeInt, PositiveInt, ValidationError

from plumbline.model.base import Frozen
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import PART_QUANTILES, QUANTILES, LoadPart, LoadResult, Probe
from plumbline.verdicts.stats.mixture import mixture
from .params import LoadParams

FailureKind = Literal["died", "hung", "stopped", "script", "summary"]


class LoadFailed(AnswerIsNo):
    """k6 gave no result for a phase: the trial is invalid, the session goes on. `tail` is the end of k6's log."""

    def __init__(self, why: FailureKind, problem: str, tail: tuple[str, ...] = ()) -> None:
        super().__init__(problem, "See k6's log of the phase in the session's folder.")
        self.why = why
        self.tail = tail


class LoadOutcome(Frozen):
    """The counts of k6 in one phase, and their time: `window` is (start, end) of the load in milliseconds since the
    epoch, `changed` the time when a served row had another text, in seconds of the monotonic clock. `asked` is the
    answer that the harness itself got for that row, where the load asks for another row each time.
    """

    result: LoadResult
    window: tuple[float, float]
    changed: tuple[float, float] | None = None
    asked: Probe | None = None


class SummaryPart(Frozen):
    """A use case of a mix, or a request within it; k6/lib/summary.ts writes only those that were used."""

    use_case: str
    request: str | None
    requests: PositiveInt
    latency_mean_ms: float
    latency_max_ms: float
    latency_ms: tuple[float, ...]


class Summary(Frozen):
    """The counts of k6 in one phase, the JSON file that a scenario leaves; k6/lib/shapes.ts is made from this model.

    `late` counts good answers that came after the window. `statuses` holds unexpected answers only, by class.
    `connecting_ms` stands on QUANTILES as `latency_ms`, and is 0 for a request on a connection that was open.
    """

    phase: str
    executor: str
    started_ms: float | None
    requests: NonNegativeInt
    failed: NonNegativeInt
    late: NonNegativeInt
    dropped: NonNegativeInt
    checks_passed: NonNegativeInt
    checks_failed: NonNegativeInt
    writes: NonNegativeInt
    wrong_length: NonNegativeInt | None
    fresh: NonNegativeInt | None
    latency_mean_ms: float | None
    latency_min_ms: float | None
    latency_max_ms: float | None
    latency_ms: tuple[float | None, ...]
    lag_p99_ms: float | None
    lag_max_ms: float | None
    received_bytes: NonNegativeInt
    sent_bytes: NonNegativeInt
    connect_errors: NonNegativeInt
    timeouts: NonNegativeInt
    statuses: dict[str, NonNegativeInt]
    parts: tuple[SummaryPart, ...] = ()
    connecting_ms: tuple[float | None, ...] = ()
    batch_threads: float | None = None


def parse(text: str, params: LoadParams, exit_code: int = 0, messages: tuple[str, ...] = ()) -> LoadOutcome:
    """Return the outcome of a phase from its summary. Raises LoadFailed when the text is no summary of that phase.

    `completed` counts good answers that arrived within the window. The cycles of a warm-up count as constant VUs.
    """
    summary = _validated(text, params, messages)
    if summary.started_ms is None or summary.requests == 0:
        raise LoadFailed("summary", f"k6 made no request in the phase {params.phase}.", messages)
    good_requests = summary.requests - summary.failed
    window_s = params.cycles * (params.duration_s + params.pause_s)
    is_open = params.executor == "constant-arrival-rate"
    fields: dict[str, Any] = {name: value for name, value in summary if name in LoadResult.model_fields}
    fields |= {
        "executor": "constant-arrival-rate" if is_open else "constant-vus",
        "connections": None if is_open else params.vus,
        "rate_per_s": params.rate_per_s if is_open else None,
        "window_s": window_s,
        "completed": good_requests - summary.late,
        "latency_ms": tuple(value for value in summary.latency_ms if value is not None),
        "reused": _reused(summary),
        "statuses": _statuses(summary, good_requests),
        "exit_code": exit_code,
        "messages": messages,
        "parts": tuple(LoadPart(**dict(part)) for part in summary.parts),
    }
    window = (summary.started_ms, summary.started_ms + window_s * 1000)
    return LoadOutcome(result=LoadResult(**fields), window=window)


def _validated(text: str, params: LoadParams, messages: tuple[str, ...]) -> Summary:
    try:
        summary = Summary.model_validate_json(text)
    except ValidationError as error:
        first_error = error.errors()[0]
        location = ".".join(str(part) for part in first_error["loc"])
        problem = f"k6's summary of the phase {params.phase} is garbled: {location} {first_error['msg']}."
        raise LoadFailed("summary", problem, messages) from error
    if (summary.phase, summary.executor) != (params.phase, params.executor):
        problem = f"k6's summary is of the phase {summary.phase} ({summary.executor}), not of {params.phase}."
        raise LoadFailed("summary", problem, messages)
    if (
        len(summary.latency_ms) != len(QUANTILES)
        or len(summary.connecting_ms) not in (0, len(QUANTILES))
        or summary.failed + summary.late > summary.requests
        or any(len(part.latency_ms) != len(PART_QUANTILES) for part in summary.parts)
        or sum(part.requests for part in summary.parts if part.request is None)
        != (summary.requests if params.use_cases else 0)
    ):
        problem = f"k6's summary of the phase {params.phase} does not add up."
        raise LoadFailed("summary", problem, messages)
    return summary


def _reused(summary: Summary) -> float | None:
    """Return the greatest quantile of requests that waited for no connection; None if this time is unknown."""
    if not summary.connecting_ms:
        return None
    return max(
        (quantile for quantile, ms in zip(QUANTILES, summary.connecting_ms, strict=True) if ms == 0),
        default=0.0,
    )


def _statuses(summary: Summary, good: int) -> dict[str, int]:
    """Return the answers by class of status; the expected status of every operation is a 2xx."""
    statuses = dict(summary.statuses)
    if good > 0:
        statuses["2xx"] = statuses.get("2xx", 0) + good
    return dict(sorted(statuses.items()))


def merged(outcomes: Sequence[LoadOutcome], unsure_ms: float = 0.0) -> LoadOutcome:
    """Merge the outcomes of several processes: counts are summed, latencies mixed, the worst lag and each start are
    kept. The clocks of two processes may differ by `unsure_ms`.
    """
    if len(outcomes) == 1:
        return outcomes[0]
    starts_ms, ends_ms = zip(*(outcome.window for outcome in outcomes), strict=True)
    began_ms = tuple(round(start_ms - min(starts_ms), 3) for start_ms in starts_ms)
    result = _merged_results([outcome.result for outcome in outcomes])
    return LoadOutcome(
        result=result.model_copy(update={"began_ms": began_ms, "began_unsure_ms": unsure_ms}),
        window=(min(starts_ms), max(ends_ms)),
    )


def _merged_results(results: Sequence[LoadResult]) -> LoadResult:
    first = results[0]
    latencies = _mixed_quantiles(
        ((result.latency_ms, result.latency_max_ms, result.requests) for result in results), QUANTILES
    )
    statuses: Counter[str] = Counter()
    for result in results:
        statuses.update(result.statuses)
    return first.model_copy(
        update={
            **{name: sum(getattr(result, name) for result in results) for name in _SUMS},
            **{name: _total([getattr(result, name) for result in results]) for name in _KNOWN_SUMS},
            "latency_mean_ms": _mean([(result.latency_mean_ms, result.requests) for result in results]),
            "latency_min_ms": _chosen(min, [result.latency_min_ms for result in results]),
            "latency_max_ms": _chosen(max, [result.latency_max_ms for result in results]),
            "latency_ms": latencies,
            "lag_p99_ms": _chosen(max, [result.lag_p99_ms for result in results]),
            "lag_max_ms": _chosen(max, [result.lag_max_ms for result in results]),
            "statuses": dict(sorted(statuses.items())),
            "exit_code": max(result.exit_code for result in results),
            "messages": tuple(dict.fromkeys(text for result in results for text in result.messages)),
            "parts": _merged_parts(results),
            "reused": _mean([(result.reused, result.requests) for result in results]),
            "batch_threads": _mean([(result.batch_threads, result.requests) for result in results]),
        }
    )


def cycles_merged(results: Sequence[LoadResult], phase: str) -> LoadResult:
    """Merge the cycles of a phase into one result over the time of all of them."""
    window_s = math.fsum(result.window_s for result in results)
    return _merged_results(results).model_copy(update={"phase": phase, "window_s": window_s})


_SUMS = (
    *("requests", "completed", "failed", "dropped", "checks_passed", "checks_failed", "writes"),
    *("received_bytes", "sent_bytes", "connect_errors", "timeouts"),
)

# These sums are None if the load had nothing to compare with.
_KNOWN_SUMS = ("wrong_length", "fresh")

_Sample = tuple[tuple[float, ...], float | None, int]


def _merged_parts(results: Sequence[LoadResult]) -> tuple[LoadPart, ...]:
    by_key: dict[tuple[str, str | None], list[LoadPart]] = {}
    for part in (part for result in results for part in result.parts):
        by_key.setdefault((part.use_case, part.request), []).append(part)
    return tuple(
        LoadPart(
            use_case=use_case,
            request=request,
            requests=sum(part.requests for part in parts),
            latency_mean_ms=_mean([(part.latency_mean_ms, part.requests) for part in parts]) or 0.0,
            latency_max_ms=max(part.latency_max_ms for part in parts),
            latency_ms=_mixed_quantiles(
                ((part.latency_ms, part.latency_max_ms, part.requests) for part in parts), PART_QUANTILES
            ),
        )
        for (use_case, request), parts in by_key.items()
    )


def _mixed_quantiles(samples: Iterable[_Sample], quantiles: tuple[float, ...]) -> tuple[float, ...]:
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


def _chosen(choose: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return choose(known) if known else None
