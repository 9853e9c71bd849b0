"""What is asked of a cluster: a trial of a plan, a phase of its load, and the generators that divide it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from plumbline.measuring.run.conditions import why_too_few_cpus
from plumbline.model.errors import UsageError
from plumbline.model.plan import Phase, Plan, PlannedTrial, Scenario
from plumbline.model.subject import Subject, has_aot_cache
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.reading import nearest
from plumbline.subjects.plan.phases import ARRIVALS_A_CPU, scenario_of
from .pod import ClusterRole

LoadKind = Literal["job", "k6-operator"]
# Their segments stand in one ConfigMap, which takes a mebibyte.
MOST_GENERATORS = 1_000
_LOADS = ("warm-up", "closed", "open")
# Settings that must have one value in a cluster: setting -> that value, and what the other values would need.
_OF_ONE_HOST = {
    "db-tls": ("off", "the certificates of a session"),
    "http-tls": ("off", "the certificates of a session"),
    "otel": ("off", "an agent that no image has"),
    "page-cache": ("warm", "the page cache of a host"),
    "db-disk": ("full", "the disk of a host"),
    "run-in": ("process", "the engine of a host, and here each pod is a container"),
    "jdk": ("auto", "the JDKs of a host, and an image has its own"),
    "cpu-share": ("100", "a share of a CPU, and pods get whole ones"),
}


@dataclass(frozen=True)
class LoadRequest:
    """A trial of a plan, its subject and scenario, the phase whose load is applied, and its generators of one CPU.

    Without `whole_cpus` database and generators share what is left beside the application's CPUs. `nodes` are those of
    application and database by role; without one any node of the role will do.
    """

    plan: Plan
    trial: PlannedTrial
    subject: Subject
    settings: dict[str, str]
    scenario: Scenario
    phase: Phase
    generators: int
    load: LoadKind
    whole_cpus: bool = True
    nodes: Mapping[ClusterRole, str] = field(default_factory=dict)

    @property
    def sources_cpus(self) -> int:
        """The CPUs of the six sources of an order, out of those of the database; 0 where they run on shared ones."""
        has_two = self.whole_cpus and len(self._db_cpus) > 1
        return int(self.scenario.source_latency_ms is not None and has_two)

    @property
    def database_cpus(self) -> int:
        """The CPUs of the database alone."""
        return len(self._db_cpus) - self.sources_cpus

    @property
    def _db_cpus(self) -> tuple[int, ...]:
        return self.plan.sets_of(self.trial).db


def load_request(
    plan: Plan,
    catalog: Catalog,
    *,
    generators: int | None = None,
    load: str = "job",
    trial: int | None = None,
    phase: str | None = None,
) -> LoadRequest:
    """Return the load that is asked for. By default it is that of the first measured trial, in its first phase with a
    rate of its own, by as many generators as this rate takes. Raises UsageError in one sentence for what can't be.
    """
    kind: LoadKind | None = next((name for name in get_args(LoadKind) if name == load), None)
    if kind is None:
        raise UsageError(f"'{load}' is no way to run load in a cluster.", nearest(load, get_args(LoadKind)))
    planned_trial = _trial_numbered(plan, trial)
    subject = catalog.subject(planned_trial.subject)
    settings = catalog.settings_of(subject)
    require_placeable(catalog, subject)
    if (problem := why_too_few_cpus(settings, len((planned_trial.sets or plan.sets).app))) is not None:
        raise UsageError(problem, "Choose others by --only, or another trial by --trial.")
    scenario = plan.scenario_of(planned_trial)
    if planned_trial.subject == plan.control:
        scenario = scenario.of_control
    chosen_phase = _phase_named(scenario, phase)
    return LoadRequest(
        plan=plan,
        trial=planned_trial,
        subject=subject,
        settings=settings,
        scenario=scenario,
        phase=chosen_phase,
        generators=generator_count(chosen_phase, generators),
        load=kind,
    )


def beyond_one_host(plan: Plan, catalog: Catalog) -> Plan:
    """Return the plan with ramps beyond the rates that one host can prove: generators may stand on many nodes."""
    _, suite = catalog.suite(plan.suite)
    sets = plan.sets.model_copy(update={"load": tuple(range(MOST_GENERATORS))})
    scenarios = tuple(
        scenario_of(scenario.name, catalog.scenario(scenario.name), suite, scenario.scale, sets=sets)
        for scenario in plan.scenarios
    )
    return plan.model_copy(update={"scenarios": scenarios})


def generators_of(phase: Phase) -> int:
    """Return how many generators of one CPU a phase takes: one for each 5,000 arrivals a second."""
    return max(1, math.ceil((phase.rate_per_s or 0) / ARRIVALS_A_CPU))


def _trial_numbered(plan: Plan, number: int | None) -> PlannedTrial:
    if number is None:
        return next((trial for trial in plan.trials if trial.role == "measured"), plan.trials[0])
    trial = next((trial for trial in plan.trials if trial.number == number), None)
    if trial is None:
        raise UsageError(f"The plan has no trial {number}.", f"It has the trials 1 to {plan.trials[-1].number}.")
    return trial


def require_placeable(catalog: Catalog, subject: Subject) -> None:
    """Check that a cluster can run a subject. Raises UsageError."""
    settings = catalog.settings_of(subject)
    why = None
    if catalog.variant(subject.variant).spec.serves_on == "cli":
        why = "is a program without a server, which makes its own load"
    elif subject.engine == "mysql":
        why = "needs MySQL, of which there are no objects yet"
    elif has_aot_cache(subject.packaging):
        why = "needs an AOT cache, which a session trains on its host"
    else:
        for name, (value, need) in _OF_ONE_HOST.items():
            if settings[name] != value:
                why = f"has {name}={settings[name]}, which needs {need}"
                break
    if why is not None:
        raise UsageError(
            f"{subject.id} can't be put into a cluster: it {why}.",
            "Choose others by --only, or another trial by --trial.",
        )


def _phase_named(scenario: Scenario, name: str | None) -> Phase:
    loads = [phase for phase in scenario.phases if phase.kind in _LOADS]
    with_rate = [phase for phase in loads if phase.kind == "open" and phase.rate_per_s is not None]
    closed = [phase for phase in loads if phase.kind == "closed"]
    if name is None:
        chosen = next(iter((*with_rate, *closed)), None)
        if chosen is None:
            raise UsageError(
                f"{scenario.id} has neither a closed phase nor one with a rate of its own.",
                "Give its suite such a phase in bench.toml.",
            )
        return chosen
    chosen = next((phase for phase in loads if phase.name == name), None)
    if chosen is None:
        raise UsageError(f"{scenario.id} has no load '{name}'.", nearest(name, [phase.name for phase in loads]))
    if chosen.kind == "open" and chosen.rate_per_s is None:
        raise UsageError(
            f"The rate of {name} is a share of a capacity that a session finds, so it has no number yet.",
            'Give the suite a rate of its own in bench.toml, such as rates = [200], or say "--phase closed".',
        )
    return chosen


def generator_count(phase: Phase, asked: int | None) -> int:
    """Return how many generators divide a phase: `asked`, or what its rate takes for None. Raises UsageError."""
    count = generators_of(phase) if asked is None else asked
    if count < 1:
        raise UsageError(
            f"{count} generators make no load.",
            "Say --generators 1, or leave it out: the rate says how many.",
        )
    if count > MOST_GENERATORS:
        raise UsageError(
            f"{count:,} generators are more than one ConfigMap has segments for.",
            f"Take at most {MOST_GENERATORS:,}.",
        )
    if phase.connections is not None and count > phase.connections:
        raise UsageError(
            f"The {phase.connections} connections of {phase.name} can't be divided over {count} generators.",
            f"Take at most {phase.connections}.",
        )
    return count
