"""The view of a report: its content, without its format. Terminal, Markdown and HTML are all made from it.

Numbers are in the unit that is shown beside them; texts are plain, in English, and not yet escaped for any format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plumbline.model.base import Frozen
from plumbline.model.plan import PhaseKind
from plumbline.model.record import Outcome, Verdict
from plumbline.verdicts.figures.metrics import WARMING_UP
from .comparison_view import ComparisonView, ReproductionView, StudyView

Point = tuple[float, float]


@dataclass(frozen=True)
class Name:
    """The name of a subject: its id, a short form that no other subject has, and its mark (None: the control)."""

    id: str
    short: str
    mark: int | None


@dataclass(frozen=True)
class Box:
    """Response times of one subject in ms: the mean, and quantile -> value where enough requests lie beyond."""

    name: Name
    mean: float
    quantiles: Mapping[float, float]
    requests: int
    trials: int


@dataclass(frozen=True)
class Boxes:
    """The view of one use case, or of all use cases together; `asks` lists the requests in order."""

    use_case: str
    asks: str
    rows: tuple[Box, ...]


@dataclass(frozen=True)
class RequestMeans:
    """Mean response time in ms of one request within a use case, by subject; None where no such request was made."""

    use_case: str
    request: str
    means: tuple[tuple[Name, float | None], ...]


@dataclass(frozen=True)
class MixView:
    """The view of one open phase of a mix."""

    phase: str
    where: str
    boxes: tuple[Boxes, ...]
    requests: tuple[RequestMeans, ...]


@dataclass(frozen=True)
class Row:
    """The place of a subject by one metric. `text` is mean and interval, in as many digits as the interval supports.

    `ratio` is the mean over the control's mean, of the same operation. `tied` says that another subject of the class
    has the same rank, and `gap` how far the subject is behind a leader for sure (else empty). `warming_up`: it may not
    have been steady.
    """

    name: Name
    rank: int | None
    tied: bool
    mean: float | None
    low: float | None
    high: float | None
    text: str
    ratio: float | None
    trials: int
    left_out: int
    gap: str = ""
    warming_up: bool = False

    @property
    def place(self) -> str:
        """The rank in words: `1`, `2 (tied)`, or `while warming up` of a figure that has no rank for that reason."""
        if self.warming_up:
            return WARMING_UP
        return "" if self.rank is None else f"{self.rank}{' (tied)' if self.tied else ''}"


@dataclass(frozen=True)
class Group:
    """The subjects of one class of data access by one metric, best first.

    `answer` says who is ahead in a few words, with its `figure`; `said` is the result in a sentence. `title` is empty
    where there is one class alone. `decided`: of several subjects one leads alone, or all leaders were proven
    equivalent.
    """

    title: str
    answer: str
    figure: str
    sentence: str
    rows: tuple[Row, ...]
    decided: bool


@dataclass(frozen=True)
class StandingsView:
    """All subjects by one metric of one phase, by class; `control` has no rank. `said` is the result of all classes in
    sentences, `headline` the same in a few words. A stored value is divided by `per` to be in `unit`.

    `warming_up`: none of the programs was surely steady, so the standings have no order.
    """

    phase: str
    metric: str
    title: str
    where: str
    unit: str
    per: float
    better: str
    sound: bool
    confidence: float
    headline: tuple[str, ...]
    sentence: str
    groups: tuple[Group, ...]
    control: Row | None
    warming_up: bool

    @property
    def rows(self) -> tuple[Row, ...]:
        """The subjects of all classes."""
        return tuple(row for group in self.groups for row in group.rows)


class Band(Frozen):
    """A phase on the axis of seconds."""

    label: str
    kind: PhaseKind
    start_s: float
    end_s: float


@dataclass(frozen=True)
class TrialCurve:
    """Requests a second of one trial, over the time since the warm-up began, as if each phase before had lasted as long
    as in the longest trial; a gap in the series starts a new piece.
    """

    trial: int
    verdict: Verdict
    pieces: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True)
class Curves:
    """Warm-up and closed load of one subject: every trial, and the median of those that count."""

    name: Name
    runs: tuple[TrialCurve, ...]
    median: tuple[tuple[Point, ...], ...]
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Percentiles:
    """Latencies of all counting trials of a subject as one mixture: (quantile, ms), only for reportable quantiles."""

    name: Name
    points: tuple[Point, ...]
    samples: int
    trials: int


@dataclass(frozen=True)
class LatencyLadder:
    """Percentiles of all subjects at one open rate, by trials that were all proven steady or that all were not."""

    phase: str
    where: str
    rate_per_s: int | None
    lines: tuple[Percentiles, ...]


@dataclass(frozen=True)
class Parts:
    """Several readings of one subject on one axis: (label, value)."""

    name: Name
    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class PartsChart:
    """Readings of all subjects, in one unit; `labels` names the kinds of readings in their order."""

    where: str
    unit: str
    labels: tuple[str, ...]
    rows: tuple[Parts, ...]


@dataclass(frozen=True)
class TimelinePanel:
    """One panel of a timeline: a metric over time."""

    title: str
    unit: str
    pieces: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True)
class TrialTimeline:
    """The timeline of a whole trial, the median trial of its subject."""

    name: Name
    trial: int
    why: str
    end_s: float
    bands: tuple[Band, ...]
    panels: tuple[TimelinePanel, ...]


@dataclass(frozen=True)
class ScenarioView:
    """The view of one scenario. `lead` has the metrics that stay sound on this host; `bounded` has the metrics that
    come next since the host may limit them, and `limits` names what limited them.

    `unsteady` has the same metrics of programs that may still have been warming up. `claims` are the most important
    standings of all three, in the order in which reports show them; `heading` is the title that the results may have.
    """

    id: str
    operation: str
    phases: str
    lead: tuple[StandingsView, ...]
    bounded: tuple[StandingsView, ...]
    unsteady: tuple[StandingsView, ...]
    limits: tuple[str, ...]
    others: tuple[StandingsView, ...]
    claims: tuple[StandingsView, ...]
    heading: str
    steady: str
    curves: tuple[Curves, ...]
    latency: tuple[LatencyLadder, ...]
    memory: PartsChart | None
    cpu: tuple[PartsChart, ...]
    timelines: tuple[TrialTimeline, ...]
    mixes: tuple[MixView, ...]


@dataclass(frozen=True)
class Reason:
    """The reason why trials are invalid or in doubt: one rule (None: the trial did not end), and the trials concerned.

    `trials` holds the numbers by subject; `readings` are of different trials, as many as tell something new.
    """

    rule: str | None
    title: str
    outcome: Outcome
    trials: tuple[tuple[Name, tuple[int, ...]], ...]
    readings: tuple[str, ...]


@dataclass(frozen=True)
class RuleView:
    """A rule over all trials: its worst outcome, how many trials had each outcome, and a reading of the worst."""

    id: str
    title: str
    worst: Outcome
    counts: Mapping[Outcome, int]
    reading: str


@dataclass(frozen=True)
class TrialView:
    """A trial in the list of all trials. `side` is empty outside comparisons."""

    number: int
    block: int
    role: str
    name: Name
    scenario: str
    verdict: Verdict
    figures: tuple[str, ...]
    reasons: tuple[str, ...]
    side: str = ""


@dataclass(frozen=True)
class Trust:
    """Whether to believe the numbers: the verdict in a word and in sentences; `short` is the host class in a line."""

    verdict: Verdict
    word: str
    sentences: tuple[str, ...]
    cautions: tuple[str, ...]
    short: tuple[str, ...] = ()


class BuildRow(Frozen):
    """The build of an artifact: how long it took, and how big it is. `memory_bytes` is None where it was not read."""

    artifact: str
    wall_s: float
    memory_bytes: int | None
    size_bytes: int
    sha256: str
    note: str


@dataclass(frozen=True)
class View:
    """A whole report."""

    session: str
    suite: str
    lead: str
    when: str
    host: str
    host_class: str
    trust: Trust
    scenarios: tuple[ScenarioView, ...]
    reasons: tuple[Reason, ...]
    rules: tuple[RuleView, ...]
    trials: tuple[TrialView, ...]
    trial_columns: tuple[str, ...]
    builds: tuple[BuildRow, ...]
    provenance: tuple[tuple[str, str], ...]
    reproduce: tuple[str, ...]
    verify: str
    comparison: ComparisonView | None = None
    reproduction: ReproductionView | None = None
    study: StudyView | None = None
