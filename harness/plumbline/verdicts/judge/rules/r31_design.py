"""R31: the session has the design that its statistics assume."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from plumbline.model.comparison import ComparisonPlan, Side
from plumbline.model.plan import CONTROL_AFTER, COUNTED, Plan, PlannedTrial
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, not_applicable, passed
from ..wording import counted

# With fewer trials the interval of a mean is wider than any difference that is worth publishing.
TRIALS_MIN = 5
# Of fewer blocks nobody expects another order each time.
BLOCKS_WITH_AN_ORDER = 3
# A drawn order may be the same in all blocks. Where chance makes it so less often than this, the trials are doubted,
# and where less than once in 1,000, nobody drew it.
SAME_ORDER_DOUBTED = 0.01
SAME_ORDER_REFUSED = 0.001


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Order, counts and the control's places, as planned; then how much of the plan was run."""
    plan = session.plan
    if plan.comparison is not None:
        checks = [*_first_discarded(plan), *_as_planned(session)]
        if trial.planned.role == "measured":
            checks += _comparison(plan, plan.comparison, trial)
        yield None, [*checks, not_applicable("The control is thrown away.")]
        return
    measured = [planned for planned in plan.trials if planned.role == "measured"]
    checks = [
        *_first_discarded(plan),
        *_blocks(plan, measured),
        *_orders([planned for planned in measured if planned.scenario == trial.planned.scenario]),
        *_control(plan, trial.planned.scenario),
        *_as_planned(session),
    ]
    ran = session.trials.keys() | session.proofs.keys()
    missing = [planned for planned in plan.trials if planned.number not in ran]
    if missing:
        reading = f"{counted(len(missing), 'trial')} of {len(plan.trials)} planned left no evidence."
        checks.append(doubtful(reading, len(missing), "trials", 0))
    all_hosts = plan if session.joined is None else session.joined.plan
    fewest = min(
        Counter(
            (planned.subject, planned.scenario) for planned in all_hosts.trials if planned.role == "measured"
        ).values(),
        default=0,
    )
    if fewest < TRIALS_MIN:
        reading = f"{counted(fewest, 'trial')} a subject: fewer than {TRIALS_MIN} say little of the spread."
        checks.append(doubtful(reading, fewest, "trials", TRIALS_MIN))
    reading = f"{fewest} trials a subject in blocks of random order (seed {plan.seed}), the first thrown away."
    yield None, [*checks, passed(reading, fewest, "trials", TRIALS_MIN)]


def _comparison(plan: Plan, comparison: ComparisonPlan, trial: TrialFacts) -> Iterable[Check]:
    """Yield the checks of a comparison: each block has a trial of each side, side by side, in ABBA order."""
    by_block: dict[int, list[PlannedTrial]] = {}
    for planned in _trials_of_contest(plan, comparison, trial.planned):
        by_block.setdefault(planned.block, []).append(planned)
    if sorted(by_block) != list(range(1, len(by_block) + 1)):
        yield broken("Pairs are missing between others: picked pairs.")
    orders = []
    for block, pair in sorted(by_block.items()):
        sides = [planned.side for planned in sorted(pair, key=lambda planned: planned.number)]
        if sorted(filter(None, sides)) != ["base", "head"] or pair[1].number - pair[0].number != 1:
            yield broken(f"Block {block} does not hold one trial of each side next to each other.")
        if comparison.design == "duet" and (
            pair[0].sets is None or len({planned.sets for planned in pair}) != len(pair)
        ):
            yield broken(f"Block {block} of the duet does not give each side a place of its own.")
        orders.append(sides[0])
    if any(first == second for first, second in pairwise(orders)):
        yield broken("The sides did not take turns: a drift of the host would favour one of them.")
    yield passed(
        f"{counted(len(orders), 'pair')} in ABBA order with a random start (seed {plan.seed}), {comparison.design}.",
        len(orders),
        "pairs",
    )


def _trials_of_contest(plan: Plan, comparison: ComparisonPlan, trial: PlannedTrial) -> list[PlannedTrial]:
    """Return the measured trials of the contest and scenario that a trial belongs to; none for the control."""
    contenders: set[tuple[Side | None, str]] = set()
    for contest in comparison.contests:
        sides: set[tuple[Side | None, str]] = {("base", contest.base), ("head", contest.head)}
        if trial.contender in sides:
            contenders |= sides
    return [
        planned
        for planned in plan.trials
        if planned.role == "measured" and planned.scenario == trial.scenario and planned.contender in contenders
    ]


