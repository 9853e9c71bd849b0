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
from plumbline.archive.record.comparison import is_open, undecided
from plumbline.archive.record.orders import SubjectOrder
from plumbline.model.comparison import LEAST_PAIRS_OF_FINAL_LOOK, Comparison, ComparisonPlan, FinalLook, Unit
from plumbline.model.data_access import AccessClass
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import CONTROL_AFTER, Budget, Plan, PlannedTrial
from plumbline.subjects.plan.duration import trial_s

Round = tuple[PlannedTrial, ...]


def rounds(plan: Plan) -> tuple[Round, ...]:
    """Return the trials of a plan in their order; neighbours that are a pair of a comparison form one round."""
    found_rounds: list[Round] = []
    for trial in plan.trials:
        if (
            trial.side is not None
            and found_rounds
            and len(found_rounds[-1]) == 1
            and _are_partners(found_rounds[-1][0], trial)
        ):
            found_rounds[-1] = (*found_rounds[-1], trial)
        else:
            found_rounds.append((trial,))
    return tuple(found_rounds)


def _are_partners(first: PlannedTrial, second: PlannedTrial) -> bool:
    return (
        first.side is not None
        and first.side != second.side
        and (first.block, first.scenario, first.number + 1) == (second.block, second.scenario, second.number)
    )


