"""The lists of the site: hosts, subjects, scenarios, metrics, sessions, series, rules, studies, records left out."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.host import HostClass
from plumbline.model.plan import PhaseKind
from plumbline.model.record import Verdict
from plumbline.reporting.report.comparison_view import StudyAnswer
from plumbline.verdicts.figures.metrics import Better
from plumbline.verdicts.judge.description import RuleDescription
from .base import Document, Link


class HostEntry(Frozen):
    """A host; `slug` is its name in addresses, `newest` its last session."""

    name: str
    slug: str
    host_class: HostClass
    cpu_model: str
    cpus: int
    sessions: int
    newest: Link


class SubjectEntry(Frozen):
    """A subject with the axes that pages filter by.

    `short` is the shortest name that still tells it from the others, `mark` the number of its colour and shape, the
    same on every page (None: the control). `tls` is whether the way to the database is encrypted. `retired` subjects
    are in no session of a host's newest 30 days.
    """

    id: str
    slug: str
    short: str
    mark: int | None
    variant: str
    framework: str
    packaging: str
    concurrency: Literal["imperative", "reactive", "virtual", "unknown"]
    engine: str
    tls: bool
    settings: dict[str, str]
    control: bool
    retired: bool
    first: Link
    last: Link


class PhaseEntry(Frozen):
    """A phase of a scenario; `where` says in words what its figures are of: `at 500 requests/s`."""

    name: str
    kind: PhaseKind
    where: str


class ScenarioEntry(Frozen):
    """A scenario as its newest session planned it. `phases` of older sessions alone follow those of the newest.

    `control_operation` is what the control runs in place of `operation`, None where it runs the same.
    """

    id: str
    slug: str
    name: str
    version: int
    workload: str
    operation: str
    control_operation: str | None = None
    uses_database: bool
    phases: tuple[PhaseEntry, ...]


class MetricEntry(Frozen):
    """A metric. Shown is value / per, then `symbol`. `sound_on_small`: means something on a host with few CPUs, too."""

    name: str
    title: str
    unit: str
    symbol: str
    per: float
    better: Better | None
    primary: bool
    sound_on_small: bool


class SiteIndex(Document):
    """`api/v1/index.json`. `newest_t` is the time of the newest record: for a site this is the present.

    `exports` are the paths of the documents for github-action-benchmark; one without an entry is not written.
    """

    kind: Literal["site"] = "site"
    title: str
    newest_t: int | None
    sessions: int
    trials: int
    refused_trials: int
    left_out_records: int
    hosts: tuple[HostEntry, ...]
    subjects: tuple[SubjectEntry, ...]
    scenarios: tuple[ScenarioEntry, ...]
    metrics: tuple[MetricEntry, ...]
    exports: tuple[str, ...] = ()


class SeriesEntry(Frozen):
    """A series: where its file is, how long it is, its newest point, and how many alerts of it wait for somebody."""

    id: str
    path: str
    host: str
    subject: str
    scenario: str
    phase: str
    metric: str
    points: int
    last_t: int
    last_value: float
    last_ratio: float | None
    open_alerts: int
    badge: str


class SeriesIndex(Document):
    """`api/v1/series.json`: by host, subject, scenario, phase, metric (`host`, `subject`, `scenario` are slugs)."""

    kind: Literal["series-index"] = "series-index"
    series: tuple[SeriesEntry, ...]


class RunEntry(Frozen):
    """A session in the list of all sessions. `refused` of the `trials` measured trials are invalid.

    `verdict` is the verdict of the record, which is that of the worst measured trial. `word` is the verdict on the
    trials that count, and `invalid` where no trial counts. `comparable`: `api/v1/compare/` has values of its subjects.
    """

    session: str
    t: int
    page: str
    host: str
    suite: str
    verdict: Verdict
    word: Verdict
    trials: int
    refused: int
    commit: str | None
    recent: bool
    comparable: bool


class RunIndex(Document):
    """`api/v1/runs.json`: the newest 1,000 to 1,999 sessions, newest first; `older` are the files of earlier ones."""

    kind: Literal["runs"] = "runs"
    runs: tuple[RunEntry, ...]
    older: tuple[str, ...]


Cause = Literal[
    "unreadable", "manifest", "shape", "schema", "changed", "hostile", "twice", "ledger", "quiet", "simulated"
]


class LeftOut(Frozen):
    """A record that is not on this site, or another file that can't be used (`ledger`, `quiet`).

    `folder` is its path below the data, as far as it can be shown safely.
    """

    folder: str
    cause: Cause
    problem: str

    @property
    def is_record(self) -> bool:
        """Whether it is a record."""
        return self.cause not in ("ledger", "quiet")


class IntegrityFile(Document):
    """`api/v1/integrity.json`. `causes` counts what was left out by cause; `evidence` lists the sessions that are
    shown although their evidence could not be read."""

    kind: Literal["integrity"] = "integrity"
    records: int
    shown: int
    causes: dict[Cause, int]
    left_out: tuple[LeftOut, ...]
    evidence: tuple[LeftOut, ...]


class RuleEntry(RuleDescription):
    """A rule with how often it spoke against a trial.

    `refused`, `doubted` and `unknown` count measured trials of all sessions of this site.
    """

    slug: str
    refused: int
    doubted: int
    unknown: int


class RulesFile(Document):
    """`api/v1/rules.json`: every rule of today's referee, of `trials` measured trials in all."""

    kind: Literal["rules"] = "rules"
    version: int
    trials: int
    rules: tuple[RuleEntry, ...]


class StudyTable(StudyAnswer):
    """A question of a study. `session` is the session that answers it, None until there is such a session."""

    host: str | None
    session: Link | None


class Study(Frozen):
    """A study: its question, the mistakes that a referee would have caught, and what keeps figures apart.

    `command` measures it again.
    """

    id: str
    title: str
    year: str
    question: str
    caught: tuple[str, ...]
    caveats: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    command: str


class StudiesFile(Document):
    """`api/v1/studies.json`."""

    kind: Literal["studies"] = "studies"
    studies: tuple[Study, ...]