def _first_discarded(plan: Plan) -> Iterable[Check]:
    first = min(plan.trials, key=lambda planned: planned.number, default=None)
    if first is None or first.role != "discarded":
        yield broken("The first trial of the session was not thrown away: it warmed the host up for the others.")


def _blocks(plan: Plan, measured: list[PlannedTrial]) -> Iterable[Check]:
    """Yield the checks of blocks: each holds every subject under every scenario once, and blocks follow one another.

    With a budget, a class under a scenario has no more blocks once its orders were decided.
    """
    groups: dict[object, list[PlannedTrial]] = {}
    for planned in measured:
        key = None if plan.budget is None else (planned.scenario, plan.class_of_trial(planned))
        groups.setdefault(key, []).append(planned)
    if not all(_is_whole(group, from_first=plan.budget is not None) for group in groups.values()):
        yield broken("Not every block holds every subject once: a drift of the host would favour some.")
    in_order = [planned.block for planned in sorted(measured, key=lambda planned: planned.number)]
    if in_order != sorted(in_order):
        yield broken("Blocks are mixed with one another: a drift of the host would favour some subjects.")


def _is_whole(group: list[PlannedTrial], *, from_first: bool) -> bool:
    """Return whether each block of a group holds the whole group once; with a budget, these are the first blocks."""
    pairs = {(planned.subject, planned.scenario) for planned in group}
    of_block = Counter(planned.block for planned in group)
    places = {(planned.block, planned.subject, planned.scenario) for planned in group}
    has_gap = from_first and sorted(of_block) != list(range(1, len(of_block) + 1))
    return len(places) == len(group) and all(count == len(pairs) for count in of_block.values()) and not has_gap


def _orders(measured: list[PlannedTrial]) -> Iterable[Check]:
    """Yield the check that the order changes from block to block; `measured` are the trials of a scenario."""
    blocks: dict[int, list[str]] = {}
    for planned in sorted(measured, key=lambda planned: planned.number):
        blocks.setdefault(planned.block, []).append(planned.subject)
    # With a budget, a class whose orders are decided has no more blocks.
    in_all = set.intersection(*(set(block) for block in blocks.values())) if blocks else set[str]()
    orders = {tuple(subject for subject in block if subject in in_all) for block in blocks.values()}
    if len(orders) != 1 or len(in_all) < 2 or len(blocks) < BLOCKS_WITH_AN_ORDER:
        return
    # Two subjects take turns. The order of more is drawn, and may be the same by chance.
    take_turns = max(map(len, blocks.values())) == 2
    chance = 0.0 if take_turns else (1 / math.factorial(len(in_all))) ** (len(blocks) - 1)
    if chance < SAME_ORDER_DOUBTED:
        outcome = broken if chance < SAME_ORDER_REFUSED else doubtful
        reading = f"The subjects ran in the same order in each of {len(blocks)} blocks"
        yield outcome(f"{reading}: place and subject can't be told apart.", chance, "chance", SAME_ORDER_DOUBTED)


def _as_planned(session: SessionFacts) -> Iterable[Check]:
    """Yield the check that the trials began in the order of the plan, by the clock of the host."""
    comparison = session.plan.comparison
    at_once = comparison is not None and comparison.design == "duet"
    ran = [facts for _, facts in sorted({**session.trials, **session.proofs}.items()) if facts.evidence.windows]
    for before, after in pairwise(ran):
        if at_once and after.planned.block == before.planned.block:
            continue
        if after.evidence.started_at < before.evidence.started_at:
            yield broken(
                f"Trial {after.planned.number} began at {after.evidence.started_at}, and trial {before.planned.number} "
                f"before it at {before.evidence.started_at}: they did not run in the order of the plan."
            )
            return


def _control(plan: Plan, scenario: str) -> Iterable[Check]:
    of_scenario = [planned for planned in plan.trials if planned.scenario == scenario and planned.role in COUNTED]
    roles = [planned.role for planned in sorted(of_scenario, key=lambda planned: planned.number)]
    at_ends = bool(roles) and roles[0] == roles[-1] == "control"
    blocks = len({planned.block for planned in of_scenario if planned.role == "measured"})
    # How many blocks a budget has room for is not known beforehand, so that after two the last one is the middle.
    fewest = 1 if plan.budget is None else CONTROL_AFTER[0]
    if not at_ends or (blocks > fewest and "control" not in roles[1:-1]):
        yield broken("The control did not run first, in the middle and last: a drift would not be seen.")


RULE = Rule(
    id="R31",
    title="The design holds",
    source="the plan",
    mistake="single runs, or plain means of a few (all studies); AAAABBBB makes a drift a difference",
    kind="design",
    judge=judge,
)
