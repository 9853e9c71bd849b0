"""The documents of a trend chart (columns of equal length, and the events of the series) and of the alerts."""

from __future__ import annotations

from typing import Literal

from plumbline.archive.history.alerts import State
from plumbline.model.base import Frozen
from plumbline.model.record import Verdict
from plumbline.verdicts.figures.metrics import Better
from .base import Document


class Columns(Frozen):
    """Points by time. `value` is the geometric mean over the trials that count, to 6 digits; `ratio` is this
    value over the control's of the same session, to 5 digits (None without a control).

    `half` is half the 99 % interval of `value` in logarithms: low = value * exp(-half), high = value * exp(half); None
    below three trials. `ratio_half` is the same for `ratio`, to which the scatter of both sides adds; None where the
    subject or the control has fewer than three trials. `verdict` is the worst of the trials
    that count (`valid` or `advisory`); a session whose trials are all refused, or whose phase was not proven steady,
    has no point.
    """

    t: tuple[int, ...]
    session: tuple[str, ...]
    value: tuple[float, ...]
    ratio: tuple[float | None, ...]
    half: tuple[float | None, ...]
    ratio_half: tuple[float | None, ...]
    verdict: tuple[Verdict, ...]


class Refused(Frozen):
    """A session without a point: a gap in the line with a reason.

    Every trial of this subject and scenario was refused, or (`unsteady`) the phase was not proven steady.
    """

    t: int
    session: str
    reason: str
    unsteady: bool = False


class Difference(Frozen):
    """A difference between two points: a component of the environment, or a label of what is measured. None: it is
    absent.
    """

    name: str
    before: str | None
    after: str | None


class Segment(Frozen):
    """Points measured in one environment. `first` is the index of its first point in the whole series.

    Changes are looked for inside of segments. `differs` lists the differences to the segment before (the first segment
    has none).
    """

    first: int
    t: int
    points: int
    against_control: bool
    differs: tuple[Difference, ...]


class Annotation(Frozen):
    """A labelled line: from this point on, something differs from the point before. `annotations` are of what is
    measured (the framework's build, the JDK, the flags), `turns` are of the environment.
    """

    index: int
    t: int
    changes: tuple[Difference, ...]


class Life(Frozen):
    """The alert of a change; a change may have no alert."""

    alert: str
    state: State
    reason: str


class ChangePoint(Frozen):
    """A change of level at a point. `ratio` is new level over old with its 95 % interval.

    `worse` is None where neither direction is worse. `cause` lists what changed at the same point, `commits` has the
    commits before and after.
    `back` is the index of the change that brought the level back.
    """

    index: int
    t: int
    session: str
    ratio: float
    low: float
    high: float
    p: float
    worse: bool | None
    against_control: bool
    of_control: bool
    back: int | None
    commits: tuple[str | None, str | None]
    cause: tuple[Difference, ...]
    life: Life | None


class Part(Frozen):
    """An older part of a series, in a file of its own; `first` is the index of its first point."""

    path: str
    first: int
    points: int
    from_t: int
    to_t: int


class SeriesPart(Document):
    """`api/v1/series/…/<n>.json`: 500 older points, and the sessions without a point until the next part begins. Never
    changes again.
    """

    kind: Literal["series-part"] = "series-part"
    id: str
    first: int
    columns: Columns
    refused: tuple[Refused, ...]


class SeriesFile(Document):
    """`api/v1/series/….json`: the newest 500 to 1,000 points of a series; `older` has the rest, oldest first.

    Indices count the whole series from 0; `first` is the index of the first row of `columns`. `min_range` is the least
    relative height of the y axis (0.1: 10 % of the median), so that noise looks like noise. `turns` are the points
    before which the environment changed; unlike `segments` they also tell where an earlier environment comes back.
    """

    kind: Literal["series"] = "series"
    id: str
    host: str
    subject: str
    scenario: str
    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    per: float
    better: Better | None
    sound: bool
    min_range: float
    points: int
    first: int
    columns: Columns
    older: tuple[Part, ...]
    refused: tuple[Refused, ...]
    segments: tuple[Segment, ...]
    annotations: tuple[Annotation, ...]
    turns: tuple[Annotation, ...]
    changes: tuple[ChangePoint, ...]


class AlertEntry(Frozen):
    """An alert; `ratio` is new level over old with its 95 % interval, `page` shows the change.

    `command` confirms an open alert; where there is no command, `why_not` says why. `data` is the path of the alert's
    series, None where the series no longer exists.
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
    """`api/v1/alerts.json`: first the alerts that wait for somebody, then the closed ones; each group newest first."""

    kind: Literal["alerts"] = "alerts"
    open: tuple[AlertEntry, ...]
    closed: tuple[AlertEntry, ...]
