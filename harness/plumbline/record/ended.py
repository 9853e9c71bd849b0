"""Why a session with a budget ended, what it left open, and what more time would buy. Pure: `verify` repeats it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plumbline.figures.rounding import rounded
from plumbline.judge.wording import counted
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import SessionEnd, Trial, Undecided
from plumbline.stats.moments import mean
from .orders import Order, orders

# Around the rows of a trial: restore, start, and what is read after its end.
AROUND_ROWS_S = 5.0


def ended(plan: Plan, trials: Sequence[Trial], evidence: Mapping[int, Evidence]) -> SessionEnd | None:
    """How it ended; None for a session without a budget."""
    if plan.budget is None:
        return None
    open_ = [one for one in orders(plan, trials) if not one.decided]
    blocks = max((one.block for one in plan.trials if one.role == "measured"), default=0)
    through = blocks >= plan.budget.looks[-1] or not any(one.worth_more for one in open_)
    return SessionEnd(
        why="decided" if not open_ else "blocks" if through else "budget",
        blocks=blocks,
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
    )


def words_of(its: SessionEnd) -> list[str]:
    """Why it ended, what is open, and what more time would buy, a sentence each."""
    blocks = counted(its.blocks, "block")
    if its.why == "decided":
        return [f"Every order within a class is decided, after {blocks}."]
    lines = [
        f"The budget is spent, after {blocks}."
        if its.why == "budget"
        else f"Ended after {blocks}: more of them would decide nothing."
    ]
    lines += [
        f"Open under {one.scenario}: {one.other} against {one.one}, {one.words}." for one in its.undecided
    ]
    if its.further_s is not None:
        most = max(one.further_blocks or 0 for one in its.undecided)
        lines.append(
            f"About {counted(most, 'more block')} would decide it: {math.ceil(its.further_s / 60)} minutes more by "
            "--budget."
        )
    return lines


def _further_s(open_: Sequence[Order], evidence: Mapping[int, Evidence]) -> float | None:
    """The time of the blocks that would decide what can be decided: each open subject for as long as it took."""
    wanted: dict[tuple[str, str], int] = {}
    for one in open_:
        for subject in (one.one, one.other):
            key = subject, one.scenario
            wanted[key] = max(wanted.get(key, 0), one.further_blocks or 0)
    took_s: dict[tuple[str, str], list[float]] = {}
    for its in evidence.values():
        if its.series.t_s:
            took_s.setdefault((its.subject, its.scenario), []).append(its.series.t_s[-1] + AROUND_ROWS_S)
    needed = [blocks * mean(took_s[key]) for key, blocks in wanted.items() if blocks and key in took_s]
    return rounded(sum(needed)) if needed else None
