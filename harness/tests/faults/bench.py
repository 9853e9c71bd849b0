"""Runs single trials with a fault in them, beside a clean trial of the control, and has the trials judged."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import psycopg

from plumbline.archive.record.assemble import judged
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.opening import testbed_for
from plumbline.measuring.run.testbed import Testbed
from plumbline.measuring.run.trial import run_trial
from plumbline.measuring.services.hosted import HostedDatabase
from plumbline.measuring.services.postgres.service import PostgresService
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Plan, PlannedTrial, Proof, Scenario, TrialRole
from plumbline.model.record import Build, Finding, Trial
from plumbline.model.subject import Subject
from plumbline.subjects.plan.phases import scenario_of
from .generator import Generator
from .patched import RUN, Patch, another_build, patched

# This subject stands in the plan; what runs is the control, changed.
FAULTY = "vertx-pg/jvm/pg"
# So many trials show the scatter well enough for a change of the size of these faults.
TO_SCATTER = 3


def phases(
    *,
    closed_s: float = 4,
    connections: int = 40,
    warm_up_s: float = 3,
    open_s: float = 0,
    rate_per_s: int = 100,
) -> tuple[Phase, ...]:
    """Warm-up, closed and open load of so many seconds; a phase of 0 s is left out."""
    load = (
        Phase(kind="warm-up", name="warm-up", duration_s=warm_up_s, connections=connections),
        Phase(kind="closed", name="closed", duration_s=closed_s, connections=connections, saturates=True),
        Phase(kind="open", name=f"open@{rate_per_s}", duration_s=open_s, rate_per_s=rate_per_s),
    )
    return (
        Phase(kind="start", name="start"),
        Phase(kind="probe", name="probe"),
        *(phase for phase in load if phase.duration_s),
        Phase(kind="after", name="after"),
    )


def warmed(load: tuple[Phase, ...]) -> tuple[Phase, ...]:
    """The load with a warm-up before it; the load as it is where it has a warm-up."""
    if any(phase.kind == "warm-up" for phase in load):
        return load
    first = next(place for place, phase in enumerate(load) if phase.kind in ("closed", "open"))
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=3, connections=load[first].connections or 40)
    return (*load[:first], warm_up, *load[first:])


def at(name: str, do: Callable[[], None]) -> Callable[[str], None]:
    """A callback for each phase that begins: it calls `do` at the phase of that name."""
    return lambda phase: do() if phase == name else None


@dataclass(frozen=True)
class Watch:
    """A progress that nobody reads; `began` is called with the name of each phase."""

    began: Callable[[str], None] = lambda name: None

    def say(self, text: str) -> None: ...

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None: ...

    def phase_began(self, name: str) -> None:
        self.began(name)

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None: ...


class Altered:
    """A database whose restored rows are altered by statements of its administrator."""

    def __init__(self, service: PostgresService, statements: Sequence[str]) -> None:
        self._service, self._statements = service, statements

    def __getattr__(self, name: str) -> Any:
        return getattr(self._service, name)

    def restore(self, prepare: str | None = None) -> None:
        self._service.restore(prepare)
        service = self._service
        with psycopg.connect(service.login.conninfo(service.address.name), autocommit=True) as session:
            for statement in self._statements:
                session.execute(statement.encode())


@dataclass(frozen=True)
class Fault:
    """What is wrong with a trial. `subject` is the trial's subject in the plan, with the settings that it declares.

    What runs is `program` (None: the control), whose JVM is started with `flags` on top. `stale`: another build, made
    with the patches, lies where the artifact should. `generator` is how k6 is changed. `twin` is the same trial
    without the fault; None: the control under the same load. Another twin is needed where the load is the fault.
    """

    patches: tuple[Patch, ...] = ()
    program: str | None = None
    flags: tuple[str, ...] = ()
    subject: str = FAULTY
    scenario: str = "fruits"
    load: tuple[Phase, ...] = field(default_factory=phases)
    grows: tuple[str, ...] | None = None
    altered: tuple[str, ...] = ()
    began: Callable[[str], None] = lambda name: None
    timeout_s: float = 2.0
    stale: bool = False
    generator: Generator = field(default_factory=Generator)
    twin: Fault | None = None

    def without(self) -> Fault:
        """The clean twin: what would run if nothing was wrong. It is warm: a cold program lets requests wait."""
        return self.twin or Fault(scenario=self.scenario, load=warmed(self.load))


@dataclass(frozen=True)
class Told:
    """A finding of a rule against a trial, and the fault that was put into the trial."""

    finding: Finding
    fault: Fault


@dataclass(frozen=True)
class Found:
    """A judged trial. `told` collects the findings that a test asks for, for the clean twin and the final table."""

    trial: Trial
    fault: Fault
    told: list[Told] = field(default_factory=list)

    def named(self, rule: str) -> list[Finding]:
        """The findings of a rule against the trial, on whatever class of host."""
        against = [
            finding
            for finding in self.trial.findings
            if finding.rule == rule and finding.outcome in ("invalid", "warn")
        ]
        self.told.extend(Told(finding, self.fault) for finding in against)
        return against

    def value(self, rule: str, phase: str | None) -> float:
        """The figure by which a rule decided, in a phase."""
        values = [finding.value for finding in self.trial.findings if (finding.rule, finding.phase) == (rule, phase)]
        assert len(values) == 1 and values[0] is not None, values
        return values[0]

    def readings(self, rule: str) -> list[str]:
        """The readings of a rule on the trial."""
        return [finding.reading for finding in self.trial.findings if finding.rule == rule]

    @property
    def against(self) -> set[str]:
        """All rules that have a finding against the trial."""
        return {finding.rule for finding in self.trial.findings if finding.outcome in ("invalid", "warn")}


@dataclass
class FaultBench:
    """Runs the control as it is, once for each load, and faulty trials beside it; or trials that prove something.

    `trips` are the rules that the testbed trips whatever runs there.
    """

    context: Context
    testbed: Testbed
    plan: Plan
    folder: Path
    trips: frozenset[str] = frozenset()
    told: list[Told] = field(default_factory=list)
    _clean: dict[tuple[str, tuple[Phase, ...], tuple[str, ...]], Evidence] = field(default_factory=dict)
    _twins: dict[tuple[object, ...], Trial] = field(default_factory=dict)
    _count: int = 0

    def judged(self, fault: Fault) -> Found:
        """The trial with the fault, judged together with a clean trial of the control under the same load."""
        return Found(self._trials(fault)[1], fault, self.told)

    def clean(self, fault: Fault) -> Found:
        """The fault's clean twin, judged beside a trial that is clean as well; run once for each program and load."""
        usual = fault.without()
        key = (usual.program, usual.flags, usual.subject, usual.scenario, usual.load)
        if key not in self._twins:
            self._twins[key] = self._trials(usual)[1]
        return Found(self._twins[key], usual)

    def both(self, fault: Fault) -> Found:
        """The trial with the fault, judged together with a trial of the control on the same altered database."""
        return Found(self._trials(fault, fault.altered)[1], fault, self.told)

    def alone(self, fault: Fault) -> Found:
        """The trial with the fault, judged without any other trial."""
        scenario = self._scenario(fault)
        trial = _trial(1, fault.subject, scenario, "measured")
        plan = self._plan(fault, scenario, (trial,))
        evidence = {1: self._run(plan, scenario, trial, fault)}
        (trial_alone,) = judged(plan, self.context.host, evidence, builds=self._builds(plan, fault))
        return Found(trial_alone, fault, self.told)

    def proven(self, fault: Fault, *proofs: Proof) -> Found:
        """The first of some trials with the fault, judged together with trials that prove something of them."""
        scenario = self._scenario(fault)
        trials = (
            *(_trial(number, fault.subject, scenario, "measured") for number in range(1, TO_SCATTER + 1)),
            *(
                _trial(number, fault.subject, scenario, "proof", proof)
                for number, proof in enumerate(proofs, start=TO_SCATTER + 1)
            ),
        )
        plan = self._plan(fault, scenario, trials)
        evidence = {}
        for trial in trials:
            with testbed_for(trial, self.testbed, _no_other) as testbed:
                assert isinstance(testbed, Testbed)
                evidence[trial.number] = self._run(plan, plan.scenario_of(trial), trial, fault, testbed)
        return Found(judged(plan, self.context.host, evidence)[0], fault, self.told)

    def _trials(self, fault: Fault, altered: tuple[str, ...] = ()) -> tuple[Trial, ...]:
        scenario = self._scenario(fault)
        trials = (
            _trial(1, self.plan.control, scenario, "control"),
            _trial(2, fault.subject, scenario, "measured"),
        )
        plan = self._plan(fault, scenario, trials)
        key = (scenario.id, fault.load, altered)
        if key not in self._clean:
            self._clean[key] = self._run(plan, scenario, trials[0], Fault(altered=altered))
        evidence = {1: self._clean[key], 2: self._run(plan, scenario, trials[1], fault)}
        return judged(plan, self.context.host, evidence, builds=self._builds(plan, fault))

    def _builds(self, plan: Plan, fault: Fault) -> tuple[Build, ...]:
        """The builds of the plan's programs; none where the program is patched."""
        if fault.patches and not fault.stale:
            return ()
        programs = {plan.control, fault.program or plan.control}
        return tuple(self.context.job(program).artifact.build for program in sorted(programs))

    def _scenario(self, fault: Fault) -> Scenario:
        spec = self.context.catalog.scenario(fault.scenario)
        scenario = scenario_of(fault.scenario, spec, self.context.catalog.bench.suites["smoke"])
        grows = scenario.grows if fault.grows is None else fault.grows
        return scenario.model_copy(update={"phases": fault.load, "grows": grows})

    def _plan(self, fault: Fault, scenario: Scenario, trials: tuple[PlannedTrial, ...]) -> Plan:
        return self.plan.model_copy(
            update={
                "scenarios": (scenario,),
                "trials": trials,
                "subjects": (fault.subject,),
                "sets": self.testbed.sets,
                "event_loops": (fault.subject,),
            }
        )

    def _run(
        self,
        plan: Plan,
        scenario: Scenario,
        trial: PlannedTrial,
        fault: Fault,
        usual: Testbed | None = None,
    ) -> Evidence:
        job = self.context.job(fault.program or plan.control)
        folder, run = job.artifact.folder, job.run_words
        self._count += 1
        if fault.patches:
            folder = self.folder / str(self._count)
            folder.mkdir()
            make = another_build if fault.stale else patched
            make(folder, job.artifact.folder / "app.jar", fault.patches, self.testbed.java)
            run = run if fault.stale else RUN
        words = (*fault.flags, *run)
        packaging = job.variant.spec.packaging["jvm"].model_copy(update={"run": words})
        spec = job.variant.spec.model_copy(update={"packaging": {"jvm": packaging}})
        subject = Subject.parse(trial.subject)
        faulty = replace(
            job,
            trial=trial,
            scenario=scenario,
            subject=subject,
            settings={**plan.defaults, **subject.settings},
            artifact=replace(job.artifact, folder=folder),
            variant=job.variant.model_copy(update={"spec": spec}),
        )
        testbed = replace(
            usual or self.testbed,
            database=cast(HostedDatabase, Altered(cast(PostgresService, self.testbed.database), fault.altered)),
            k6=replace(
                fault.generator.instead_of(self.testbed.k6, self.folder / f"k6-{self._count}"),
                timeout_s=fault.timeout_s,
            ),
            stop_s=2.0,
        )
        try:
            return run_trial(testbed, faulty, Watch(fault.began))
        finally:
            shutil.rmtree(testbed.work)
            testbed.work.mkdir()


def _trial(number: int, subject: str, scenario: Scenario, role: TrialRole, proof: Proof | None = None) -> PlannedTrial:
    return PlannedTrial(number=number, block=1, subject=subject, scenario=scenario.id, role=role, proof=proof)


def _no_other(stack: ExitStack, sets: CpuSets) -> Testbed:
    raise AssertionError("no proof of these tests has CPUs of its own")
