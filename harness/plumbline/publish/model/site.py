"""What there is: hosts, subjects with their axes, scenarios, metrics, sessions, series."""

from __future__ import annotations

from typing import Literal

from plumbline.figures.metrics import Better
from plumbline.model.base import Frozen
from plumbline.model.host import HostClass
from plumbline.model.plan import PhaseKind
from plumbline.model.record import Verdict
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
    """A scenario as its newest session planned it. `phases` of older sessions alone follow those of the newest."""

    id: str
    slug: str
    name: str
    version: int
    workload: str
    operation: str
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
    """`api/v1/index.json`. `newest_t` is the time of the newest record: a site knows no other now."""

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
    """A session in the list of all. `refused` of `trials` measured ones are invalid."""

    session: str
    t: int
    page: str
    host: str
    suite: str
    verdict: Verdict
    trials: int
    refused: int
    commit: str | None
    recent: bool


class RunIndex(Document):
    """`api/v1/runs.json`: the newest 1,000 sessions, newest first; `older` are the files of those before."""

    kind: Literal["runs"] = "runs"
    runs: tuple[RunEntry, ...]
    older: tuple[str, ...]
