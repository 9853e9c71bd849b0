"""The certificate of a session: the result of each rule, every trial, the origin of the numbers, how to check them."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.host import HostClass
from plumbline.model.plan import TrialRole
from plumbline.model.record import Outcome, Verdict
from plumbline.reporting.report.comparison_view import ReproductionView, Tone
from plumbline.reporting.report.view import Band, BuildRow
from .base import Document
from .standings import RunTable


class RuleReading(Frozen):
    """A rule over all trials: how many trials had each outcome, by a trial's worst phase, and a reading of the worst.

    `source` is the origin of the rule's evidence, `mistake` the published mistake that the rule would have caught; both
    are None for a rule that this version does not know. `today` is the result by today's rules (the worst outcome and
    its reading), where these differ from the rules of the record and the record's evidence lies on the branch.
    """

    rule: str
    title: str
    source: str | None
    mistake: str | None
    worst: Outcome
    counts: dict[Outcome, int]
    reading: str
    today: tuple[Outcome, str] | None


class TrialRow(Frozen):
    """A trial. `figures` go with the run report's `trial_columns`; `reasons` say why the trial is invalid.

    `timeline` is the path of the trial's timeline, for the newest 90 sessions. `today` is the trial's verdict by
    today's rules, where these differ from the rules of the record.
    """

    number: int
    block: int
    role: TrialRole
    subject: str
    scenario: str
    verdict: Verdict
    today: Verdict | None
    figures: tuple[str, ...]
    reasons: tuple[str, ...]
    timeline: str | None
    evidence: str


class Fact(Frozen):
    """A line of the provenance."""

    name: str
    value: str


class RunAnswer(Frozen):
    """A question of a comparison. `subject` names one id, or `A against B`; `leads`: this question asked for a verdict.

    `text` is how far head differs from base, in words. `tone` is what the verdict means for head.
    """

    subject: str
    scenario: str
    title: str
    where: str
    leads: bool
    verdict: str
    tone: Tone
    text: str
    pairs: int


class RunComparison(Frozen):
    """The findings of a comparison. `facts` tell its sides, its design and why it ended."""

    facts: tuple[Fact, ...]
    answers: tuple[RunAnswer, ...]


class RunFile(Document):
    """`api/v1/runs/<session>.json`, and the page `run/<session>/`.

    `verdict` is the verdict of the record: the verdict of the worst measured trial. `word` is the verdict on the trials
    that count, `trust` the same in sentences. `headline` is the leading measure with its scenario, then its result by
    class, a line each; empty where nothing counts. `not_guaranteed` lists what the host and the length of the phases
    could not guarantee. `heading` is the name that the tables may have. `folder` is the session's folder on the data
    branch, `files` has the files in it with their SHA-256. `verify` and `reproduce` are command lines to copy.
    `rules_version` is the version of the record's rules, `rules_today` of this program's rules. `compare` is the path
    of trial values and curves. A comparison of two sides has `compared`, and neither `headline` nor `tables`. A session
    that repeats another has `reproduction`, and no `headline`: its `lead` says how many ratios agree.
    """

    kind: Literal["run"] = "run"
    session: str
    t: int
    host: str
    host_class: HostClass
    suite: str
    verdict: Verdict
    word: Verdict
    trust_word: str
    trust: tuple[str, ...]
    not_guaranteed: tuple[str, ...]
    headline: tuple[str, ...]
    lead: str
    heading: str
    recent: bool
    measured: int
    refused: int
    rules_version: int
    rules_today: int
    rules: tuple[RuleReading, ...]
    tables: tuple[RunTable, ...]
    compared: RunComparison | None
    reproduction: ReproductionView | None
    trial_columns: tuple[str, ...]
    trials: tuple[TrialRow, ...]
    builds: tuple[BuildRow, ...]
    commit: str | None
    provenance: tuple[Fact, ...]
    folder: str
    files: dict[str, str]
    verify: tuple[str, ...]
    reproduce: tuple[str, ...]
    compare: str


class Line(Frozen):
    """A line of a panel, at most 120 points over all pieces; a break in the readings starts a new piece."""

    label: str
    pieces: tuple[tuple[tuple[float, float], ...], ...]


class Panel(Frozen):
    """Lines on one axis: rate, CPU by set, memory, garbage collection."""

    name: Literal["rate", "cpu", "memory", "gc"]
    title: str
    symbol: str
    lines: tuple[Line, ...]


class Timeline(Document):
    """`api/v1/runs/<session>/<trial>.json`: one trial second by second, thinned to means of neighbours."""

    kind: Literal["timeline"] = "timeline"
    session: str
    trial: int
    subject: str
    scenario: str
    end_s: float
    bands: tuple[Band, ...]
    panels: tuple[Panel, ...]
