"""How long a session with a budget goes on: until every order within a class is decided, or the budget is spent.

It is asked at the start of each block who takes part in it. A class under a scenario takes part until all its orders
are decided; when no class does, or a block has no room in the budget, the control closes the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import Budget, Plan, PlannedTrial
from plumbline.plan.budget import CONTROL_AFTER
from plumbline.plan.duration import trial_s
from plumbline.record.assemble import orders_so_far
from plumbline.record.orders import Order
from .rounds import Round

Taker = tuple[str, str]
"""subject, scenario"""


class UntilDecided:
    """Asked before each trial, told after each. `spent_s` is what trials took before an interruption."""

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
        """Whether a trial is still to be run."""
        trial = round_[0]
        if trial.role == "measured":
            return (trial.subject, trial.scenario) in self._of_block(trial.block)
        if trial.role != "control" or self._is_first(trial):
            return True
        return self._runs(trial.scenario, trial.block) and (
            trial.block in CONTROL_AFTER or not self._runs(trial.scenario, trial.block + 1)
        )

    def news(self) -> list[str]:
        """What the looks that were taken since the last call say, in lines."""
        said, self._said = self._said, []
        return said

    def stands(self, blocks: int) -> tuple[Order, ...]:
        """The orders as they stand after so many blocks."""
        before = {number: one for number, one in self._evidence.items() if self._block(number) <= blocks}
        return orders_so_far(self._plan, self._host, before)

    def likely(self, left: Sequence[Round]) -> list[Round]:
        """Of the rounds left those that have room in the budget at the pace so far, if nothing is decided before."""
        last = self._reaches()
        return [round_ for round_ in left if self._is_within(round_[0], last)]

    def _is_within(self, trial: PlannedTrial, last: int) -> bool:
        """Whether a trial would be run if `last` were the last block."""
        if trial.role == "measured":
            takers = self._takers[min(trial.block, max(self._takers))]
            return trial.block <= last and (trial.subject, trial.scenario) in takers
        if trial.role != "control" or self._is_first(trial):
            return True
        return trial.block <= last and (trial.block in CONTROL_AFTER or trial.block == last)

    def _reaches(self) -> int:
        """The last block that has room in the budget, as far as is known now."""
        block = max(self._takers)
        takers = self._takers[block]
        if not takers:
            return block - 1
        measured = {
            (one.subject, one.scenario)
            for number, one in self._evidence.items()
            if self._block(number) == block
        }
        spent_s = self._spent_s + self._sum_s(takers - measured)
        while block < self._budget.looks[-1]:
            if block in CONTROL_AFTER:
                spent_s += self._sum_s(self._closing(takers))
            if spent_s + self._sum_s(takers | self._closing(takers)) > self._budget.budget_s:
                break
            block, spent_s = block + 1, spent_s + self._sum_s(takers)
        return block

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
            takers = frozenset(
                taker
                for taker in before
                if any(one.scenario == taker[1] and self._is_of(taker, one) for one in open_)
            )
        begun = any(self._block(number) >= block for number in self._evidence)
        return takers if begun or self._has_room(takers) else frozenset()

    def _has_room(self, takers: frozenset[Taker]) -> bool:
        """For a block of these, and for the control that closes the session."""
        return self._spent_s + self._sum_s(takers | self._closing(takers)) <= self._budget.budget_s

    def _closing(self, takers: frozenset[Taker]) -> frozenset[Taker]:
        """The trials of the control that close what these take part in."""
        return frozenset((self._plan.control, scenario) for _, scenario in takers)

    def _sum_s(self, takers: frozenset[Taker]) -> float:
        return sum(map(self._expected_s, takers))

    def _expected_s(self, taker: Taker) -> float:
        """What it took at most so far, else what is expected of it at most."""
        return self._took_s.get(taker) or trial_s(self._plan.scenario(taker[1]))

    def _is_of(self, taker: Taker, order: Order) -> bool:
        scenario = self._plan.scenario(taker[1])
        return self._plan.class_of(taker[0], scenario) == order.access

    def _all(self) -> frozenset[Taker]:
        return frozenset(
            (trial.subject, trial.scenario)
            for trial in self._plan.trials
            if (trial.role, trial.block) == ("measured", 1)
        )

    def _is_first(self, trial: PlannedTrial) -> bool:
        """Whether a trial of the control stands before the first block."""
        first = min(one.number for one in self._plan.trials if one.role == "measured")
        return trial.number < first

    def _block(self, number: int) -> int:
        """The block of a measured trial; 0 for others, which no order rests on."""
        trial = next(one for one in self._plan.trials if one.number == number)
        return trial.block if trial.role == "measured" else 0
