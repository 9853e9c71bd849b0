"""The plan of a session as people read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from .console import duration
from .selecting import found_words, short_budget_words

if TYPE_CHECKING:
    from plumbline.model.plan import Plan
    from plumbline.subjects.catalog.bench import ScenarioSpec, SuiteSpec
    from plumbline.subjects.catalog.catalog import Catalog
    from plumbline.subjects.plan.detectable import NoiseBook

# Names of the first block: a suite of every subject has hundreds.
_MOST_SHOWN = 12


def table(plan: Plan, catalog: Catalog, night: date | None, noise: NoiseBook) -> str:
    """Return the lines of a plan: what would run, where, for how long, and what the session could find.

    `night` is None where globs chose the subjects, and no night.
    """
    from plumbline.verdicts.judge.wording import counted, percent

    _, spec = catalog.suite(plan.suite)
    lines = [
        f"Suite {plan.suite}: {spec.about}.",
        *_size(plan, spec),
        *_scale(plan),
        *_proofs(plan),
        "",
        "Subjects",
    ]
    for text in (*plan.subjects, plan.control):
        subject = catalog.subject(text)
        note = " (control: first, middle, last; its first trial is thrown away)" if text == plan.control else ""
        lines.append(f"  {text:48} {catalog.variant(subject.variant).spec.name}{note}")
    for scenario in plan.scenarios:
        lines += ["", f"Scenario {scenario.id}: {scenario.operation}"]
        lines += [
            f"  {case.name:14} {case.arrivals_per_minute:>4} arrivals a minute, each {', then '.join(case.requests)}"
            for case in scenario.use_cases
        ]
        lines += ramp(plan, catalog.scenario(scenario.name))
        for phase in scenario.phases:
            if phase.duration_s:
                load = counted(phase.connections or 0, "connection")
                if phase.kind == "open":
                    load = (
                        f"{phase.rate_per_s:g} requests/s"
                        if phase.rate_per_s
                        else f"{percent(phase.rate_share or 0.0)} of the slowest subject's capacity"
                    )
                cycles = f" x {phase.cycles}" if phase.cycles > 1 else ""
                if phase.least_cycles not in (None, phase.cycles):
                    cycles = f" x {phase.least_cycles} to {phase.cycles}, until steady"
                lines.append(f"  {phase.name:12} {phase.duration_s:g} s{cycles}, {load}")
    detectable = plan.detectable
    detectable_in_words = (
        "so few trials a subject allow no verdict"
        if detectable.change is None
        else f"{found_words(detectable.change, plan.host_class)} would be found between two subjects in 95 of 100 "
        "sessions"
    )
    sets = plan.sets
    lines += [
        "",
        f"Host {plan.host} ({plan.host_class}), placement by {plan.placement}: app on CPU {_cpus(sets.app)}, "
        f"database on {_cpus(sets.db)}, load on {_cpus(sets.load)}, housekeeping on {_cpus(sets.housekeeping)}.",
        f"Detectable with {counted(detectable.trials, 'trial')}: {detectable_in_words} ({detectable.basis}).",
        f"Seed {plan.seed}; order of the first block: {_order([t.subject for t in plan.trials if t.block == 1])}.",
    ]
    lines += _power(plan, noise)
    if night is not None:
        lines += _rotation(spec, catalog, night)
    if plan.budget is None and plan.expected_s > spec.budget:
        lines.append(f"This is over the budget of {duration(spec.budget)}: lower --blocks or narrow by --only.")
    return "\n".join(lines)


def _order(subjects: Sequence[str]) -> str:
    """Return the subjects in their order; a subject that comes several times in a row is named once."""
    runs = [(subject, len(list(run))) for subject, run in groupby(subjects)]
    shown = ", ".join(subject if times == 1 else f"{subject} {times} times" for subject, times in runs[:_MOST_SHOWN])
    left_out = sum(times for _, times in runs[_MOST_SHOWN:])
    return f"{shown} … and {left_out} more; `--json` has all" if left_out else shown


def _size(plan: Plan, spec: SuiteSpec) -> Iterator[str]:
    """Yield the number of trials and the time that they take, as text."""
    from plumbline.subjects.plan.duration import blocks_within
    from plumbline.verdicts.judge.wording import counted

    subjects = counted(len(plan.subjects), "subject")
    extent = f"{subjects} under {counted(len(plan.scenarios), 'scenario')}"
    if plan.budget is not None:
        room = blocks_within(plan.budget, plan.trials, plan.scenarios)
        first, last = plan.budget.looks[0], plan.budget.looks[-1]
        looks = f"one look, after {first} blocks" if first == last else f"looks after each of {first} to {last} blocks"
        has_proofs = any(trial.role == "proof" for trial in plan.trials)
        on_top = f", and the proofs: about {duration(plan.expected_s)} in all" if has_proofs else ""
        yield (
            f"{extent}, block by block until every order within a class is decided, for "
            f"{duration(plan.budget.budget_s)} at most{on_top}"
        )
        yield (
            f"once built: room for about {counted(room, 'block')} if warm-ups end half way between floor and cap; "
            f"{looks}."
        )
        if (warning := short_budget(plan)) is not None:
            yield warning
        return
    roles = Counter(trial.role for trial in plan.trials)
    yield (
        f"{extent} in {counted(plan.blocks, 'block')}: {counted(roles['measured'], 'trial')}, and "
        f"{roles['control'] + roles['discarded']} of the control; "
        f"about {duration(plan.expected_s)} once built (budget {duration(spec.budget)})."
    )


def short_budget(plan: Plan) -> str | None:
    """Return a warning if the budget of a session may end before its first look, else None."""
    from plumbline.subjects.plan.duration import blocks_within, first_look_s
    from plumbline.verdicts.judge.wording import counted

    if plan.budget is None or blocks_within(plan.budget, plan.trials, plan.scenarios) >= plan.budget.looks[0]:
        return None
    needed_s = first_look_s(plan.budget, plan.trials, plan.scenarios)
    return short_budget_words(counted(plan.budget.looks[0], "block"), needed_s)


def ramp(plan: Plan, spec: ScenarioSpec) -> list[str]:
    """Return the line that names the rates of a ramp which this host leaves out."""
    from plumbline.subjects.plan.phases import provable_per_s, up_to

    if not spec.ramp:
        return []
    limit = provable_per_s(plan.sets)
    kept = {rate for phase in up_to(spec.phases, limit) for rate in phase.rates}
    left_out = [f"{rate}" for phase in spec.phases for rate in phase.rates if rate not in kept]
    if not left_out:
        return []
    return [
        f"  left out: {', '.join(left_out)} requests/s, since the load generator here can prove {limit} at the most"
    ]


def _scale(plan: Plan) -> list[str]:
    from plumbline.subjects.plan.phases import LEAST_BATCH, LEAST_BLOCKS, LEAST_LOAD_S, LEAST_PAUSE_S

    if plan.scale == 1.0:
        return []
    return [
        f"At scale {plan.scale:g} of times, batches and blocks: its numbers are never set beside those of another "
        f"scale. If the suite has more, at least this much of it stays: {LEAST_LOAD_S:g} s of load, "
        f"{LEAST_PAUSE_S:g} s of pause, {LEAST_BATCH} queries, {LEAST_BLOCKS} blocks."
    ]


def _proofs(plan: Plan) -> Iterator[str]:
    """Yield the lines on what the session proves at its end, and on what this host can't prove."""
    from plumbline.verdicts.judge.wording import counted

    by_proof = Counter(trial.proof for trial in plan.trials if trial.proof is not None)
    for proof, count in by_proof.items():
        rule = "R6" if proof == "twice the connections" else "R2"
        yield f"{counted(count, 'more trial')} at the end with {proof} ({rule}); no figure of theirs counts."
    for lacking in plan.unproven:
        yield f"Not to be had here: {lacking.proof}. {lacking.reason}"


