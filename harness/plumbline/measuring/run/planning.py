"""Plan sessions on this machine: new sessions, comparisons, and sessions that run a recorded session again."""

from __future__ import annotations

import math
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from plumbline.archive.record.agreement import estimate_of, is_sound, ratios_of
from plumbline.archive.record.gate import opened
from plumbline.archive.record.write import RECORD
from plumbline.machine.tools.download import file_sha256
from plumbline.model.comparison import ComparisonPlan, Ratio, Reproduces
from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets
from plumbline.model.plan import Plan, PlannedTrial, Scenario
from plumbline.model.record import Record
from plumbline.model.subject import Subject
from plumbline.subjects.plan.compare import make_comparison
from plumbline.subjects.plan.declared import control_of, engine_of
from plumbline.subjects.plan.detectable import detectable, leading_noise, level_of_orders
from plumbline.subjects.plan.duration import preparation_s, trials_s
from plumbline.subjects.plan.make import Selection, make_plan, session_id
from plumbline.verdicts.contract import WORKLOAD_VERSION
from plumbline.verdicts.judge.wording import counted, sized
from plumbline.verdicts.stats.agree import Estimate, detectable_difference, difference_of
from .context import Context
from .sides import require_server_for_each_side, scenarios_of
from .sources import resolve_commit


def plan_session(context: Context, selection: Selection) -> Plan:
    """Plan a session; its night is tonight (in UTC) if the selection has none.

    Raises UsageError, also for a night that chooses nothing.
    """
    if selection.night is not None and (selection.only or not context.catalog.suite(selection.suite)[1].rotation):
        raise UsageError(
            "--night chooses from the rotation of a suite, and nothing here.",
            "Leave --night or --only out, and name a suite with a rotation, such as nightly.",
        )
    selection = _with_night(selection)
    plan = make_plan(
        context.catalog,
        _with_seed(selection),
        context.host,
        context.sets,
        context.held_by,
        session=_new_session_id(context),
        noise=context.noise(),
        means=context.means(engine_of(map(Subject.parse, subjects_of(context, selection)))),
    )
    return _with_network(context, plan)


def _with_network(context: Context, plan: Plan) -> Plan:
    """Return the plan with the network of its database."""
    return plan.model_copy(update={"network": context.network(engine_of(map(Subject.parse, plan.subjects)))})


def subjects_of(context: Context, selection: Selection) -> tuple[str, ...]:
    """Return the ids of the subjects that a session measures, the control first. Raises UsageError."""
    catalog, asked = context.catalog, _with_night(selection)
    _, suite = catalog.suite(asked.suite)
    subjects = catalog.subjects_of(suite, asked.only, asked.night)
    return tuple(subject.id for subject in (control_of(catalog, subjects), *subjects))


def plan_comparison(context: Context, comparison: ComparisonPlan, selection: Selection) -> Plan:
    """Plan a comparison. Raises UsageError."""
    sources = (comparison.base, comparison.head)
    plan = make_comparison(
        context.catalog,
        _with_seed(selection),
        comparison,
        context.host,
        context.sets,
        context.places if comparison.design == "duet" else None,
        context.placement.name,
        session=_new_session_id(context),
        scenarios=scenarios_of(context, sources, comparison.contests, selection),
        noise=context.noise(duet=comparison.design == "duet"),
    )
    return _with_network(context, plan)


def _with_seed(selection: Selection) -> Selection:
    """Return the selection with a seed, a random one if it has none."""
    if selection.seed is not None:
        return selection
    return replace(selection, seed=random.SystemRandom().randrange(2**32))


def _with_night(selection: Selection) -> Selection:
    """Return the selection with a night, tonight in UTC if it has none."""
    return replace(selection, night=selection.night or datetime.now(UTC).date())


def _new_session_id(context: Context) -> str:
    return session_id(datetime.now(UTC), context.host_name, secrets.token_hex(3))


@dataclass(frozen=True)
class Reproduction:
    """A plan to run, and sentences to say before: what this host could detect, and how it differs."""

    plan: Plan
    sentences: tuple[str, ...]


