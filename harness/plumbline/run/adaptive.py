"""How long a comparison goes on: until every primary question is decided, or the budget is spent."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.model.comparison import Comparison, ComparisonPlan
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import Plan
from plumbline.plan.duration import trial_s
from plumbline.record.assemble import judged
from plumbline.record.comparison import compared, undecided
from .rounds import Round

# A side that never runs needs no twenty minutes to say so.
HOPELESS_AFTER = 3


class Adaptive:
    """Asked before each round, told after each. What is no comparison, or repeats one, wants every round.

    `spent_s` are the seconds that trials took before the session was interrupted.
    """

    def __init__(self, plan: Plan, host: HostFacts, spent_s: float) -> None:
        self._plan, self._host, self._spent_s = plan, host, spent_s
        self._evidence: dict[int, Evidence] = {}
        self._seen: Comparison | None = None
        self._took_s: dict[str, float] = {}

    def learn(self, evidence: Mapping[int, Evidence], took_s: float) -> Comparison | None:
        """A round ended after so many seconds; what stands now, None where there is nothing to compare."""
        if self._plan.comparison is None:
            return None
        self._evidence |= evidence
        self._spent_s += took_s
        for one in evidence.values():
            self._took_s[one.scenario] = max(self._took_s.get(one.scenario, 0.0), took_s)
        self._seen = compared(self._plan, judged(self._plan, self._host, self._evidence))
        return self._seen

    def wants(self, round_: Round) -> bool:
        """Whether a round is still to be run. The first pair of each contest always is: else there is no answer."""
        asked = self._plan.comparison
        if asked is None or self._plan.reproduces is not None:
            return True
        if round_[0].side is None or self._seen is None or round_[0].block == 1:
            return True
        base, head, scenario = _unit(round_)
        usable = sum(
            pair.used
            for pair in self._seen.pairs
            if (pair.base_subject, pair.head_subject, pair.scenario) == (base, head, scenario)
        )
        if not usable and round_[0].block > HOPELESS_AFTER:
            return False
        if usable >= asked.looks[-1] or not undecided(self._seen.answers, base, head, scenario):
            return False
        return self._spent_s + self._expected_s(asked, scenario) <= asked.budget_s

    def remaining_s(self) -> float:
        """What is left of the budget, at most."""
        asked = self._plan.comparison
        return 0.0 if asked is None else max(0.0, asked.budget_s - self._spent_s)

    def _expected_s(self, asked: ComparisonPlan, scenario: str) -> float:
        """What a pair took here so far, else what its trials are expected to."""
        if scenario in self._took_s:
            return self._took_s[scenario]
        return trial_s(self._plan.scenario(scenario)) * (1 if asked.design == "duet" else 2)


def _unit(round_: Round) -> tuple[str, str, str]:
    sides = {trial.side: trial.subject for trial in round_}
    return sides["base"], sides["head"], round_[0].scenario
