"""Write the answer of `./bench history`: as one JSON document, or as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plumbline.figures.metrics import METRICS
from plumbline.figures.series import rounded
from plumbline.history.alerts import UNSOLVED, ratios
from plumbline.history.analysis import SeriesAnalysis
from plumbline.history.levels import Level, LevelGroup
from plumbline.history.noise import PROMISED, EqualSides
from plumbline.history.points import Point, differing
from plumbline.history.series import FigureSeries, FoundChange, SeriesSegment
from plumbline.judge.wording import counted, percent
from plumbline.report.parts.naming import signed
from plumbline.stats.amounts import farthest
from plumbline.stats.interval import Interval


def document(seen: SeriesAnalysis, equal: EqualSides | None, unreadable: Sequence[str]) -> dict[str, Any]:
    """Return the whole analysis as one JSON document.

    `equal` is the rate at which equal sides were told apart (None without such a session), `unreadable` are the
    records left out. `index` counts the points of a series from 0; ratios are of the new level over the old level.
    """
    return {
        "series": [_series(one, its) for one, its in zip(seen.series, seen.segments, strict=True)],
        "changes": [_change(one) for one in seen.found],
        "alerts": [alert.model_dump(mode="json") for alert in seen.alerts],
        "candidates": [
            {"alert": one.alert, "command": one.command, "reason": one.reason} for one in seen.candidates
        ],
        "equal_sides": None
        if equal is None
        else {
            "sessions": equal.sessions,
            "flagged": list(equal.flagged),
            "rate": rounded(equal.rate),
            "interval": [rounded(equal.low), rounded(equal.high)],
            "promised": PROMISED,
        },
        "unreadable": list(unreadable),
    }


def levels_document(metric: str, groups: Sequence[LevelGroup], unreadable: Sequence[str]) -> dict[str, Any]:
    """Return where each subject stands by a metric as one JSON document; `unreadable` are the records left out."""
    its = METRICS[metric]
    return {
        "metric": metric,
        "title": its.title,
        "unit": its.unit,
        "better": its.better,
        "groups": [
            {
                "host": one.host,
                "scenario": one.scenario,
                "phase": one.phase,
                "until": {"t": one.until.t, "session": one.until.session},
                "levels": [_level(row) for row in one.rows],
                "control": None if one.control is None else _level(one.control),
                "elsewhere": [_level(row) for row in one.elsewhere],
            }
            for one in groups
        ],
        "unreadable": list(unreadable),
    }


def lines(seen: SeriesAnalysis, equal: EqualSides | None) -> Iterator[str]:
    """Yield lines for people: changes, alerts that wait for somebody, and the commands that confirm them."""
    sessions = {one.points.nights.session[at] for one in seen.series for at in one.points.columns.at}
    yield f"{len(seen.series)} series of {counted(len(sessions), 'session')}, {counted(len(seen.found), 'change')}."
    for one in seen.found:
        _, low, high = ratios(one)
        word = {True: "worse", False: "better", None: "changed"}[one.worse]
        base = "to the control" if one.against_control else "as measured"
        interval = f"{signed((low - 1) * 100)} to {signed((high - 1) * 100)} %"
        yield f"  {one.series.points[one.index].t}  {one.series.id}"
        yield f"      {word} by {farthest([one.change.difference])} ({interval}, {base})"
        for label in _labels(one.series.points[one.before_index], one.series.points[one.index]):
            yield f"      with {label['label']}: {label['from']} -> {label['to']}"
    for alert in seen.alerts:
        if alert.state in UNSOLVED:
            yield f"Alert {alert.id} ({alert.state}: {alert.reason}): {alert.series} since {alert.t}."
    for candidate in seen.candidates:
        yield f"  confirm {candidate.alert}: {candidate.command or candidate.reason}"
    if equal is not None:
        yield (
            f"Equal sides (A/A): {len(equal.flagged)} of {counted(equal.sessions, 'session')} called them faster or "
            f"slower: {percent(equal.rate)}, 95 % interval {percent(equal.low)} to {percent(equal.high)}; promised "
            f"{percent(PROMISED)}."
        )


def _series(series: FigureSeries, parts: Sequence[SeriesSegment]) -> dict[str, Any]:
    return {
        "id": series.id,
        "subject": series.subject or None,
        "scenario": series.scenario or None,
        "phase": series.phase or None,
        "metric": series.metric or None,
        "host": series.host or None,
        "points": len(series.points),
        "segments": [
            {
                "first_index": part.indices[0],
                "points": len(part.indices),
                "against_control": part.against_control,
                "differs": list(differing(parts[number - 1].environment, part.environment)) if number else [],
            }
            for number, part in enumerate(parts)
        ],
        "annotations": [
            {"index": index, "t": series.points[index].t, **label}
            for index in series.points.turns()
            for label in _labels(series.points[index - 1], series.points[index])
        ],
    }


def _level(level: Level) -> dict[str, Any]:
    since, until = level.since, level.until
    return {
        "subject": level.series.subject,
        "class": level.series.data_access,
        "sessions": level.sessions,
        **_interval(level.value),
        "of_control": None if level.of_control is None else _interval(level.of_control),
        "since": {"t": since.t, "session": since.session, "commit": since.commit},
        "until": {"t": until.t, "session": until.session, "commit": until.commit},
        "change": None if level.change is None else _change(level.change),
        "differs": list(level.differs),
    }


def _interval(its: Interval) -> dict[str, Any]:
    ends = None if its.low is None or its.high is None else [rounded(its.low), rounded(its.high)]
    return {"value": rounded(its.mean), "interval": ends, "confidence": its.confidence}


def _change(found: FoundChange) -> dict[str, Any]:
    before, after = found.series.points[found.before_index], found.series.points[found.index]
    ratio, low, high = ratios(found)
    return {
        "series": found.series.id,
        "index": found.index,
        "t": after.t,
        "session": after.session,
        "ratio": ratio,
        "interval": [low, high],
        "p": rounded(found.change.p),
        "worse": found.worse,
        "against_control": found.against_control,
        "of_control": found.series.control,
        "commits": [before.commit, after.commit],
        "labels": _labels(before, after),
    }


def _labels(before: Point, after: Point) -> list[dict[str, str | None]]:
    if before.labels == after.labels:
        return []
    return [
        {"label": name, "from": before.labels.get(name), "to": after.labels.get(name)}
        for name in differing(before.labels, after.labels)
    ]
