"""Standings: who is ahead on each host by each measure of a scenario, and what changed since the session before."""

from __future__ import annotations

from typing import Literal

from plumbline.figures.metrics import Better
from plumbline.model.base import Frozen
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.model.record import Verdict
from .base import Document, Link

ChangeWord = Literal["new", "better", "worse", "equivalent", "inconclusive"]


class Since(Frozen):
    """A subject against the session before, by the ratio to the control (as measured where there is no control).

    `ratio` is now over then, with its 99 % interval. `word` is `equivalent` where the interval lies within 2 %, and
    `inconclusive` where neither that nor a difference is shown; `new`: it was not there. `text` says it in words.
    """

    word: ChangeWord
    ratio: float | None
    low: float | None
    high: float | None
    text: str


class RunBar(Frozen):
    """One subject by one metric. `text` is mean and interval for people, in the shown unit.

    `rank` is None for the control and where nothing is ranked. `ratio` is mean over the control's. `refused` trials are
    invalid and in no figure.
    """

    subject: str
    rank: int | None
    text: str
    ratio: float | None
    trials: int
    refused: int


class Bar(RunBar):
    """A bar of a chart: the value of a subject by a metric, across sessions.

    `rank` is among the subjects of one class of `data_access`, and shared by those that can't be told apart (`tied`);
    None for the control, below three blocks and for what may still have been `warming_up`. `gap` says how far it is
    behind a leader for sure, else is empty.
    """

    short: str
    mark: int | None
    mean: float | None
    data_access: AccessClass | None
    tied: bool
    low: float | None
    high: float | None
    since: Since | None
    gap: str
    warming_up: bool


class ClassSaid(Frozen):
    """The result of one class of data access in a sentence; `title` is empty where there is one class alone."""

    data_access: AccessClass
    title: str
    said: str


class MetricTable(Frozen):
    """The subjects by a metric of a phase, class by class, best first. `said` is the result in quotable words.

    `sound`: means something on this class of host. `warming_up`: of programs that may not have been steady, and so
    without any order.
    """

    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    better: Better
    sound: bool
    said: str
    warming_up: bool


class RunTable(MetricTable):
    """The subjects by a primary metric of a phase in a session; the control stands last."""

    scenario: str
    bars: tuple[RunBar, ...]


class Table(MetricTable):
    """The subjects by a metric of a phase in `session`, the newest one that could decide their order.

    `classes` has what is said by class. `before` is the session that changes are against. `confidence` is that of the
    intervals; bars of a metric that is measured once (`build_wall_s`) have none.
    """

    session: Link
    before: Link | None
    per: float
    confidence: float
    classes: tuple[ClassSaid, ...]
    bars: tuple[Bar, ...]
    control: Bar | None


class Refusal(Frozen):
    """Why trials were refused: a rule (None: the trial did not reach its end), how many, and one reading."""

    rule: str | None
    title: str
    trials: int
    reading: str


class SessionSaid(Frozen):
    """The trials of one scenario in one session, in counts and words.

    `verdict` is the word on the trials that count: `valid` or `advisory`. `steady` says whether the phases were proven
    steady.
    """

    session: Link
    suite: str
    steady: str
    verdict: Verdict
    measured: int
    refused: int
    refusals: tuple[Refusal, ...]
    cautions: tuple[str, ...]


class Standings(SessionSaid):
    """The tables of one scenario on one host, and the session of the first table.

    A table of another session names that session, which is one of `others`. `passed_over` are newer sessions in which
    nothing counted. `heading` is what the tables may be called: results of a host that is not made for measuring are no
    standings.
    """

    host: str
    host_class: HostClass
    scenario: str
    before: Link | None
    heading: str
    passed_over: tuple[Link, ...]
    others: tuple[SessionSaid, ...]
    tables: tuple[Table, ...]


class Overview(Document):
    """`api/v1/overview.json`, and the first page: hosts of class lab first, then shared, then small."""

    kind: Literal["overview"] = "overview"
    standings: tuple[Standings, ...]
    open_alerts: int
    sessions: int
    left_out_records: int
