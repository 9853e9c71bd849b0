"""Plan sessions on this machine, now: new ones, comparisons, and those that run a recorded session again."""

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
from plumbline.archive.record.difference import RecordRefused
from plumbline.archive.record.gate import not_as_recorded
from plumbline.archive.record.read import read_session
from plumbline.archive.record.write import RECORD
from plumbline.measuring.build.store import file_sha256
from plumbline.model.comparison import ComparisonPlan, Ratio, Reproduces
from plumbline.model.errors import UsageError
from plumbline.model.plan import Plan, PlannedTrial
from plumbline.model.record import Record
from plumbline.subjects.plan.compare import make_comparison
from plumbline.subjects.plan.detectable import detectable, leading_noise
from plumbline.subjects.plan.duration import session_s
from plumbline.subjects.plan.make import Selection, make_plan, session_id
from plumbline.verdicts.contract import WORKLOAD_VERSION
from plumbline.verdicts.judge.wording import counted, sized
from plumbline.verdicts.stats.agree import Estimate, detectable_difference, difference_of
from .context import Context
from .sources import resolve_commit


def plan_session(context: Context, selection: Selection) -> Plan:
    """Plan a session, of tonight (in UTC) where the selection has no night. Raises UsageError."""
    plan = make_plan(
        context.catalog,
        replace(_drawn(selection), night=selection.night or datetime.now(UTC).date()),
        context.host,
        context.sets,
        context.held_by,
        session=_named(context),
        noise=context.noise,
        means=context.means,
    )
    return plan.model_copy(update={"network": context.network})


def plan_comparison(context: Context, asked: ComparisonPlan, selection: Selection) -> Plan:
    """Plan a comparison. Raises UsageError."""
    return make_comparison(
        context.catalog,
        _drawn(selection),
        asked,
        context.host,
        context.sets,
        context.places if asked.design == "duet" else None,
        context.placement.name,
        noise=context.noise,
        session=_named(context),
    )


def _drawn(selection: Selection) -> Selection:
    """Return the selection with a seed."""
    if selection.seed is not None:
        return selection
    return replace(selection, seed=random.SystemRandom().randrange(2**32))


def _named(context: Context) -> str:
    return session_id(datetime.now(UTC), context.host_name, secrets.token_hex(3))


@dataclass(frozen=True)
class Reproduction:
    """A plan to run, and sentences to say before: what this host could detect, and how it differs."""

    plan: Plan
    said: tuple[str, ...]


def reproduction_of(context: Context, folder: Path) -> Reproduction:
    """Return the plan of the record in a folder, for this host.

    Raises AnswerIsNo for a folder without a record or with a changed record, UsageError for a record that nobody could
    run again here.
    """
    try:
        record, _ = read_session(folder)
    except RecordRefused as why:
        raise not_as_recorded(folder, why.problem) from why
    commit = _commit(context, record)
    _same_work(context, record, commit)
    ratios = ratios_of(record.plan, record.trials, record.steadiness)
    if not ratios:
        raise UsageError(
            f"{record.plan.session} has no ratio to compare this host with: too few of its trials are valid.",
            "Name a session with two valid trials of each subject at least.",
        )
    plan = _here(context, record, file_sha256(folder / RECORD), commit, ratios)
    return Reproduction(plan, (*_could_tell(plan), *_differences(context, record)))


def _commit(context: Context, record: Record) -> str:
    """Return the commit of the record, which this clone has."""
    name, commit = record.plan.session, record.provenance.commit
    if record.plan.simulated:
        raise UsageError(f"{name} was simulated, and never ran.", "Name a session that was measured.")
    asked = record.plan.comparison
    if commit is None or (asked is not None and "worktree" in (asked.base.kind, asked.head.kind)):
        raise UsageError(
            f"{name} was measured on files that are in no commit: nobody can run the same.",
            "Name a session that was measured on commits.",
        )
    commits = [
        commit,
        *(() if asked is None else (one.commit for one in (asked.base, asked.head) if one.commit)),
    ]
    for one in commits:
        if resolve_commit(context.root, one) is None:
            raise UsageError(
                f"This clone lacks the commit {one[:12]} of {name}.",
                "Fetch it by `git fetch origin` (a shallow clone: `git fetch --unshallow`), then try again.",
            )
    return commit


