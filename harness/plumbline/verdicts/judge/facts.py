"""The facts that rules judge: those of one trial, and those of its session for rules that compare trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from plumbline.model.comparison import Side
from plumbline.model.evidence import DatabaseWork, Evidence, LoadResult, Window
from plumbline.model.host import CpuSets, HostFacts, Role
from plumbline.model.plan import COUNTED, Phase, PhaseKind, Plan, PlannedTrial, Scenario
from plumbline.model.record import Build, HostSession, Provenance
from plumbline.model.subject import Subject, has_aot_cache, is_native
from plumbline.verdicts.figures.proof import PhaseProof, SubjectProcess, proofs

ProofKey = tuple[Side | None, str, str]
"""Side, subject, scenario: the processes with the same key prove together how steady they are."""

MEASURED: tuple[PhaseKind, ...] = ("closed", "open")
LOADED: tuple[PhaseKind, ...] = ("warm-up", "closed", "open")


@dataclass(frozen=True)
class PhaseFacts:
    """A planned phase with what is known of it; a field is None when the trial left nothing of the kind."""

    phase: Phase
    window: Window | None
    load: LoadResult | None
    work: DatabaseWork | None


@dataclass(frozen=True)
class TrialFacts:
    """The facts of a trial: its place in the plan, what it ran, and the evidence that it left."""

    planned: PlannedTrial
    scenario: Scenario
    evidence: Evidence

    def phases(self, kinds: tuple[PhaseKind, ...] = MEASURED) -> tuple[PhaseFacts, ...]:
        """Return the planned phases of these kinds, in order, reached or not."""
        evidence = self.evidence
        return tuple(
            PhaseFacts(
                phase=phase,
                window=self.window(phase.name),
                load=next((load for load in evidence.load if load.phase == phase.name), None),
                work=next((work for work in evidence.database if work.phase == phase.name), None),
            )
            for phase in self.scenario.phases
            if phase.kind in kinds
        )

    def window(self, phase: str) -> Window | None:
        """Return the window of a phase, by its name; None if the trial did not reach the phase."""
        return next((window for window in self.evidence.windows if window.phase == phase), None)

    @property
    def saturating(self) -> tuple[PhaseFacts, ...]:
        """The closed phases that are meant to saturate the application."""
        return tuple(facts for facts in self.phases(("closed",)) if facts.phase.saturates)

    @property
    def loads_itself(self) -> bool:
        """Whether the program has no server and makes its own load: there is no load generator."""
        return any(load.executor == "program" for load in self.evidence.load)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that have processes in this trial."""
        all_roles = self.scenario.roles
        return tuple(role for role in all_roles if role != "load") if self.loads_itself else all_roles

    @property
    def runtime(self) -> Literal["jvm", "native"]:
        """The runtime of the program, by its packaging; what the program says of itself is not used."""
        subject = Subject.try_parse(self.planned.subject)
        return "native" if subject is not None and is_native(subject.packaging) else "jvm"

    @property
    def has_aot_cache(self) -> bool:
        """Whether the program starts from an AOT cache, by its packaging."""
        subject = Subject.try_parse(self.planned.subject)
        return subject is not None and has_aot_cache(subject.packaging)

    def environment(self, *path: str) -> object:
        """Return a value of `GET /environment` before the load, by its path; None when it is not there."""
        return value_at(self.evidence.environment, path)


def value_at(document: object, path: Sequence[str]) -> object:
    """Return a value of `GET /environment` by its path; None when it is not there."""
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document


