"""The JSON document of a session. Never rewritten once written; its JSON Schema is generated from here."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Frozen, sparse
from .comparison import Agreement, Comparison, Side
from .data_access import AccessClass
from .host import HostFacts
from .plan import Plan, TrialRole

Outcome = Literal["pass", "warn", "invalid", "unknown", "n/a"]
Verdict = Literal["valid", "advisory", "invalid"]
Kind = Literal["capacity", "isolation", "correctness", "design"]

GRAVITY: tuple[Outcome, ...] = ("invalid", "warn", "unknown", "pass", "n/a")
"""All outcomes, the gravest first."""

_PLACES = {outcome: place for place, outcome in enumerate(GRAVITY)}


def gravity_of(finding: Finding) -> int:
    """Return the place of a finding's outcome among all, 0 for the gravest."""
    return _PLACES[finding.outcome]


class Finding(Frozen):
    """The result of one rule for one trial, or for one phase of it.

    `reading` is a sentence with the figure that decided, for people; `value` is that figure in `unit`, `threshold` the
    limit that it was compared with. `unknown` means that the evidence is missing, `n/a` that the rule does not apply
    here.
    """

    rule: str
    phase: str | None = None
    outcome: Outcome
    reading: str
    value: float | None = None
    unit: str | None = None
    threshold: float | None = None


SCHEMA_VERSION = 3

Figures = dict[str, dict[str, float]]
"""phase -> metric -> value. Metrics carry their unit: `throughput_per_s`, `latency_p99_ms`, `rss_peak_bytes`."""


class Versions(Frozen):
    """The versions that decide how a record is read: of its shape, of the formulas of figures, of the rules, of the
    workload.
    """

    schema_version: int = SCHEMA_VERSION
    figures: int
    rules: int
    workload: int


class Build(Frozen):
    """The build of one artifact: its result and its inputs. Seconds and bytes are of the build that made the
    artifact.
    """

    artifact: str
    command_line: tuple[str, ...]
    wall_s: float
    peak_memory_bytes: int | None
    size_bytes: int
    sha256: str
    inputs_sha256: str
    reused: bool


class Training(Frozen):
    """An AOT cache, trained on this host as an unmeasured step."""

    subject: str
    wall_s: float
    size_bytes: int
    sha256: str


class Image(Frozen):
    """The image of an artifact, for subjects that run in a container, made on this host as an unmeasured step.

    `engine` is the container engine's own word on its version; `sha256` is the digest by which the image was run;
    `size_bytes` counts all its layers. `wall_s` is 0 where the image was there already. `base` is the image that it
    stands on (None for native images in older records), and `jdk` the build of Java that a JVM's base states, such as
    jdk-25.0.3+9.
    """

    artifact: str
    engine: str
    sha256: str
    size_bytes: int
    wall_s: float
    reused: bool
    base: str | None = None
    jdk: str | None = None


class Ran(Frozen):
    """The artifact that a subject ran, and its framework: packagings may share an artifact, sides of a comparison
    differ.

    `framework` and its version are out of `GET /environment`.
    """

    side: Side | None = None
    subject: str
    artifact: str
    sha256: str
    framework: str | None
    framework_version: str | None


class Provenance(Frozen):
    """The origin of the numbers."""

    commit: str | None
    dirty: bool | None
    locks: dict[str, str] = Field(description="file below the checkout -> SHA-256")
    python: str
    jdk: str
    k6: str
    database: str
    database_settings: dict[str, str]
    command_line: tuple[str, ...]
    started_at: str
    ended_at: str
    resumed: int = Field(description="how often the session was taken up again")


class Usage(Frozen):
    """The resources that the harness itself used during the session."""

    session_cpu_s: float
    sampler_cpu_s: float
    harness_cpu_s: float


class HostSession(Frozen):
    """A session on one host, without what is computed from its evidence."""

    plan: Plan
    host: HostFacts
    provenance: Provenance
    builds: tuple[Build, ...]
    training: tuple[Training, ...]
    usage: Usage
    images: tuple[Image, ...] = sparse(())


class PartFigures(Frozen):
    """Figures of one use case of a mix (`request` None), or of one request within it; metrics as in Figures."""

    phase: str
    use_case: str
    request: str | None
    requests: int
    figures: dict[str, float]


