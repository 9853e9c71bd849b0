"""Alerts are changes for the worse. The id and the state of an alert do not depend on how often records are analysed.

The file of all alerts is read and written here too.

            a change for the worse
                     |
                     v
      +----------- open ------------+
      | compare: slower             | compare: equivalent or faster,
      v                             v or later sessions take the change back
  confirmed                      cleared
      |
      |   (open or confirmed) a later change brings the level back
      +---------> fixed
      |   (open or confirmed) a person accepts the new level
      +---------> cleared

Cleared and fixed are ends: what happens afterwards is another alert. A level can't be seen to come back in another
environment, so that only a person ends a confirmed alert there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence, Set
from math import exp
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from plumbline.archive.record.difference import first_problem
from plumbline.archive.record.files import canonical_bytes, write_whole
from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.verdicts.figures.series import rounded
from .series import SAME_WITHIN, FigureSeries, FoundChange

State = Literal["open", "confirmed", "cleared", "fixed"]
Word = Literal["faster", "slower", "equivalent", "inconclusive", "accepted"]
UNSOLVED: tuple[State, ...] = ("open", "confirmed")

_Ratio = Annotated[float, Field(gt=0)]

_UNCONFIRMED = "a change that nobody has confirmed"
_TAKEN_BACK = "the change does not stand with the sessions since"


class Alert(Frozen):
    """A change for the worse, and its state. `session` and `t` are the first session at the new level and its
    time, as of the analysis that opened the alert. The id is made of the session and the series.

    `ratio` is the new level over the old one, `low` and `high` are its 95 % interval, all as of the last analysis;
    `reason` says why the alert is in its state.
    """

    id: str
    series: str
    session: str
    t: str | float
    state: State
    reason: str
    worse: bool | None
    ratio: _Ratio
    low: _Ratio
    high: _Ratio


def advance(
    known_alerts: Sequence[Alert],
    series: Iterable[FigureSeries],
    found_changes: Iterable[FoundChange],
    verdicts: Mapping[str, Word],
) -> tuple[Alert, ...]:
    """Return the alerts after an analysis of all series: the known ones in their order, then the new ones.

    `verdicts` holds the verdicts of `compare` or of a person on alerts, by the alert's id. Alerts of a series that is
    not among `series` stay as they are, unless a person accepts them.
    """
    by_id = {figure_series.id: figure_series for figure_series in series}
    candidates = [
        candidate for candidate in found_changes if candidate.worse is not False and not candidate.series.control
    ]
    matched = _matched(known_alerts, candidates)
    taken = set(matched.values())
    alerts = [
        _after_analysis(
            alert,
            candidates[matched[alert.id]] if alert.id in matched else None,
            alert.series in by_id,
            verdicts.get(alert.id),
        )
        for alert in known_alerts
    ]
    ids = {alert.id for alert in alerts}
    for number, candidate in enumerate(candidates):
        if number not in taken:
            alert = _new_alert(candidate, ids)
            ids.add(alert.id)
            alerts.append(_after_analysis(alert, candidate, True, verdicts.get(alert.id)))
    return tuple(alerts)


def distance(alert: Alert, found_change: FoundChange) -> int | None:
    """Return how many points lie between an alert and a change that may be its own; None for a change that can't be."""
    if found_change.series.id != alert.series or (found_change.change.ratio > 1) != (alert.ratio > 1):
        return None
    if alert.state not in UNSOLVED and not _taken_back(alert):
        # What ended the alert was said of a change of its size.
        _, low, high = ratios(found_change)
        if high < alert.low or low > alert.high:
            return None
    between = abs(found_change.index - found_change.series.points.find(alert.session, alert.t))
    return between if between <= SAME_WITHIN else None


def _matched(alerts: Sequence[Alert], candidates: Sequence[FoundChange]) -> dict[str, int]:
    """Return the index of each alert's change among the candidates, for the alerts whose change was found.

    A change belongs to one alert: to an unsolved one before a solved one, then to the nearest.
    """
    places: dict[str, list[int]] = {}
    for index, candidate in enumerate(candidates):
        places.setdefault(candidate.series.id, []).append(index)
    pairs: list[tuple[int, int, int, str]] = []
    for alert in alerts:
        pairs.extend(
            (_turn(alert), between, index, alert.id)
            for index in places.get(alert.series, ())
            if (between := distance(alert, candidates[index])) is not None
        )
    matched: dict[str, int] = {}
    taken: set[int] = set()
    for _, _, index, alert_id in sorted(pairs):
        if index not in taken and alert_id not in matched:
            matched[alert_id] = index
            taken.add(index)
    return matched


