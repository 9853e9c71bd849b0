"""Decide how long a comparison goes on: until every primary question is decided, or the budget is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from plumbline.model.comparison import Comparison, ComparisonPlan
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import Plan
from plumbline.plan.duration import trial_s
from plumbline.record.assemble import compared_so_far
from plumbline.record.comparison import undecided
from .rounds import Round

Unit = tuple[str, str, str]
"""The base, the head and the scenario of a question."""

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
            unit, expected_s = _unit(round_), self._expected_s(asked, round_[0].scenario)
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
        base, head, scenario = unit
        usable = sum(
            pair.used
            for pair in self._seen.pairs
            if (pair.base_subject, pair.head_subject, pair.scenario) == unit
        )
        if not usable + further and block > HOPELESS_AFTER:
            return False
        return usable + further < asked.looks[-1] and undecided(self._seen.answers, base, head, scenario)

    def _expected_s(self, asked: ComparisonPlan, scenario: str) -> float:
        """Return what a pair took here so far, else what its trials are expected to."""
        if scenario in self._took_s:
            return self._took_s[scenario]
        return trial_s(self._plan.scenario(scenario)) * (1 if asked.design == "duet" else 2)


def _unit(round_: Round) -> Unit:
    sides = {trial.side: trial.subject for trial in round_}
    return sides["base"], sides["head"], round_[0].scenario