@dataclass(frozen=True)
class SessionFacts:
    """The facts of a session, and of every trial that left evidence, by number.

    `proofs` are the trials that prove a limit of other trials (rules R2 and R6): no other rule compares with them.
    `joined` is the joined session of which this is the part of one host: rules compare trials of one host alone, but
    all trials together prove how steady a program is, and all are counted. `refused` are the trials that a rule other
    than R2, R6 and R29 refuses: they prove nothing of their subject's other trials.
    """

    plan: Plan
    host: HostFacts
    trials: Mapping[int, TrialFacts]
    provenance: Provenance | None = None
    builds: tuple[Build, ...] = ()
    proofs: Mapping[int, TrialFacts] = field(default_factory=dict)
    joined: SessionFacts | None = None
    refused: frozenset[int] = frozenset()

    @staticmethod
    def of(
        plan: Plan,
        host: HostFacts,
        trials: Mapping[int, TrialFacts],
        provenance: Provenance | None = None,
        builds: Iterable[Build] = (),
    ) -> SessionFacts:
        """Make the session of all these trials: trials that prove a limit are kept apart from the others."""
        usual = {number: facts for number, facts in trials.items() if facts.planned.proof is None}
        proofs = {number: facts for number, facts in trials.items() if facts.planned.proof is not None}
        return SessionFacts(plan, host, usual, provenance, tuple(builds), proofs)

    def by_host(self, parts: Sequence[HostSession]) -> tuple[SessionFacts, ...]:
        """Return the sessions that are judged separately: one for each host, or this session if it has no parts."""
        all_trials = {**self.trials, **self.proofs}
        sessions = (
            SessionFacts.of(
                part.plan,
                part.host,
                {
                    planned.number: TrialFacts(
                        planned, part.plan.scenario_of(planned), all_trials[planned.number].evidence
                    )
                    for planned in part.plan.trials
                    if planned.number in all_trials
                },
                part.provenance,
                part.builds,
            )
            for part in parts
        )
        return tuple(replace(session, joined=self, refused=self.refused) for session in sessions) or (self,)

    def of_scenario(self, scenario: str) -> tuple[TrialFacts, ...]:
        """Return all trials of a scenario, in their order."""
        return tuple(facts for _, facts in sorted(self.trials.items()) if facts.planned.scenario == scenario)

    def asked_alike(self, trial: TrialFacts, *, discarded: bool = False) -> tuple[TrialFacts, ...]:
        """Return the trials of the scenario with the same question, in their order; discarded trials only if asked for.

        The control may have another operation: it may have read what the others write.
        """
        return tuple(
            facts
            for facts in self.of_scenario(trial.planned.scenario)
            if (discarded or facts.planned.role in COUNTED) and self.operation_of(facts) == self.operation_of(trial)
        )

    def operation_of(self, trial: TrialFacts) -> str:
        """Return what a trial was asked for: the control may have another operation than its scenario."""
        scenario = trial.scenario
        return (scenario.of_control if trial.planned.subject == self.plan.control else scenario).operation

    def sets_of(self, trial: TrialFacts) -> CpuSets:
        """Return the CPUs of each role in a trial: in a duet each trial has its own."""
        return self.plan.sets_of(trial.planned)

    def same_sources(self, first: TrialFacts, second: TrialFacts) -> bool:
        """Return whether two trials ran programs of the same checkout: two sides that are refs may differ."""
        comparison = self.plan.comparison
        return comparison is None or comparison.base.kind == "subject" or first.planned.side == second.planned.side

    @property
    def steadiness(self) -> Mapping[ProofKey, Mapping[str, PhaseProof]]:
        """The proofs of the phases of each contender under a scenario, by phase, from the trials that prove them."""
        return {key: self._proven_by(key) for key in self._proving}

    def proofs_of(self, trial: TrialFacts) -> Mapping[str, PhaseProof]:
        """Return the proofs of a trial's phases: by its subject's proving trials if it is one of them, else alone."""
        if self.joined is not None:
            return self.joined.proofs_of(trial)
        key = (*trial.planned.contender, trial.planned.scenario)
        return self._proven_by(key) if trial.planned.number in self._proving_numbers else self._proofs([trial])

    @cached_property
    def _proving(self) -> Mapping[ProofKey, list[TrialFacts]]:
        """The trials that count, by side, subject and scenario: those that are not refused, or all if all are."""
        by_key: dict[ProofKey, list[TrialFacts]] = {}
        for facts in self.trials.values():
            if facts.planned.role in COUNTED:
                by_key.setdefault((*facts.planned.contender, facts.planned.scenario), []).append(facts)
        return {
            key: [facts for facts in trials if facts.planned.number not in self.refused] or trials
            for key, trials in by_key.items()
        }

    @cached_property
    def _proving_numbers(self) -> frozenset[int]:
        return frozenset(facts.planned.number for trials in self._proving.values() for facts in trials)

    @cached_property
    def _proven(self) -> dict[ProofKey, Mapping[str, PhaseProof]]:
        """The proofs that were computed so far: a caller who asks for one contender does not wait for the others."""
        return {}

    def _proven_by(self, key: ProofKey) -> Mapping[str, PhaseProof]:
        if key not in self._proven:
            self._proven[key] = self._proofs(self._proving[key])
        return self._proven[key]

    def _proofs(self, trials: list[TrialFacts]) -> Mapping[str, PhaseProof]:
        processes = [
            SubjectProcess(
                trial.planned.number, trial.evidence, self.sets_of(trial), self.cpu_share(trial.planned.subject)
            )
            for trial in trials
        ]
        return proofs(trials[0].scenario, processes, self.plan.host_class)

    def settings(self, subject: str) -> dict[str, str]:
        """Return all settings of a subject: the defaults, and what its id declares."""
        return {**self.plan.defaults, **declared(subject)}

    def cpu_share(self, subject: str) -> float:
        """Return the share of the time of its CPUs that the setting `cpu-share` leaves a subject."""
        return int(self.settings(subject).get("cpu-share", 100)) / 100


def declared(subject: str) -> Mapping[str, str]:
    """Return the settings that a subject's id declares; none when the text is no id."""
    parsed = Subject.try_parse(subject)
    return {} if parsed is None else parsed.settings