def reproduction_of(context: Context, folder: Path) -> Reproduction:
    """Return the plan of the record in a folder, for this host.

    Raises AnswerIsNo for a folder without a record or with a changed record, UsageError for a record that can't be
    run again here.
    """
    record, _ = opened(folder, context.say)
    commit = _commit_of(context, record)
    _require_same_workload(context, record, commit)
    ratios = ratios_of(record.plan, record.trials, record.steadiness)
    if not ratios:
        raise UsageError(
            f"{record.plan.session} has no ratio to compare this host with: too few of its trials are valid.",
            "Name a session with two valid trials of each subject at least.",
        )
    plan = _plan_for_host(context, record, file_sha256(folder / RECORD), commit, ratios)
    return Reproduction(plan, (*_detectable_sentences(plan), *_differences(context, record, plan)))


def _commit_of(context: Context, record: Record) -> str:
    """Return the commit of the record. Raises UsageError if it has none, or if this clone lacks a commit of it."""
    name, commit = record.plan.session, record.provenance.commit
    if record.plan.simulated:
        raise UsageError(f"{name} was simulated, and never ran.", "Name a session that was measured.")
    comparison = record.plan.comparison
    if commit is None or (comparison is not None and "worktree" in (comparison.base.kind, comparison.head.kind)):
        raise UsageError(
            f"{name} was measured on files that are in no commit: nobody can run the same.",
            "Name a session that was measured on commits.",
        )
    commits = [
        commit,
        *(
            ()
            if comparison is None
            else (source.commit for source in (comparison.base, comparison.head) if source.commit)
        ),
    ]
    for needed in commits:
        if resolve_commit(context.root, needed) is None:
            raise UsageError(
                f"This clone lacks the commit {needed[:12]} of {name}.",
                "Fetch it by `git fetch origin` (a shallow clone: `git fetch --unshallow`), then try again.",
            )
    return commit


def _require_same_workload(context: Context, record: Record, commit: str) -> None:
    """Check that scenarios, schema and golden answers of this checkout have the versions of the record."""
    next_step = f"Check out {commit[:12]}, and run `./bench reproduce` there."
    if record.versions.workload != WORKLOAD_VERSION:
        raise UsageError(
            f"{record.plan.session} did the workload of version {record.versions.workload}, and this checkout has "
            f"version {WORKLOAD_VERSION}.",
            next_step,
        )
    for scenario in record.plan.scenarios:
        own = context.catalog.bench.scenarios.get(scenario.name)
        if own is None or (own.version, own.script) != (scenario.version, scenario.script):
            raise UsageError(f"This checkout has no scenario {scenario.id} any more.", next_step)


def _plan_for_host(
    context: Context, record: Record, record_sha256: str, commit: str, ratios: tuple[Ratio, ...]
) -> Plan:
    plan, host = record.plan, context.host
    # Proofs belong to the CPUs of the recorded host, and no ratio is compared with them.
    without_proofs = tuple(trial.model_copy(update={"host": None}) for trial in plan.trials if trial.proof is None)
    duet = any(trial.sets is not None for trial in without_proofs)
    if duet:
        engine = engine_of(map(Subject.parse, plan.subjects))
        require_server_for_each_side(context, engine, "Reproduce it on another host")
    trials = _moved_to_places(context, without_proofs) if duet else without_proofs
    # The two trials of a pair of a duet run at once.
    one_by_one = [trial for trial in trials if not duet or trial.side != "head"]
    pairs = len({trial.block for trial in trials if trial.role == "measured"})
    sets = context.places[0] if duet else context.sets
    scenarios = tuple(_fitting(context, scenario.unrated, sets) for scenario in plan.scenarios)
    noise = leading_noise(scenarios, context.noise(duet=duet))
    plan_here = plan.model_copy(
        update={
            "session": session_id(datetime.now(UTC), context.host_name, secrets.token_hex(3)),
            "host": host.name,
            "host_class": host.host_class,
            "sets": sets,
            "placement": context.placement.name,
            "trials": trials,
            "unproven": (),
            "scenarios": scenarios,
            "expected_s": round(preparation_s(trials, scenarios) + trials_s(one_by_one, scenarios), 1),
            "detectable": detectable(pairs, host.host_class, noise, level=level_of_orders(plan)),
            "reproduces": Reproduces(
                session=plan.session,
                record_sha256=record_sha256,
                commit=commit,
                host=record.host.name,
                ratios=ratios,
            ),
        }
    )
    return _with_network(context, plan_here)


