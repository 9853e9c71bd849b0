"""Reads the summary of a phase, the JSON file that a scenario leaves."""

from __future__ import annotations

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt, ValidationError

from plumbline.model.base import Frozen
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import PART_QUANTILES, QUANTILES, LoadPart, LoadResult
from .params import LoadParams

Why = Literal["died", "hung", "stopped", "script", "summary"]


class LoadFailed(AnswerIsNo):
    """k6 gave no result for a phase: the trial is invalid, the session goes on. `tail` is the end of k6's log."""

    def __init__(self, why: Why, problem: str, tail: tuple[str, ...] = ()) -> None:
        super().__init__(problem, "See k6's log of the phase in the session's folder.")
        self.why = why
        self.tail = tail


class LoadOutcome(Frozen):
    """The counts of k6 in one phase, and their time: `window` is (start, end) of the load in milliseconds since the
    epoch, `changed` the time when a served row had another text, in seconds of the monotonic clock.
    """

    result: LoadResult
    window: tuple[float, float]
    changed: tuple[float, float] | None = None


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
    batch_threads: float | None = None


def parse(text: str, params: LoadParams, exit_code: int = 0, messages: tuple[str, ...] = ()) -> LoadOutcome:
    """Return the outcome of a phase from its summary. Raises LoadFailed when the text is no summary of that phase.

    `completed` counts good answers that arrived within the window. Cycles of warm-up are constant VUs, each
    cycle.
    """
    summary = _read(text, params, messages)
    if summary.started_ms is None or summary.requests == 0:
        raise LoadFailed("summary", f"k6 made no request in the phase {params.phase}.", messages)
    good = summary.requests - summary.failed
    window_s = params.cycles * (params.duration_s + params.pause_s)
    opened = params.executor == "constant-arrival-rate"
    grid = tuple(value for value in summary.latency_ms if value is not None)
    result = LoadResult(
        phase=summary.phase,
        executor="constant-arrival-rate" if opened else "constant-vus",
        connections=None if opened else params.vus,
        rate_per_s=params.rate_per_s if opened else None,
        window_s=window_s,
        requests=summary.requests,
        completed=good - summary.late,
        failed=summary.failed,
        dropped=summary.dropped,
        checks_passed=summary.checks_passed,
        checks_failed=summary.checks_failed,
        writes=summary.writes,
        wrong_length=summary.wrong_length,
        fresh=summary.fresh,
        latency_mean_ms=summary.latency_mean_ms,
        latency_min_ms=summary.latency_min_ms,
        latency_max_ms=summary.latency_max_ms,
        latency_ms=grid,
        lag_p99_ms=summary.lag_p99_ms,
        lag_max_ms=summary.lag_max_ms,
        received_bytes=summary.received_bytes,
        sent_bytes=summary.sent_bytes,
        connect_errors=summary.connect_errors,
        timeouts=summary.timeouts,
        statuses=_statuses(summary, good),
        exit_code=exit_code,
        messages=messages,
        parts=tuple(LoadPart(**dict(part)) for part in summary.parts),
        batch_threads=summary.batch_threads,
    )
    return LoadOutcome(result=result, window=(summary.started_ms, summary.started_ms + window_s * 1000))


def _read(text: str, params: LoadParams, messages: tuple[str, ...]) -> Summary:
    try:
        summary = Summary.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = f"k6's summary of the phase {params.phase} is garbled: {where} {first['msg']}."
        raise LoadFailed("summary", problem, messages) from error
    if (summary.phase, summary.executor) != (params.phase, params.executor):
        problem = f"k6's summary is of the phase {summary.phase} ({summary.executor}), not of {params.phase}."
        raise LoadFailed("summary", problem, messages)
    if (
        len(summary.latency_ms) != len(QUANTILES)
        or summary.failed + summary.late > summary.requests
        or any(len(part.latency_ms) != len(PART_QUANTILES) for part in summary.parts)
        or sum(part.requests for part in summary.parts if part.request is None)
        != (summary.requests if params.use_cases else 0)
    ):
        problem = f"k6's summary of the phase {params.phase} does not add up."
        raise LoadFailed("summary", problem, messages)
    return summary


def _statuses(summary: Summary, good: int) -> dict[str, int]:
    """Return the answers by class of status; the expected status of every operation is a 2xx."""
    statuses = dict(summary.statuses)
    if good > 0:
        statuses["2xx"] = statuses.get("2xx", 0) + good
    return dict(sorted(statuses.items()))
