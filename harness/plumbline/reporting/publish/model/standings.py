"""The standings: which subject leads on each host by each measure, the changes since the session before, and starts."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.model.record import Verdict
from plumbline.verdicts.figures.metrics import Better
from .base import Document, Link

ChangeWord = Literal["new", "better", "worse", "equivalent", "inconclusive", "incomparable"]


class Since(Frozen):
    """A subject against the session before, by the ratio to the control (as measured where there is no control).

    `ratio` is the figure now over the figure then, with its 99 % interval. `word` is `equivalent` where the interval
    lies within 2 %, `inconclusive` where neither equivalence nor a difference is shown, `incomparable` where the
    sessions were measured otherwise (host, load, phases, control), and `new` where no session before has a figure of
    the subject after its warm-up. `text` is the change in words, with the date of the session before where it isn't
    the `before` of the table: a subject that is not in every session has an older one.
    """

    word: ChangeWord
    ratio: float | None
    low: float | None
    high: float | None
    text: str


class RunBar(Frozen):
    """One subject by one metric. `text` is mean and interval for people, in the shown unit.

    `rank` is None for the control and where nothing is ranked. `ratio` is the mean over the control's mean. `refused`
    trials are invalid and part of no figure. The program may still have been `warming_up`: such a figure has no rank.
    """

    subject: str
    rank: int | None
    text: str
    ratio: float | None
    trials: int
    refused: int
    warming_up: bool


class Bar(RunBar):
    """A bar of a chart: the value of a subject by a metric, across sessions.

    `rank` is among the subjects of one class of `data_access`, and shared by those that can't be told apart (`tied`);
    None for the control, below three blocks, and for a program that may still have been `warming_up`. `gap` says by how
    much the subject is surely behind a leader; empty where nothing is sure. `trend` is the address of the page with the
    chart of this bar; None where there is no chart.
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
    trend: str | None


class ClassSaid(Frozen):
    """The result of one class of data access in a sentence; `title` is empty where there is only one class."""

    data_access: AccessClass
    title: str
    said: str


class MetricTable(Frozen):
    """The subjects by a metric of a phase, class by class, best first.

    `said` is the result in quotable words, `headline` the same in a few words: a line for each class.

    `sound`: the metric means something on this class of host. `warming_up`: the figures are of programs that may not
    have been steady, so that the table has no order.
    """

    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    better: Better
    sound: bool
    headline: tuple[str, ...]
    said: str
    warming_up: bool


class RunTable(MetricTable):
    """The subjects by a primary metric of a phase in a session; the control stands last."""

    scenario: str
    bars: tuple[RunBar, ...]


class Table(MetricTable):
    """The subjects by a metric of a phase in `session`, the newest one that could decide their order.

    `classes` has the sentence of each class. `before` is the session to which changes refer. `confidence` is that of
    the intervals; bars of a metric that is measured once (`build_wall_s`) have no interval.
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
    steady. `refused` of the `measured` trials are invalid, for the reasons in `refusals`; trials of the control are
    counted apart.
    """

    session: Link
    suite: str
    steady: str
    verdict: Verdict
    measured: int
    refused: int
    control_refused: int
    refusals: tuple[Refusal, ...]
    cautions: tuple[str, ...]


class Standings(SessionSaid):
    """The tables of one scenario on one host, and the session of the first table.

    A table of another session names that session, which is one of `others`. `passed_over` are newer sessions in which
    nothing counted. `heading` is the name that the tables may have: results of a host that is not made for measuring
    are no standings.
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


StartWord = Literal["ahead", "behind", "equivalent", "undecided"]


class StartRow(Frozen):
    """The starts of a subject: times to the first response in milliseconds, as a geometric mean with its interval.

    `starts` counts the trials that count, `refused` the others. `text` and `idle` (memory before the first request)
    are for people, in the units of the standing; `idle` says in how many starts the memory was read where that was not
    in all. `against_jvm` is the time as a multiple of the time of the same variant's JVM, under the same conditions,
    and `word` the decision of that comparison; None where there is no comparison. `rank` is within the class. Seconds
    and bytes are of the build, of the training of an AOT cache, and of the image of a container; None where the session
    did not have them. `build_s` is None where the artifact was built before the session, too.
    """

    subject: str
    short: str
    mark: int | None
    packaging: str
    page_cache: Literal["warm", "cold"]
    run_in: Literal["process", "container"]
    starts: int
    refused: int
    rank: int | None
    tied: bool
    mean_ms: float
    low_ms: float | None
    high_ms: float | None
    text: str
    against_jvm: str | None
    word: StartWord | None
    idle: str
    idle_bytes: float | None
    artifact_bytes: int | None
    cache_bytes: int | None
    image_bytes: int | None
    build_s: float | None
    training_s: float | None


class StartClass(Frozen):
    """The starts of a class of data access, the fastest first; `said` is the result in words.

    Subjects with fewer starts than the page asks for come last, and have no rank.
    """

    data_access: AccessClass
    title: str
    said: str
    rows: tuple[StartRow, ...]


class StartStanding(Frozen):
    """The starts of a session under a scenario. `host` and `scenario` are slugs; `symbol` is the unit of times."""

    host: str
    host_class: HostClass
    heading: str
    scenario: str
    session: Link
    symbol: str
    confidence: float
    classes: tuple[StartClass, ...]


class NotMeasured(Frozen):
    """A way to start sooner that nobody measured here, and why."""

    name: str
    why: str


class StartsFile(Document):
    """`api/v1/starts.json`. An order needs `least_starts` starts of each subject; `commands` measure starts."""

    kind: Literal["starts"] = "starts"
    least_starts: int
    standings: tuple[StartStanding, ...]
    not_measured: tuple[NotMeasured, ...]
    commands: tuple[str, ...]