class Trial(Frozen):
    """A trial: its place in the plan, the place of its evidence, its figures and its findings."""

    number: int
    block: int
    role: TrialRole
    subject: str
    scenario: str
    evidence: str
    figures: Figures
    findings: tuple[Finding, ...]
    verdict: Verdict
    side: Side | None = None
    parts: tuple[PartFigures, ...] = sparse(())

    @property
    def refused_by(self) -> tuple[str, ...]:
        """The rules that refuse the trial, each once."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings if finding.outcome == "invalid"))


class Standing(Frozen):
    """The place of one subject by one metric: the geometric mean over its trials, with the t interval of their
    logarithms; in a joined session that interval is of their scatter within hosts.

    Trials of verdict `invalid` are left out and counted. A `rank` is among the subjects of one class of `data_access`;
    those that cannot be told apart share it. It is None for the control, for figures of a program that may still have
    been `warming_up`, and where no other subject of the class can be compared in three blocks.
    """

    scenario: str
    phase: str
    metric: str
    better: Literal["higher", "lower"]
    subject: str
    trials: int
    invalid_trials: int
    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    rank: int | None
    data_access: AccessClass | None = sparse(None)
    warming_up: bool = sparse(False)


class Undecided(Frozen):
    """An order within a class that a session left open, and how many more blocks would decide it; None where no number
    in reach would."""

    scenario: str
    data_access: AccessClass
    one: str
    other: str
    words: str
    further_blocks: int | None = None


class SessionEnd(Frozen):
    """The reason why a session with a budget ended, and the `orders` that it left open. `further_s` is about the
    time that it would take to decide those.
    """

    why: Literal["decided", "budget", "blocks"]
    blocks: int
    orders: int
    undecided: tuple[Undecided, ...] = ()
    further_s: float | None = None


class Steadiness(Frozen):
    """The steadiness of one metric of a phase, by all processes of a subject under a scenario (stats/drift.py).

    `estimate` is the change from end to end of the measured part, a log ratio above zero where the figure got better,
    with its standard `error` and `degrees` of freedom; they and the `bound` are None where the phase is too short to
    tell. `bound` is a share: 0.04 is "steady within 4 %". Where it is not `proven`, the figures of the phase are those
    of a program that warms up, in its first `load_s` seconds of load. `more_s` are the further seconds of each process
    that would prove it, None where nobody knows. `words` is a clause that says all this.
    """

    side: Side | None = None
    subject: str
    scenario: str
    phase: str
    metric: str
    processes: int
    measured_s: float = Field(description="seconds of the shortest process")
    load_s: float
    estimate: float | None
    error: float | None
    degrees: int | None
    bound: float | None
    proven: bool
    more_s: int | None
    words: str


class Record(Frozen):
    """A session.

    In a joined session several equal hosts measured whole blocks each. Its `parts` are the sessions of those hosts,
    with numbers of trials and blocks that go on from host to host; plan, host and provenance of the record follow from
    them (record/join.py). `lost_hosts` were to measure blocks too, and left no session.
    """

    versions: Versions
    plan: Plan
    host: HostFacts
    provenance: Provenance
    builds: tuple[Build, ...]
    training: tuple[Training, ...]
    trials: tuple[Trial, ...]
    standings: tuple[Standing, ...]
    usage: Usage
    verdict: Verdict = Field(description="the worst verdict of a measured trial")
    ran: tuple[Ran, ...] = ()
    comparison: Comparison | None = None
    agreements: tuple[Agreement, ...] = ()
    # Left out where there are none, as in records that were written before anything ran in a container.
    images: tuple[Image, ...] = sparse(())
    # Left out where there is none, as in records that were written before steadiness was computed.
    steadiness: tuple[Steadiness, ...] = sparse(())
    ended: SessionEnd | None = sparse(None)
    parts: tuple[HostSession, ...] = sparse(())
    lost_hosts: tuple[str, ...] = sparse(())

    @property
    def host_session(self) -> HostSession:
        """The session as its host measured it, without what is computed from its evidence."""
        return HostSession(**{name: getattr(self, name) for name in HostSession.model_fields})
