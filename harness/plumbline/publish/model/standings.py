"""Standings: who is ahead in the newest session of each host and scenario, and what changed since the one before."""

from __future__ import annotations

from typing import Literal

from plumbline.figures.metrics import Better
from plumbline.model.base import Frozen
from plumbline.model.finding import Verdict
from plumbline.model.host import HostClass
from .base import Document, Link

ChangeWord = Literal["new", "same", "better", "worse"]


class Since(Frozen):
    """A subject against the session before, by the ratio to the control (as measured where there is no control).

    `ratio` is now over then. `word` is `same` as long as the 95 % interval of `ratio` holds 1; `new`: it was not there.
    """

    word: ChangeWord
    ratio: float | None
    low: float | None
    high: float | None
    rank_before: int | None


class Bar(Frozen):
    """One subject by one metric. `text` is mean and interval for people, in the shown unit.

    `rank` is shared by those that can't be told apart (`tied`); None for the control and below two trials. `ratio` is
    mean over the control's. `refused` trials are invalid and in no figure.
    """

    subject: str
    short: str
    mark: int | None
    rank: int | None
    tied: bool
    mean: float | None
    low: float | None
    high: float | None
    text: str
    ratio: float | None
    trials: int
    refused: int
    since: Since | None


class Table(Frozen):
    """One metric of one phase, best first. `said` is the result in a sentence that may be quoted.

    `sound`: means something on this class of host. `confidence` is that of the intervals; bars of a metric that is
    measured once (`build_wall_s`) have none.
    """

    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    per: float
    better: Better
    sound: bool
    confidence: float
    said: str
    bars: tuple[Bar, ...]
    control: Bar | None


class Refusal(Frozen):
    """Why trials were refused: a rule (None: the trial did not reach its end), how many, and one reading."""

    rule: str | None
    title: str
    trials: int
    reading: str


class Standings(Frozen):
    """One scenario on one host, from its newest session with a trial that counts.

    `verdict` is the word on the trials that count: `valid` or `advisory`. `passed_over` are newer sessions in which
    nothing counted.
    """

    host: str
    host_class: HostClass
    scenario: str
    session: Link
    before: Link | None
    suite: str
    verdict: Verdict
    measured: int
    refused: int
    refusals: tuple[Refusal, ...]
    passed_over: tuple[Link, ...]
    cautions: tuple[str, ...]
    tables: tuple[Table, ...]


class Overview(Document):
    """`api/v1/overview.json`, and the first page: hosts of class lab first, then shared, then small."""

    kind: Literal["overview"] = "overview"
    standings: tuple[Standings, ...]
    open_alerts: int
    sessions: int
    left_out_records: int
