"""The rounds of a session, and which of them are still wanted: until every question is decided, or the budget is spent.

A round is one trial, or the two of a pair, which a duet runs at once. A comparison goes on until every primary question
is decided. A session with a budget decides at the start of each block who takes part in it: a class under a scenario
takes part until all its orders are decided. If the budget has no room for a block of all of them, the classes that take
the least time go on alone. When no class has room, the control closes the session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from plumbline.archive.record.assemble import compared_so_far, orders_so_far
from plumbline.archive.record.comparison import undecided
from plumbline.archive.record.orders import SubjectOrder
from plumbline.model.comparison import Comparison, ComparisonPlan, Unit
from plumbline.model.data_access import AccessClass
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import CONTROL_AFTER, Budget, Plan, PlannedTrial
from plumbline.subjects.plan.duration import trial_s

Round = tuple[PlannedTrial, ...]


def rounds(plan: Plan) -> tuple[Round, ...]:
    """Return the trials of a plan in their order; neighbours that are a pair of a comparison form one round."""
    found: list[Round] = []
    for trial in plan.trials:
        if trial.side is not None and found and len(found[-1]) == 1 and _partners(found[-1][0], trial):
            found[-1] = (*found[-1], trial)
        else:
            found.append((trial,))
    return tuple(found)


def _partners(one: PlannedTrial, other: PlannedTrial) -> bool:
    return (
        one.side is not None
        and one.side != other.side
        and (one.block, one.scenario, one.number + 1) == (other.block, other.scenario, other.number)
    )


def whole(plan: Plan, done: Iterable[int]) -> set[int]:
    """Return the ended trials whose whole round ended: half a pair is measured again."""
    ended = set(done)
    return {
        trial.number
        for round_ in rounds(plan)
        if all(one.number in ended for one in round_)
        for trial in round_
    }


# A side that never runs needs no twenty minutes to say so.
HOPELESS_AFTER = 3


class Adaptive:
    """Decides before each round whether it is still wanted. Suites and repeated comparisons go on to the end.

    `spent_s` are the seconds that trials took before the session was interrupted.
    """

    def __init__(self, plan: Plan, host: HostFacts, spent_s: float) -> None:
        self._plan, self._host, self._spent_s = plan, host, spent_s
        self._evidence: dict[int, Evidence] = {}
        self._seen: Comparison | None = None
        self._took_s: dict[str, float] = {}

    def learn(self, evidence: Mapping[int, Evidence], took_s: float) -> Comparison | None:
        """Take in a round that ended after so many seconds, and return the present state of a comparison."""
        if self._plan.comparison is None:
            return None
        self._evidence |= evidence
        self._spent_s += took_s
        for one in evidence.values():
            self._took_s[one.scenario] = max(self._took_s.get(one.scenario, 0.0), took_s)
        self._seen = compared_so_far(self._plan, self._host, self._evidence)
        return self._seen

    def wants(self, round_: Round) -> bool:
        """Return whether a round is still to be run. Without the first pair of each contest there is no answer."""
        return bool(self.likely((round_,)))

    def likely(self, left: Sequence[Round]) -> list[Round]:
        """Return the remaining rounds that have room in the budget at the pace so far, if nothing is decided before."""
        asked = self._plan.comparison
        if asked is None or self._plan.reproduces is not None:
            return list(left)
        spent_s, further, found = self._spent_s, Counter[Unit](), list[Round]()
        for round_ in left:
            if round_[0].side is None:
                found.append(round_)
                continue
            unit, expected_s = unit_of(round_), self._expected_s(asked, round_[0].scenario)
            fits = self._is_open(asked, unit, round_[0].block, further[unit])
            if round_[0].block == 1 or (fits and spent_s + expected_s <= asked.budget_s):
                found.append(round_)
                further[unit] += 1
                spent_s += expected_s
        return found

    def _is_open(self, asked: ComparisonPlan, unit: Unit, block: int, further: int) -> bool:
        """Return whether a unit may have another pair, after `further` pairs more than were run."""
        if self._seen is None:
            return further < asked.looks[-1]
        usable = sum(pair.used for pair in self._seen.pairs if pair.unit == unit)
        if not usable + further and block > HOPELESS_AFTER:
            return False
        return usable + further < asked.looks[-1] and undecided(self._seen.answers, unit)

    def _expected_s(self, asked: ComparisonPlan, scenario: str) -> float:
        """Return what a pair took here so far, else what its trials are expected to."""
        if scenario in self._took_s:
            return self._took_s[scenario]
        return trial_s(self._plan.scenario(scenario)) * (1 if asked.design == "duet" else 2)


# Two pairs of either order: fewer find next to nothing.
LEAST_AT_ITS_END = 4


def asked_at_its_end(plan: Plan, seen: Comparison | None) -> Plan:
    """Return the plan of a comparison with the look that it takes when its budget is spent between two looks.

    It takes the place of the next planned look, which nobody reached: so there are no more looks than their level
    allows for. Time ends a comparison, and not what its pairs say.
    """
    asked = plan.comparison
    if asked is None or seen is None or seen.ended != "budget":
        return plan
    usable = Counter(pair.unit for pair in seen.pairs if pair.used)
    pairs = min((count for unit, count in usable.items() if undecided(seen.answers, unit)), default=0)
    if pairs in asked.looks or not LEAST_AT_ITS_END <= pairs < asked.looks[-1]:
        return plan
    looks = tuple(sorted((*asked.looks, pairs)))
    return plan.model_copy(update={"comparison": asked.model_copy(update={"looks": looks})})


def unit_of(round_: Round) -> Unit:
    """Return what the round of a comparison asks."""
    sides = {trial.side: trial.subject for trial in round_}
    return sides["base"], sides["head"], round_[0].scenario


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