def trials_of_whole_rounds(plan: Plan, done: Iterable[int]) -> set[int]:
    """Return the numbers of the ended trials whose whole round has ended: half a pair is measured again."""
    ended = set(done)
    return {
        trial.number for round_ in rounds(plan) if all(trial.number in ended for trial in round_) for trial in round_
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
        self._comparison: Comparison | None = None
        self._took_s: dict[str, float] = {}

    def learn(self, evidence: Mapping[int, Evidence], took_s: float) -> Comparison | None:
        """Take in a round that ended after so many seconds, and return the present state of a comparison."""
        if self._plan.comparison is None:
            return None
        self._evidence |= evidence
        self._spent_s += took_s
        for ended_trial in evidence.values():
            self._took_s[ended_trial.scenario] = max(self._took_s.get(ended_trial.scenario, 0.0), took_s)
        self._comparison = compared_so_far(self._plan, self._host, self._evidence)
        return self._comparison

    def wants(self, round_: Round) -> bool:
        """Return whether a round is still to be run. Without the first pair of each contest there is no answer."""
        return bool(self.likely((round_,)))

    def likely(self, remaining: Sequence[Round]) -> list[Round]:
        """Return the remaining rounds that have room in the budget at the pace so far, if nothing is decided before."""
        comparison = self._plan.comparison
        if comparison is None or self._plan.reproduces is not None:
            return list(remaining)
        spent_s, further_pairs, likely_rounds = self._spent_s, Counter[Unit](), list[Round]()
        for round_ in remaining:
            if round_[0].side is None:
                likely_rounds.append(round_)
                continue
            unit, expected_s = unit_of(round_), self._expected_s(comparison, round_[0].scenario)
            fits = self._is_open(comparison, unit, round_[0].block, further_pairs[unit])
            if round_[0].block == 1 or (fits and spent_s + expected_s <= comparison.budget_s):
                likely_rounds.append(round_)
                further_pairs[unit] += 1
                spent_s += expected_s
        return likely_rounds

    def _is_open(self, comparison: ComparisonPlan, unit: Unit, block: int, further: int) -> bool:
        """Return whether a unit may have another pair, after `further` pairs beyond those that were run."""
        if self._comparison is None:
            return further < comparison.looks[-1]
        usable_pairs = sum(pair.used for pair in self._comparison.pairs if pair.unit == unit)
        if not usable_pairs + further and block > HOPELESS_AFTER:
            return False
        return usable_pairs + further < comparison.looks[-1] and undecided(self._comparison.answers, unit)

    def _expected_s(self, comparison: ComparisonPlan, scenario: str) -> float:
        """Return the longest time that a pair of the scenario took so far, else the expected time of its trials."""
        expected_s = trial_s(self._plan.scenario(scenario)) * (1 if comparison.design == "duet" else 2)
        # Of the pairs before an interruption only the sum is known.
        return self._took_s.get(scenario) or expected_s


def with_final_looks(plan: Plan, comparison: Comparison | None) -> Plan:
    """Return the plan of a comparison with the looks that it takes at its end, with no time or pair left.

    Each unit with a question that is open, and that was not asked about all of the unit's usable pairs, has a final
    look of its own. The final look takes the place of the next planned one, which was not reached: so no question has
    more looks than their level allows for. Time ends the comparison, and not the result of its pairs.
    """
    asked = plan.comparison
    if asked is None or comparison is None:
        return plan
    usable_pairs = Counter(pair.unit for pair in comparison.pairs if pair.used)
    final_looks = {look.unit: look for look in asked.final_looks}
    for answer in comparison.answers:
        pairs = usable_pairs[answer.unit]
        is_waiting = answer.verdict is None or (is_open(answer) and answer.pairs < pairs)
        if answer.primary and is_waiting and pairs >= LEAST_PAIRS_OF_FINAL_LOOK:
            base, head, scenario = answer.unit
            final_looks[answer.unit] = FinalLook(base_subject=base, head_subject=head, scenario=scenario, pairs=pairs)
    changed = asked.model_copy(update={"final_looks": tuple(final_looks.values())})
    return plan.model_copy(update={"comparison": changed})


def unit_of(round_: Round) -> Unit:
    """Return the unit that a round of a comparison belongs to: base, head and scenario."""
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
        self._takers: dict[int, frozenset[Taker]] = {0: frozenset(), 1: self._first_takers()}
        self._lines: list[str] = []

    def learn(self, evidence: Mapping[int, Evidence], took_s: float) -> None:
        """Take in a trial that ended after so many seconds; 0 for a trial from before an interruption."""
        self._evidence |= evidence
        self._spent_s += took_s
        for ended_trial in evidence.values():
            taker = ended_trial.subject, ended_trial.scenario
            self._took_s[taker] = max(self._took_s.get(taker, 0.0), took_s)

    def wants(self, round_: Round) -> bool:
        """Return whether a trial is still to be run."""
        trial = round_[0]
        if trial.role == "measured":
            return (trial.subject, trial.scenario) in self._takers_of(trial.block)
        if trial.role != "control" or self._is_before_blocks(trial):
            return True
        return self._has_takers(trial.scenario, trial.block) and (
            trial.block in CONTROL_AFTER or not self._has_takers(trial.scenario, trial.block + 1)
        )

    def news(self) -> list[str]:
        """Return the results of the looks that were taken since the last call, in lines of text."""
        lines, self._lines = self._lines, []
        return lines

    def stands(self, blocks: int) -> tuple[SubjectOrder, ...]:
        """Return the orders as they stand after so many blocks, of a plan that has no trials of classes at rest."""
        takers = self._takers_of(blocks)
        until = max(trial.number for trial in self._plan.trials if trial.role == "measured" and trial.block <= blocks)
        evidence = {number: result for number, result in self._evidence.items() if number <= until}
        trials = tuple(
            trial
            for trial in self._plan.trials
            if trial.number in evidence
            or (trial.number > until and (trial.role != "measured" or (trial.subject, trial.scenario) in takers))
        )
        return orders_so_far(self._plan.model_copy(update={"trials": trials}), self._host, evidence)

    def likely(self, remaining: Sequence[Round]) -> list[Round]:
        """Return the remaining rounds that have room in the budget at the pace so far, if nothing is decided before."""
        takers = self._foreseen_takers()
        last = max((block for block, block_takers in takers.items() if block_takers), default=0)
        return [round_ for round_ in remaining if self._is_within(round_[0], takers, last)]

    def _is_within(self, trial: PlannedTrial, takers: Mapping[int, frozenset[Taker]], last: int) -> bool:
        """Return whether a trial would be run with these takers of each block, the `last` of which has some."""
        if trial.role == "measured":
            return (trial.subject, trial.scenario) in takers.get(trial.block, ())
        if trial.role != "control" or self._is_before_blocks(trial):
            return True
        return trial.block <= last and (trial.block in CONTROL_AFTER or trial.block == last)

    def _foreseen_takers(self) -> dict[int, frozenset[Taker]]:
        """Return the subjects that take part in each block, as far as is known now."""
        foreseen = dict(self._takers)
        block = max(foreseen)
        takers = foreseen[block]
        measured = {
            (trial_evidence.subject, trial_evidence.scenario)
            for number, trial_evidence in self._evidence.items()
            if self._block_of(number) == block
        }
        spent_s = self._spent_s + self._sum_s(takers - measured)
        while takers and block < self._budget.looks[-1]:
            if block in CONTROL_AFTER:
                spent_s += self._sum_s(self._closing_controls(takers))
            takers = self._affordable(takers, spent_s)
            block, spent_s = block + 1, spent_s + self._sum_s(takers)
            foreseen[block] = takers
        return foreseen

    def _has_takers(self, scenario: str, block: int) -> bool:
        return any(taker_scenario == scenario for _, taker_scenario in self._takers_of(block))

    def _takers_of(self, block: int) -> frozenset[Taker]:
        if block not in self._takers:
            self._takers[block] = self._decide_takers(block)
        return self._takers[block]

    def _decide_takers(self, block: int) -> frozenset[Taker]:
        before = self._takers_of(block - 1)
        if not before or block > self._budget.looks[-1]:
            return frozenset()
        takers = before
        if block - 1 in self._budget.looks:
            orders = self.stands(block - 1)
            self._lines += [
                f"after {block - 1} blocks, {order.scenario}: {order.other} against {order.one}: {order.words}"
                for order in orders
            ]
            open_classes = {(order.scenario, order.access) for order in orders if order.worth_more}
            takers = frozenset(taker for taker in before if self._class_of(taker) in open_classes)
        begun_classes = {
            self._class_of((trial_evidence.subject, trial_evidence.scenario))
            for number, trial_evidence in self._evidence.items()
            if self._block_of(number) >= block
        }
        started = frozenset(taker for taker in takers if self._class_of(taker) in begun_classes)
        is_past = any(self._block_of(number) > block for number in self._evidence)
        return started if is_past else self._affordable(takers, self._spent_s, started)

    def _affordable(
        self, takers: frozenset[Taker], spent_s: float, chosen: frozenset[Taker] = frozenset()
    ) -> frozenset[Taker]:
        """Return the takers of a block: those `chosen` already, and the other classes that the budget has room for, the
        quickest class first.

        There has to be room for the control that closes the session, too.
        """
        classes: dict[Class, frozenset[Taker]] = {}
        for taker in takers - chosen:
            class_ = self._class_of(taker)
            classes[class_] = classes.get(class_, frozenset()) | {taker}
        for class_ in sorted(classes, key=lambda class_: (self._sum_s(classes[class_]), class_)):
            extended = chosen | classes[class_]
            if spent_s + self._sum_s(extended | self._closing_controls(extended)) <= self._budget.budget_s:
                chosen = extended
        return chosen

    def _closing_controls(self, takers: frozenset[Taker]) -> frozenset[Taker]:
        """Return the trials of the control that close the session for these takers."""
        return frozenset((self._plan.control, scenario) for _, scenario in takers)

    def _sum_s(self, takers: frozenset[Taker]) -> float:
        return sum(map(self._expected_s, takers))

    def _expected_s(self, taker: Taker) -> float:
        """Return the longest time that such a trial took so far, else the longest that is expected."""
        return self._took_s.get(taker) or trial_s(self._plan.scenario(taker[1]))

    def _class_of(self, taker: Taker) -> Class:
        return taker[1], self._plan.class_of(taker[0], self._plan.scenario(taker[1]))

    def _first_takers(self) -> frozenset[Taker]:
        return frozenset(
            (trial.subject, trial.scenario)
            for trial in self._plan.trials
            if (trial.role, trial.block) == ("measured", 1)
        )

    def _is_before_blocks(self, trial: PlannedTrial) -> bool:
        """Return whether a trial of the control stands before the first block."""
        first_number = min(measured.number for measured in self._plan.trials if measured.role == "measured")
        return trial.number < first_number

    def _block_of(self, number: int) -> int:
        """Return the block of a measured trial; 0 for other trials, which no order rests on."""
        trial = self._plan.trial(number)
        return trial.block if trial.role == "measured" else 0
