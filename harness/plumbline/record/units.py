"""The trials of a comparison by contest and scenario, in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.model.comparison import ComparisonPlan, Pair, Side
from plumbline.model.plan import Plan, Scenario
from plumbline.model.record import Trial


@dataclass(frozen=True)
class ContestUnit:
    """A contest under one scenario: its pairs in the order they ran, with the (base, head) trials of each."""

    base_subject: str
    head_subject: str
    scenario: Scenario
    pairs: tuple[Pair, ...]
    trials: tuple[tuple[Trial, Trial], ...]

    @property
    def used(self) -> tuple[tuple[Trial, Trial], ...]:
        """The trials of the pairs that are used."""
        return tuple(both for pair, both in zip(self.pairs, self.trials, strict=True) if pair.used)


def units_of(plan: Plan, asked: ComparisonPlan, trials: Sequence[Trial]) -> list[ContestUnit]:
    """Return the units of a comparison in the order of its plan; a trial without its partner is in none."""
    found = []
    for contest in asked.contests:
        for scenario in plan.scenarios:
            base = _by_block(trials, scenario.id, "base", contest.base)
            head = _by_block(trials, scenario.id, "head", contest.head)
            both = sorted(base.keys() & head.keys())
            pairs = [_pair(contest.base, contest.head, base[block], head[block]) for block in both]
            sides = tuple((base[block], head[block]) for block in both)
            found.append(ContestUnit(contest.base, contest.head, scenario, tuple(pairs), sides))
    return found


def _by_block(trials: Sequence[Trial], scenario: str, side: str, subject: str) -> dict[int, Trial]:
    return {
        trial.block: trial
        for trial in trials
        if (trial.scenario, trial.side, trial.subject, trial.role) == (scenario, side, subject, "measured")
    }


def _pair(base_subject: str, head_subject: str, base: Trial, head: Trial) -> Pair:
    bad = [trial.number for trial in (base, head) if trial.verdict == "invalid"]
    reason = f"trial{'s' if len(bad) > 1 else ''} {' and '.join(map(str, bad))} invalid" if bad else None
    return Pair(
        scenario=base.scenario,
        base_subject=base_subject,
        head_subject=head_subject,
        block=base.block,
        base=base.number,
        head=head.number,
        order="AB" if base.number < head.number else "BA",
        used=not bad,
        reason=reason,
    )


def spoiled_by(asked: ComparisonPlan, units: Sequence[ContestUnit]) -> tuple[Side, str] | None:
    """Return the side of which every trial of a unit is invalid, if the other side has one that counts, and why."""
    for unit in units:
        for side, place in (("head", 1), ("base", 0)):
            mine = [both[place] for both in unit.trials]
            others = [both[1 - place] for both in unit.trials]
            if not mine or any(one.verdict != "invalid" for one in mine):
                continue
            if all(one.verdict == "invalid" for one in others):
                continue
            name = asked.head.given if side == "head" else asked.base.given
            found = next((one for one in mine[0].findings if one.outcome == "invalid"), None)
            why = "" if found is None else f" ({found.rule}: {found.reading.rstrip('.')})"
            return ("head" if side == "head" else "base"), f"every trial of {name} is invalid{why}"
    return None
