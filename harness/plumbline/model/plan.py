"""The plan of a session: phases, scenarios, trials in their order, and the time that they take."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from .base import Frozen, sparse
from .comparison import ComparisonPlan, Reproduces, Side
from .data_access import AccessClass, DataAccess, class_in_older_plan
from .host import CpuSets, HostClass, Role
from .subject import Subject

SCENARIO_NAME = r"[a-z0-9][a-z0-9-]{0,59}"
SUITE_NAME = r"[a-z0-9][a-z0-9._-]{0,59}"
"""The patterns of the names that a record may carry, since names become paths and addresses."""

PhaseKind = Literal["start", "probe", "warm-up", "closed", "open", "after"]
TrialRole = Literal["measured", "control", "discarded", "proof"]
Proof = Literal["less application CPU", "more database CPU", "more load CPU", "twice the connections"]
"""The property in which a trial at the end of a session differs from the trials whose limit it proves (rules R2 and
R6).
"""

COUNTED: tuple[TrialRole, ...] = ("measured", "control")
"""The roles of trials whose figures stand for their subject; discarded trials and proofs are not among them."""

# The VUs of open load, at the least and at the most for each k6. More of them cost k6 1 ms of CPU each to make, 0.5 MB
# to keep, and its collector more time in the load.
OPEN_VUS = (20, 1000)
# They are as many as wait while the application stands still for so long. k6 takes its VUs in turn, so the first
# request of each opens a connection: in a short load these would be most requests.
_STALL_S = (0.25, 1.5)
_STALL_SHARE = 0.025


def vus_of(requests_per_s: float, duration_s: float, generators: int = 1, bounds: tuple[int, int] = OPEN_VUS) -> int:
    """Return the VUs of all generators for an open load: all are made before it, and each opens a connection."""
    (shortest_s, longest_s), (least, most) = _STALL_S, bounds
    stall_s = max(shortest_s, min(longest_s, _STALL_SHARE * duration_s))
    return generators * max(least, min(most, math.ceil(requests_per_s * stall_s / generators)))


# A quarter less.
LESS_CPU = 0.75
MORE_CONNECTIONS = 2
# Blocks after which the control runs in a session with a budget, whose last block nobody knows beforehand.
CONTROL_AFTER = (2, 6, 12, 20)


class Phase(Frozen):
    """A part of a trial with its own window, figures and findings.

    `name` is unique in a scenario: `closed`, `open@200`, `open@80%`, `open@x10`. `connections` belongs to closed load,
    `rate_per_s` to open load; a `rate_share` is a rate in shares of the capacity of the slowest subject, and becomes a
    rate when the session has found that capacity. The rate of a mix counts requests: those of its use cases in a
    minute, times the `multiplier`. A warm-up is `cycles` times (duration_s of load + pause_s of rest); one that goes on
    until steady has at least `least_cycles` of them, and `cycles` is the most. `saturates` says that the phase is meant
    to use up the application's CPUs (rules R1, R5 and R6 apply).
    """

    kind: PhaseKind
    name: str
    duration_s: float = 0.0
    connections: int | None = None
    rate_per_s: int | float | None = None
    rate_share: float | None = None
    multiplier: int | None = None
    cycles: int = 1
    least_cycles: int | None = sparse(None)
    pause_s: float = 0.0
    saturates: bool = False

    @property
    def expected_s(self) -> float:
        """Seconds of load and pauses, at most."""
        return self.cycles * (self.duration_s + self.pause_s)

    @property
    def one_cycle(self) -> Phase:
        """A single cycle of the warm-up, without the rest after it."""
        return self.model_copy(update={"cycles": 1, "least_cycles": None, "pause_s": 0.0})


class UseCase(Frozen):
    """A part of a mix: what one visitor asks for, in order, and how many come a minute (times a phase's multiplier)."""

    name: str = Field(pattern=r"^[a-z][a-z-]{0,39}$")
    arrivals_per_minute: int = Field(ge=1, le=60_000)
    requests: tuple[str, ...] = Field(min_length=1, max_length=20)


class Scenario(Frozen):
    """A workload with its k6 script and load model. `id` is `name@version`.

    `prepare` names the change that is made to the restored rows (apps/contract/sql/prepare). `grows` are the tables
    that grow by design, so that rule R17 does not hold their size against a trial. `source_latency_ms` is how long each
    of the six sources of an order takes, None where nobody asks them. Where `operation` writes what the control only
    reads, its yardstick is `control_operation`, a read of the same workload. `scale` is the share of the suite's times
    and counts that is run (plan/phases.py); below 1 it is part of the id, so that no number is compared with one of
    another scale. A mix has `use_cases`, which take the place of `operation` in its load.
    """

    name: str
    version: int
    workload: str
    script: str
    operation: str
    uses_database: bool
    phases: tuple[Phase, ...]
    prepare: str | None = None
    grows: tuple[str, ...] = ()
    source_latency_ms: float | None = None
    control_operation: str | None = None
    scale: float = 1.0
    use_cases: tuple[UseCase, ...] = ()

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that work for the scenario's load."""
        return ("app", "db", "load") if self.uses_database else ("app", "load")

    @property
    def of_control(self) -> Scenario:
        """The scenario as the control runs it."""
        if self.control_operation is None:
            return self
        return self.model_copy(update={"operation": self.control_operation, "use_cases": ()})

    @property
    def requests_per_minute(self) -> int:
        """The requests a minute of all visitors of a mix, as planned; 0 for a load of one operation."""
        return sum(use_case.arrivals_per_minute * len(use_case.requests) for use_case in self.use_cases)

    @property
    def unrated(self) -> Scenario:
        """The scenario before a capacity was found: rates that are shares of it are only shares."""
        phases = tuple(
            phase if phase.rate_share is None else phase.model_copy(update={"rate_per_s": None})
            for phase in self.phases
        )
        return self.model_copy(update={"phases": phases})

    def proving(self, proof: Proof) -> Scenario:
        """Return the scenario as a proof runs it: no open load, and twice the connections where that is the
        question.
        """
        times = MORE_CONNECTIONS if proof == "twice the connections" else 1
        phases = tuple(
            phase if phase.connections is None else phase.model_copy(update={"connections": times * phase.connections})
            for phase in self.phases
            if phase.kind != "open"
        )
        return self.model_copy(update={"phases": phases})

    @property
    def id(self) -> str:
        """`name@version`, at another scale than the whole `name@versionxSCALE`: `fruits@1`, `fruits@1x0.25`.

        A change of what is measured bumps the version and starts a new segment.
        """
        return f"{self.name}@{self.version}" + ("" if self.scale == 1.0 else f"x{self.scale:g}")


class PlannedTrial(Frozen):
    """A trial in its place. `number` counts from 1 in the order of execution; block 0 holds the discarded trial.

    `side` belongs to comparisons, where a block holds one pair of trials of each contest and scenario. `sets` are given
    where a trial has CPUs of its own: in a duet both sides run at once, and a proof may have other CPUs. `proof` says
    which proof a trial of that role is. `host` is given in a joined session, whose blocks ran on several hosts.
    """

    number: int
    block: int
    subject: str
    scenario: str
    role: TrialRole
    side: Side | None = None
    sets: CpuSets | None = None
    proof: Proof | None = None
    host: str | None = sparse(None)

    @property
    def contender(self) -> tuple[Side | None, str]:
        """The contender that runs: a subject, and its side."""
        return self.side, self.subject

    @property
    def parsed(self) -> Subject:
        """The subject, read from its id. Raises UsageError for a text that is no id."""
        return Subject.parse(self.subject)


class Detectable(Frozen):
    """The smallest difference of two subjects that a comparison with this many trials would find, and the origin of
    that estimate.

    `change` is relative (0.05 is 5 %); None where so few trials allow no verdict.
    """

    trials: int
    cv: float
    change: float | None
    basis: str


class Unproven(Frozen):
    """A proof that was asked for and can't be had on this host, and why."""

    proof: Proof
    reason: str


class Budget(Frozen):
    """The rule by which a session of a suite ends: every order within a class is decided, or its trials took `budget_s`
    seconds.

    The rule is applied after each number of blocks in `looks`, each time at `level` (stats/interim.py).
    """

    budget_s: float
    looks: tuple[int, ...]
    level: float


# A remote database is one at an address, on a machine that the record does not know.
Network = Literal["loopback", "cluster", "remote database"]


class Plan(Frozen):
    """A session before it runs. Everything that decides results stands here; resume goes on from it.

    `only` and `only_scenarios` are the texts that narrowed the suite. `simulated` says that a program made up the
    figures, which are never kept among measured ones. `event_loops` are the subjects, the control included, whose
    requests are served on event loops (rule R3), and `driver_loops` those whose database driver chooses its loops; None
    in a plan made before that was written down. `unproven` are the proofs that were asked for and can't be had here.
    `data_access` is how each subject, the control included, reaches its data; empty in a plan made before that was
    written down. With a `budget` the trials are those that may be run at most, in a record those that were.
    """

    session: str
    suite: str
    seed: int
    host: str
    host_class: HostClass
    sets: CpuSets
    placement: str
    network: Network = "loopback"
    defaults: dict[str, str]
    subjects: tuple[str, ...]
    control: str
    scenarios: tuple[Scenario, ...]
    blocks: int
    trials: tuple[PlannedTrial, ...]
    expected_s: float
    detectable: Detectable
    only: tuple[str, ...] = ()
    only_scenarios: tuple[str, ...] = ()
    comparison: ComparisonPlan | None = None
    reproduces: Reproduces | None = None
    simulated: bool = False
    event_loops: tuple[str, ...] | None = None
    driver_loops: tuple[str, ...] | None = sparse(None)
    unproven: tuple[Unproven, ...] = ()
    data_access: dict[str, DataAccess] = sparse({})
    budget: Budget | None = sparse(None)

    @property
    def contenders(self) -> tuple[tuple[Side | None, str], ...]:
        """All contenders, the control first: (side, subject), without a side outside comparisons."""
        control: tuple[tuple[Side | None, str], ...] = ((None, self.control),)
        if self.comparison is None:
            return (*control, *((None, subject) for subject in self.subjects))
        contests = self.comparison.contests
        bases: tuple[tuple[Side | None, str], ...] = tuple(("base", contest.base) for contest in contests)
        heads: tuple[tuple[Side | None, str], ...] = tuple(("head", contest.head) for contest in contests)
        return (*control, *dict.fromkeys((*bases, *heads)))

    @property
    def resumed_by(self) -> Literal["run", "compare"]:
        """The command that goes on with the session after an interruption, by its --resume."""
        return "run" if self.comparison is None or self.reproduces is not None else "compare"

    @property
    def scale(self) -> float:
        """The share of the suite's times and counts that is run: 1 is all of it."""
        return self.scenarios[0].scale

    def subject(self, id_: str) -> Subject:
        """Return the subject of an id of this plan. Raises UsageError for a text that is no id."""
        return Subject.parse(id_)

    def class_of(self, subject: str, scenario: Scenario) -> AccessClass:
        """Return the class within which a subject is compared; without a database all are of one class."""
        if not scenario.uses_database:
            return "none"
        return self.data_access.get(subject) or class_in_older_plan(self.subject(subject).variant)

    def class_of_trial(self, trial: PlannedTrial) -> AccessClass:
        """Return the class of a trial's subject under its scenario."""
        return self.class_of(trial.subject, self.scenario(trial.scenario))

    def sets_of(self, trial: PlannedTrial) -> CpuSets:
        """Return the CPUs of each role in a trial; the setting `cpus` may leave the application fewer."""
        sets, subject = trial.sets or self.sets, Subject.try_parse(trial.subject)
        cpus = {**self.defaults, **(subject.settings if subject else {})}.get("cpus", "all")
        return sets if cpus == "all" else sets.confined(int(cpus))

    def trial(self, number: int) -> PlannedTrial:
        """Return the trial of that number; raises StopIteration."""
        return next(trial for trial in self.trials if trial.number == number)

    def scenario(self, id_: str) -> Scenario:
        """Return the scenario of that id; raises KeyError."""
        return {scenario.id: scenario for scenario in self.scenarios}[id_]

    def scenario_of(self, trial: PlannedTrial) -> Scenario:
        """Return the scenario as that trial runs it; raises KeyError."""
        scenario = self.scenario(trial.scenario)
        return scenario if trial.proof is None else scenario.proving(trial.proof)
