"""Find out why a session with a budget ended, and what more time would buy. Pure: `verify` repeats it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from plumbline.figures.proof import LEAST_MEASURED_S
from plumbline.figures.rounding import rounded
from plumbline.judge.wording import counted
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import MeasuredLength, SessionEnd, Steadiness, Trial, Undecided
from plumbline.stats.interval import mean
from plumbline.stats.length import levels_of
from .orders import SubjectOrder, leading_figure, orders
from .ran import took_s

SECONDS = "throughput_cv_share"


def ended(
    plan: Plan, trials: Sequence[Trial], evidence: Mapping[int, Evidence], proven: Sequence[Steadiness] = ()
) -> SessionEnd | None:
    """Return the end of the session; None for a session without a budget."""
    if plan.budget is None:
        return None
    asked = orders(plan, trials, proven)
    open_ = [one for one in asked if not one.decided]
    blocks = max((one.block for one in plan.trials if one.role == "measured"), default=0)
    through = blocks >= plan.budget.looks[-1] or not any(one.worth_more for one in open_)
    return SessionEnd(
        why="decided" if not open_ else "blocks" if through else "budget",
        blocks=blocks,
        orders=len(asked),
        undecided=tuple(
            Undecided(
                scenario=one.scenario,
                data_access=one.access,
                one=one.one,
                other=one.other,
                words=one.words,
                further_blocks=one.further_blocks,
            )
            for one in open_
        ),
        further_s=_further_s(open_, evidence),
        lengths=tuple(_lengths(plan, trials, evidence)),
    )


def words_of(its: SessionEnd) -> list[str]:
    """Return why it ended, what is open, and what more time would buy, a sentence each."""
    blocks = counted(its.blocks, "block")
    lines = [
        {
            "decided": f"Every order within a class is decided, after {blocks}."
            if its.orders
            else f"No two subjects of a class were measured: no order to decide, after {blocks}.",
            "budget": f"The budget is spent, after {blocks}.",
            "blocks": f"Ended after {blocks}: more of them would decide nothing.",
        }[its.why]
    ]
    lines += [
        f"Open under {one.scenario}: {one.other} against {one.one}: {one.words.rstrip('.')}."
        for one in its.undecided
    ]
    if its.further_s is not None:
        lines.append(
            f"That would take about {counted(math.ceil(its.further_s / 60), 'minute')} more, by a longer --budget."
        )
    lines += [
        f"Under {one.scenario} processes scattered by {one.processes:.1%} and the seconds of one by {one.seconds:.1%}, "
        f"{one.before_s:.0f} s before they were measured for {one.measured_s:.0f}: the same time decides most with "
        f"{max(LEAST_MEASURED_S, one.best_s):.0f} s in each."
        for one in its.lengths
    ]
    return lines


def _lengths(
    plan: Plan, trials: Sequence[Trial], evidence: Mapping[int, Evidence]
) -> Iterator[MeasuredLength]:
    """Yield how long a process should be measured, for scenarios whose leading figure is of closed load."""
    for scenario in plan.scenarios:
        leading = leading_figure(scenario, plan.host_class)
        phase = next((one for one in scenario.phases if leading and one.name == leading[0]), None)
        if leading is None or phase is None or phase.kind != "closed":
            continue
        its = [
            trial
            for trial in trials
            if (trial.scenario, trial.role) == (scenario.id, "measured")
            and trial.verdict != "invalid"
            and {leading[1], SECONDS} <= trial.figures.get(phase.name, {}).keys()
        ]
        by_subject: dict[str, list[float]] = {}
        for trial in its:
            by_subject.setdefault(trial.subject, []).append(trial.figures[phase.name][leading[1]])
        seconds = [trial.figures[phase.name][SECONDS] for trial in its]
        levels = levels_of(list(by_subject.values()), seconds, phase.duration_s)
        if levels is None:
            continue
        before_s = mean([took_s(evidence[trial.number]) - phase.duration_s for trial in its])
        best_s = levels.best_s(before_s)
        if best_s is not None:
            yield MeasuredLength(
                scenario=scenario.id,
                measured_s=phase.duration_s,
                before_s=rounded(before_s),
                processes=rounded(levels.processes),
                seconds=rounded(levels.seconds),
                best_s=rounded(best_s),
            )


def _further_s(open_: Sequence[SubjectOrder], evidence: Mapping[int, Evidence]) -> float | None:
    """Return the time of the blocks that would decide what can be decided: each open subject for as long as it took."""
    wanted: dict[tuple[str, str], int] = {}
    for one in open_:
        for subject in (one.one, one.other):
            key = subject, one.scenario
            wanted[key] = max(wanted.get(key, 0), one.further_blocks or 0)
    each_s: dict[tuple[str, str], list[float]] = {}
    for its in evidence.values():
        each_s.setdefault((its.subject, its.scenario), []).append(took_s(its))
    needed = [blocks * mean(each_s[key]) for key, blocks in wanted.items() if blocks and key in each_s]
    return rounded(sum(needed)) if needed else None