def _fitting(context: Context, scenario: Scenario, sets: CpuSets) -> Scenario:
    """Return the scenario with the connections that fit these CPUs, where its connections depend on them."""
    spec = context.catalog.scenario(scenario.name)
    if spec.connections_per_cpu is None:
        return scenario
    connections = spec.connections_on(len(sets.app))
    phases = tuple(
        phase if phase.connections is None else phase.model_copy(update={"connections": connections})
        for phase in scenario.phases
    )
    return scenario.model_copy(update={"phases": phases})


def _moved_to_places(context: Context, trials: Sequence[PlannedTrial]) -> tuple[PlannedTrial, ...]:
    """Return the trials of a duet on the places of this host; each keeps the first or the second place."""
    recorded_places = list(dict.fromkeys(trial.sets for trial in trials if trial.sets is not None))
    own_place = dict(zip(recorded_places, context.places, strict=False))
    return tuple(
        trial if trial.sets is None else trial.model_copy(update={"sets": own_place[trial.sets]}) for trial in trials
    )


def _detectable_sentences(plan: Plan) -> list[str]:
    """Return in sentences what this host could detect, by its own noise or by the noise assumed for such hosts."""
    assert plan.reproduces is not None
    expected = plan.detectable
    own_estimate = Estimate(0.0, expected.cv * math.sqrt(2 / expected.trials), max(1, expected.trials - 1))
    ratios = [ratio for ratio in plan.reproduces.ratios if is_sound(ratio.metric, plan.host_class)]
    sentences = [
        f"{counted(len(ratios), 'ratio')} of {plan.reproduces.session} (host {plan.reproduces.host}) to be held to"
    ]
    if len(ratios) < len(plan.reproduces.ratios):
        sentences[0] += (
            f"; {len(plan.reproduces.ratios) - len(ratios)} of throughput are left out, since a small host bounds it"
        )
    if ratios:
        differences = [difference_of(own_estimate, estimate_of(ratio)) for ratio in ratios]
        change = math.expm1(
            min(5.0, median(detectable_difference(difference, len(ratios)) for difference in differences))
        )
        sentences.append(
            f"with {counted(expected.trials, 'trial')} a subject this host would tell a ratio that differs by "
            f"{sized(change)} in 95 of 100 sessions, in the median, if no drift has to be excluded here "
            f"({expected.basis})"
        )
    return sentences


def _differences(context: Context, record: Record, plan: Plan) -> list[str]:
    """Return the differences between this host or checkout and those of the record; none of them forbids the run."""
    jdk, k6 = context.jdk, context.k6
    pairs: list[tuple[str, object, object]] = [
        ("JDK", record.provenance.jdk, f"{jdk.vendor} {jdk.build}"),
        ("k6", record.provenance.k6.split(" (")[0], f"k6 {k6.version}"),
        ("CPU", record.host.cpu_model, context.host.cpu_model),
        ("class of host", record.host.host_class, context.host.host_class),
        ("network", record.plan.network, plan.network),
        *(
            (f"connections under {here.id}", _connections(there), _connections(here))
            for there, here in zip(record.plan.scenarios, plan.scenarios, strict=True)
        ),
    ]
    sentences = [f"{name}: there {recorded}, here {own}" for name, recorded, own in pairs if recorded != own]
    if record.provenance.dirty:
        sentences.append("the checkout there had changes that are in no commit; what runs here is the commit")
    return sentences


def _connections(scenario: Scenario) -> int | None:
    return next((phase.connections for phase in scenario.phases if phase.connections is not None), None)
