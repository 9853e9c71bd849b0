"""Decide how long a session with a budget goes on: until every order within a class is decided, or the budget is spent.

At the start of each block this module decides who takes part in the block. A class under a scenario takes part until
all its orders are decided. If the budget has no room for a block of all of them, the classes that take the least time
go on alone. When no class has room, the control closes the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.data_access import AccessClass
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import Budget, Plan, PlannedTrial
from plumbline.plan.budget import CONTROL_AFTER
from plumbline.plan.duration import trial_s
from plumbline.record.assemble import orders_so_far
from plumbline.record.orders import SubjectOrder
from .rounds import Round

Taker = tuple[str, str]
"""A subject and a scenario."""
Class = tuple[str, AccessClass]
"""A scenario and a class of data access."""


class UntilDecided:
    """Decides before each trial whether it is still wanted. `spent_s` is the time of trials before an interruption."""

    def __init__(self, plan: Plan, budget: Budget, host: HostFacts, spent_s: float) -> None:
        self._plan, self._budget, self._host, self._spent_s = plan, budget, host, spent_s
        self._evidence: dict[int, Evidence] = {}
        self._took_s: dict[Taker, float] = {}
        self._takers: dict[int, frozenset[Taker]] = {0: frozenset(), 1: self._all()}
        self._said: list[str] = []

    def learn(self, evidence: Mapping[int, Evidence], took_s: float) -> None:
        """A trial ended after so many seconds; 0 for what was run before an interruption."""
        self._evidence |= evidence
        self._spent_s += took_s
        for one in evidence.values():
            its = one.subject, one.scenario
            self._took_s[its] = max(self._took_s.get(its, 0.0), took_s)

    def wants(self, round_: Round) -> bool:
        """Return whether a trial is still to be run."""
        trial = round_[0]
        if trial.role == "measured":
            return (trial.subject, trial.scenario) in self._of_block(trial.block)
        if trial.role != "control" or self._is_first(trial):
            return True
        return self._runs(trial.scenario, trial.block) and (
            trial.block in CONTROL_AFTER or not self._runs(trial.scenario, trial.block + 1)
        )

    def news(self) -> list[str]:
        """Return the results of the looks since the last call, in lines."""
        said, self._said = self._said, []
        return said

    def stands(self, blocks: int) -> tuple[SubjectOrder, ...]:
        """Return the orders as they stand after so many blocks."""
        before = {number: one for number, one in self._evidence.items() if self._block(number) <= blocks}
        return orders_so_far(self._plan, self._host, before)

    def likely(self, left: Sequence[Round]) -> list[Round]:
        """Return the remaining rounds that have room in the budget at the pace so far, if nothing is decided before."""
        takers = self._foreseen()
        last = max((block for block, its in takers.items() if its), default=0)
        return [round_ for round_ in left if self._is_within(round_[0], takers, last)]

    def _is_within(self, trial: PlannedTrial, takers: Mapping[int, frozenset[Taker]], last: int) -> bool:
        """Return whether a trial would be run with these takers of each block, the `last` of which has some."""
        if trial.role == "measured":
            return (trial.subject, trial.scenario) in takers.get(trial.block, ())
        if trial.role != "control" or self._is_first(trial):
            return True
        return trial.block <= last and (trial.block in CONTROL_AFTER or trial.block == last)

    def _foreseen(self) -> dict[int, frozenset[Taker]]:
        """Return the subjects that take part in each block, as far as is known now."""
        foreseen = dict(self._takers)
        block = max(foreseen)
        takers = foreseen[block]
        measured = {
            (one.subject, one.scenario)
            for number, one in self._evidence.items()
            if self._block(number) == block
        }
        spent_s = self._spent_s + self._sum_s(takers - measured)
        while takers and block < self._budget.looks[-1]:
            if block in CONTROL_AFTER:
                spent_s += self._sum_s(self._closing(takers))
            takers = self._affordable(takers, spent_s)
            block, spent_s = block + 1, spent_s + self._sum_s(takers)
            foreseen[block] = takers
        return foreseen

    def _runs(self, scenario: str, block: int) -> bool:
        return any(its == scenario for _, its in self._of_block(block))

    def _of_block(self, block: int) -> frozenset[Taker]:
        if block not in self._takers:
            self._takers[block] = self._decide(block)
        return self._takers[block]

    def _decide(self, block: int) -> frozenset[Taker]:
        before = self._of_block(block - 1)
        if not before or block > self._budget.looks[-1]:
            return frozenset()
        takers = before
        if block - 1 in self._budget.looks:
            stands = self.stands(block - 1)
            self._said += [
                f"after {block - 1} blocks, {one.scenario}: {one.other} against {one.one}: {one.words}"
                for one in stands
            ]
            open_ = [one for one in stands if one.worth_more]
            takers = frozenset(taker for taker in before if any(self._is_of(taker, one) for one in open_))
        begun = {
            self._class_of((one.subject, one.scenario))
            for number, one in self._evidence.items()
            if self._block(number) >= block
        }
        started = frozenset(taker for taker in takers if self._class_of(taker) in begun)
        is_over = any(self._block(number) > block for number in self._evidence)
        return started if is_over else self._affordable(takers, self._spent_s, started)

    def _affordable(
        self, takers: frozenset[Taker], spent_s: float, found: frozenset[Taker] = frozenset()
    ) -> frozenset[Taker]:
        """Return the classes of a block: those `found` already, and the other classes that the budget has room for, the
        quickest first.

        There has to be room for the control that closes the session, too.
        """
        classes: dict[Class, frozenset[Taker]] = {}
        for taker in takers - found:
            its = self._class_of(taker)
            classes[its] = classes.get(its, frozenset()) | {taker}
        for its in sorted(classes, key=lambda its: (self._sum_s(classes[its]), its)):
            more = found | classes[its]
            if spent_s + self._sum_s(more | self._closing(more)) <= self._budget.budget_s:
                found = more
        return found

    def _closing(self, takers: frozenset[Taker]) -> frozenset[Taker]:
        """Return the trials of the control that close what these take part in."""
        return frozenset((self._plan.control, scenario) for _, scenario in takers)

    def _sum_s(self, takers: frozenset[Taker]) -> float:
        return sum(map(self._expected_s, takers))

    def _expected_s(self, taker: Taker) -> float:
        """Return the longest time that such a trial took so far, else the longest that is expected."""
        return self._took_s.get(taker) or trial_s(self._plan.scenario(taker[1]))

    def _class_of(self, taker: Taker) -> Class:
        return taker[1], self._plan.class_of(taker[0], self._plan.scenario(taker[1]))

    def _is_of(self, taker: Taker, order: SubjectOrder) -> bool:
        return self._class_of(taker) == (order.scenario, order.access)

    def _all(self) -> frozenset[Taker]:
        return frozenset(
            (trial.subject, trial.scenario)
            for trial in self._plan.trials
            if (trial.role, trial.block) == ("measured", 1)
        )

    def _is_first(self, trial: PlannedTrial) -> bool:
        """Return whether a trial of the control stands before the first block."""
        first = min(one.number for one in self._plan.trials if one.role == "measured")
        return trial.number < first

    def _block(self, number: int) -> int:
        """Return the block of a measured trial; 0 for others, which no order rests on."""
        trial = next(one for one in self._plan.trials if one.number == number)
        return trial.block if trial.role == "measured" else 0