def _power(plan: Plan, noise: NoiseBook) -> Iterator[str]:
    """Yield what each comparison of two subjects could show, metric by metric, where there is a history."""
    from plumbline.subjects.plan.detectable import by_metric
    from plumbline.verdicts.judge.wording import counted, percent, sized

    detectable_by_metric = by_metric(plan, noise)
    if not detectable_by_metric:
        return
    yield ""
    yield "Found in 95 of 100 sessions if no drift has to be excluded, by how much earlier trials scattered"
    for row, detectable in detectable_by_metric:
        name = f"{row.scenario} {row.phase} {row.metric}"
        change = "no verdict" if detectable.change is None else sized(detectable.change)
        scatter = f"scatter {percent(row.cv)}, {counted(row.degrees, 'degree')} of freedom, {row.where}"
        yield f"  {name:48} {change:>10}   ({scatter})"


def _rotation(suite: SuiteSpec, catalog: Catalog, night: date) -> Iterator[str]:
    """Yield the lines on the week of a rotating suite, and on what a missed night means."""
    from plumbline.subjects.catalog.bench import NIGHTS, rotation_of

    if not suite.rotation:
        return
    yield ""
    yield f"Rotation: {len(suite.rotation)} more subjects, each on one night of the week (UTC); this is {night}."
    for weekday, name in enumerate(NIGHTS):
        mark = "->" if weekday == night.weekday() else "  "
        subjects = [catalog.subject(text).id for text in rotation_of(suite, weekday)]
        yield f"{mark}{name:10} {', '.join(subjects) or '-'}"
    yield (
        "A night that is missed is missed: the constant subjects lack one point, those of that night come again a week "
        "later, or by --night."
    )


def _cpus(numbers: tuple[int, ...]) -> str:
    return ",".join(str(number) for number in numbers)