def _turn(alert: Alert) -> int:
    """Return the turn of an alert to choose its change: the unsolved alerts, then those at an end, then the rest."""
    if alert.state in UNSOLVED:
        return 0
    return 2 if _taken_back(alert) else 1


def _taken_back(alert: Alert) -> bool:
    return alert.state == "cleared" and alert.reason == _TAKEN_BACK


def _new_alert(found_change: FoundChange, ids: Set[str]) -> Alert:
    point = found_change.series.points[found_change.index]
    alert_id = _hash(f"{found_change.series.id}\n{point.session}")
    while alert_id in ids:
        # An alert at an end may have been of another change at the same session.
        alert_id = _hash(alert_id)
    return _with_ratio(
        Alert(
            id=alert_id,
            series=found_change.series.id,
            session=point.session,
            t=point.t,
            state="open",
            reason=_UNCONFIRMED,
            worse=found_change.worse,
            ratio=1.0,
            low=1.0,
            high=1.0,
        ),
        found_change,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _after_analysis(alert: Alert, found_change: FoundChange | None, analysed: bool, verdict: Word | None) -> Alert:
    """Return the alert as an analysis leaves it.

    `found_change` is the alert's change as this analysis finds it, None where it no longer finds the change. `analysed`
    says whether the series of the alert was among those analysed.
    """
    if found_change is not None and _taken_back(alert):
        alert = _in_state(alert, "open", _UNCONFIRMED)
    if alert.state not in UNSOLVED:
        return alert
    if found_change is not None:
        alert = _with_ratio(alert, found_change)
    if verdict == "accepted":
        return _in_state(alert, "cleared", "a person accepts the new level")
    if alert.state == "open" and verdict is not None:
        confirms = verdict == "slower" or (alert.worse is None and verdict == "faster")
        if confirms:
            alert = _in_state(alert, "confirmed", f"compare says {verdict}")
        elif verdict != "inconclusive":
            alert = _in_state(alert, "cleared", f"compare says {verdict}")
    if alert.state in UNSOLVED and found_change is not None and found_change.back is not None:
        return _in_state(alert, "fixed", f"the level is back since {found_change.series.points[found_change.back].t}")
    if alert.state == "open" and found_change is None and analysed:
        return _in_state(alert, "cleared", _TAKEN_BACK)
    return alert


def _in_state(alert: Alert, state: State, reason: str) -> Alert:
    return alert.model_copy(update={"state": state, "reason": reason})


def _with_ratio(alert: Alert, found_change: FoundChange) -> Alert:
    ratio, low, high = ratios(found_change)
    return alert.model_copy(update={"ratio": ratio, "low": low, "high": high})


def ratios(found_change: FoundChange) -> tuple[float, float, float]:
    """Return the ratio of the new level to the old one, with its interval, rounded as figures are."""
    change = found_change.change
    return rounded(exp(change.difference)), rounded(exp(change.low)), rounded(exp(change.high))


NAME = "alerts.json"


class Ledger(Frozen):
    """All alerts ever opened, in the order in which they were opened."""

    alerts: tuple[Alert, ...] = ()


def read_ledger(data: Path) -> Ledger:
    """Return the ledger of a folder, empty when there is none. Raises UsageError when it is damaged."""
    path = data / NAME
    try:
        return Ledger.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Ledger()
    except ValidationError as error:
        raise UsageError(f"{path}: {first_problem(error)}.", "Restore it from the data branch.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read ({error}).", "Restore it from the data branch.") from None


def write_ledger(data: Path, alerts: tuple[Alert, ...]) -> None:
    """Write the alerts to the ledger, for the next analysis."""
    write_whole(data / NAME, canonical_bytes(Ledger(alerts=alerts)))