def _same_work(context: Context, record: Record, commit: str) -> None:
    """Scenarios, schema and golden answers are those of this checkout; they must be of the record's versions."""
    go_there = f"Check out {commit[:12]}, and run `./bench reproduce` there."
    if record.versions.workload != WORKLOAD_VERSION:
        raise UsageError(
            f"{record.plan.session} did the workload of version {record.versions.workload}, and this checkout has "
            f"version {WORKLOAD_VERSION}.",
            go_there,
        )
    for scenario in record.plan.scenarios:
        known = context.catalog.bench.scenarios.get(scenario.name)
        if known is None or (known.version, known.script) != (scenario.version, scenario.script):
            raise UsageError(f"This checkout has no scenario {scenario.id} any more.", go_there)


def _here(
    context: Context, record: Record, record_sha256: str, commit: str, ratios: tuple[Ratio, ...]
) -> Plan:
    plan, host = record.plan, context.host
    # Proofs are of the CPUs that were there, and no ratio is held to them.
    figured = tuple(trial.model_copy(update={"host": None}) for trial in plan.trials if trial.proof is None)
    duet = any(trial.sets is not None for trial in figured)
    trials = _in_places(context, figured) if duet else figured
    pairs = len({trial.block for trial in trials if trial.role == "measured"})
    noise = leading_noise(plan.scenarios, context.noise)
    return plan.model_copy(
        update={
            "session": session_id(datetime.now(UTC), context.host_name, secrets.token_hex(3)),
            "host": host.name,
            "host_class": host.host_class,
            "sets": context.places[0] if duet else context.sets,
            "placement": context.placement.name,
            "trials": trials,
            "unproven": (),
            "scenarios": tuple(one.unrated for one in plan.scenarios),
            "expected_s": round(session_s(trials, plan.scenarios, len(plan.contenders)), 1),
            "detectable": detectable(pairs, host.host_class, noise),
            "reproduces": Reproduces(
                session=plan.session,
                record_sha256=record_sha256,
                commit=commit,
                host=record.host.name,
                ratios=ratios,
            ),
        }
    )


def _in_places(context: Context, trials: Sequence[PlannedTrial]) -> tuple[PlannedTrial, ...]:
    """Return the trials of a duet on the places of this host, each where it was: on the first or the second."""
    there = list(dict.fromkeys(trial.sets for trial in trials if trial.sets is not None))
    here = dict(zip(there, context.places, strict=False))
    return tuple(
        trial if trial.sets is None else trial.model_copy(update={"sets": here[trial.sets]})
        for trial in trials
    )


def _could_tell(plan: Plan) -> list[str]:
    """Return what this host could detect, of its own noise or of what is assumed of such hosts."""
    assert plan.reproduces is not None
    found = plan.detectable
    ours = Estimate(0.0, found.cv * math.sqrt(2 / found.trials), max(1, found.trials - 1))
    sound = [one for one in plan.reproduces.ratios if is_sound(one.metric, plan.host_class)]
    said = [
        f"{counted(len(sound), 'ratio')} of {plan.reproduces.session} (host {plan.reproduces.host}) to be held to"
    ]
    if len(sound) < len(plan.reproduces.ratios):
        said[0] += (
            f"; {len(plan.reproduces.ratios) - len(sound)} of throughput are left out, since a small host bounds it"
        )
    if sound:
        both = [difference_of(ours, estimate_of(one)) for one in sound]
        change = math.expm1(min(5.0, median(map(detectable_difference, both))))
        said.append(
            f"with {counted(found.trials, 'trial')} a subject this host would tell a ratio that differs by "
            f"{sized(change)} in 95 of 100 sessions, in the median ({found.basis})"
        )
    return said


def _differences(context: Context, record: Record) -> list[str]:
    """Yield the differences between this host or checkout and those of the record, which do not forbid the run."""
    jdk, k6 = context.jdk, context.k6
    pairs = [
        ("JDK", record.provenance.jdk, f"{jdk.vendor} {jdk.build}"),
        ("k6", record.provenance.k6.split(" (")[0], f"k6 {k6.version}"),
        ("CPU", record.host.cpu_model, context.host.cpu_model),
        ("class of host", record.host.host_class, context.host.host_class),
    ]
    said = [f"{what}: there {there}, here {here}" for what, there, here in pairs if there != here]
    if record.provenance.dirty:
        said.append("the checkout there had changes that are in no commit; what runs here is the commit")
    return said
