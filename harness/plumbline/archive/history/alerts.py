"""Alerts: changes for the worse, each with an id and a life that do not depend on how often one looks; and their file.

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

Cleared and fixed are ends: what happens afterwards is another alert.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from plumbline.archive.record.difference import first_problem
from plumbline.archive.record.files import canonical_bytes, write_whole
from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.verdicts.figures.series import rounded
from .series import FigureSeries, FoundChange

State = Literal["open", "confirmed", "cleared", "fixed"]
Word = Literal["faster", "slower", "equivalent", "inconclusive"]
UNSOLVED: tuple[State, ...] = ("open", "confirmed")

# More sessions move a change point by a few; within so many it is the same change.
SAME_WITHIN = 5


class Alert(Frozen):
    """A change for the worse, and its state. `session` and `t` are the first session at the new level as first seen,
    and make the id with the series.

    `ratio` is new level over old, `low` and `high` its 95 % interval, all as of the last analysis; `reason` says why
    it is in its state.
    """

    id: str
    series: str
    session: str
    t: str | float
    state: State
    reason: str
    worse: bool | None
    ratio: float
    low: float
    high: float


def advance(
    known: Sequence[Alert],
    series: Iterable[FigureSeries],
    found: Iterable[FoundChange],
    verdicts: Mapping[str, Word],
) -> tuple[Alert, ...]:
    """Return the alerts after an analysis of all series: those known, in their order, then the new ones.

    `verdicts` holds what `compare` said of an alert, by id. A series that is not among `series` keeps its alerts as
    they were.
    """
    by_id = {one.id: one for one in series}
    candidates = [one for one in found if one.worse is not False and not one.series.control]
    matched: dict[str, FoundChange] = {}
    taken: set[int] = set()
    for alert in known:
        its = by_id.get(alert.series)
        place = None if its is None else its.points.find(alert.session)
        for number, one in enumerate(candidates):
            same = one.series.id == alert.series and (one.change.ratio > 1) == (alert.ratio > 1)
            if place is not None and same and number not in taken and abs(one.index - place) <= SAME_WITHIN:
                matched[alert.id] = one
                taken.add(number)
                break
    after = [
        _step(alert, matched.get(alert.id), alert.series in by_id, verdicts.get(alert.id)) for alert in known
    ]
    ids = {alert.id for alert in after}
    for number, one in enumerate(candidates):
        if number not in taken and (alert := _opened(one)).id not in ids:
            ids.add(alert.id)
            after.append(_step(alert, one, True, verdicts.get(alert.id)))
    return tuple(after)


def _opened(found: FoundChange) -> Alert:
    point = found.series.points[found.index]
    name = hashlib.sha256(f"{found.series.id}\n{point.session}".encode()).hexdigest()[:12]
    return _measured(
        Alert(
            id=name,
            series=found.series.id,
            session=point.session,
            t=point.t,
            state="open",
            reason="a change that nobody has confirmed",
            worse=found.worse,
            ratio=1.0,
            low=1.0,
            high=1.0,
        ),
        found,
    )


def _step(alert: Alert, found: FoundChange | None, looked: bool, word: Word | None) -> Alert:
    """Return the alert as an analysis leaves it; `found` is its change as it stands, None when it stands no longer."""
    if alert.state not in UNSOLVED:
        return alert
    if found is not None:
        alert = _measured(alert, found)
    if alert.state == "open" and word is not None:
        against = word == "slower" or (alert.worse is None and word == "faster")
        if against:
            alert = _moved(alert, "confirmed", f"compare says {word}")
        elif word != "inconclusive":
            alert = _moved(alert, "cleared", f"compare says {word}")
    if alert.state in UNSOLVED and found is not None and found.back is not None:
        return _moved(alert, "fixed", f"the level is back since {found.series.points[found.back].t}")
    if alert.state == "open" and found is None and looked:
        return _moved(alert, "cleared", "the change does not stand with the sessions since")
    return alert


def _moved(alert: Alert, state: State, reason: str) -> Alert:
    return alert.model_copy(update={"state": state, "reason": reason})


def _measured(alert: Alert, found: FoundChange) -> Alert:
    ratio, low, high = ratios(found)
    return alert.model_copy(update={"ratio": ratio, "low": low, "high": high})


def ratios(found: FoundChange) -> tuple[float, float, float]:
    """Return the ratio of the new level to the old one, with its interval, rounded as figures are."""
    change = found.change
    return rounded(exp(change.difference)), rounded(exp(change.low)), rounded(exp(change.high))


NAME = "alerts.json"


class Ledger(Frozen):
    """All alerts ever opened, in the order in which they were."""

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
    """Keep the alerts for the next analysis."""
    write_whole(data / NAME, canonical_bytes(Ledger(alerts=alerts)))
