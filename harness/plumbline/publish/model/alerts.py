"""Alerts: changes for the worse, open and closed."""

from __future__ import annotations

from typing import Literal

from plumbline.history.alerts import State
from plumbline.model.base import Frozen
from .base import Document
from .series import Difference


class AlertEntry(Frozen):
    """An alert; `ratio` is new level over old with its 95 % interval, `page` where the change is to be seen.

    `command` confirms an open one; where there is none, `why_not` says why. `data` is the path of its series, None
    when that is no longer there.
    """

    id: str
    state: State
    reason: str
    worse: bool | None
    series: str
    data: str | None
    host: str | None
    subject: str | None
    scenario: str | None
    phase: str | None
    metric: str | None
    title: str
    session: str
    t: int
    ratio: float
    low: float
    high: float
    cause: tuple[Difference, ...]
    command: str | None
    why_not: str | None
    page: str


class AlertsFile(Document):
    """`api/v1/alerts.json`: those that wait for somebody first, each group newest first."""

    kind: Literal["alerts"] = "alerts"
    open: tuple[AlertEntry, ...]
    closed: tuple[AlertEntry, ...]
