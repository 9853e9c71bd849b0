"""The plan of a comparison: the trials of a pair follow each other, sides take turns, a duet swaps places."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.model.comparison import ComparisonPlan, Contest, Design, SideSource
from plumbline.model.errors import UsageError
from plumbline.model.plan import Plan
from plumbline.model.subject import Subject
from plumbline.subjects.plan.compare import (
    SPARE_PAIRS,
    comparison_scenario,
    comparison_trials,
    design_for,
    make_comparison,
    planned_looks,
    require_warm,
)
from plumbline.subjects.plan.detectable import detectable, leading_questions
from plumbline.subjects.plan.make import Selection
from plumbline.verdicts.stats.interim import LEVEL_OF_LOOKS, LEVELS_OF_LOOKS, LOOKS
from tests.checkout import CATALOG
from tests.judge.planned import SMALL, host, scenario
from tests.record.comparisons import PLACES

CONTESTS = (Contest(base="a/jvm/pg", head="a/jvm/pg"), Contest(base="b/jvm/pg", head="b/jvm/pg"))


@given(seed=st.integers(0, 2**32 - 1), blocks=st.integers(1, 32))
def test_each_contest_takes_turns_with_a_random_start(seed: int, blocks: int) -> None:
    trials = comparison_trials(CONTESTS, ["fruits@1", "hello@1"], "control/jvm/pg", blocks, seed, None)
    assert [trial.number for trial in trials] == list(range(1, len(trials) + 1))
    assert trials[0].role == "discarded" and trials[0].side is None
    for contest in CONTESTS:
        for name in ("fruits@1", "hello@1"):
            of_contest = [trial for trial in trials[1:] if (trial.subject, trial.scenario) == (contest.base, name)]
            assert len(of_contest) == 2 * blocks
            pairs = list(zip(of_contest[::2], of_contest[1::2], strict=True))
            assert all(second.number == first.number + 1 and first.block == second.block for first, second in pairs)
            assert all({first.side, second.side} == {"base", "head"} for first, second in pairs)
            assert all(pair[0].side != next_pair[0].side for pair, next_pair in pairwise(pairs))


def test_the_start_is_drawn() -> None:
    starts = {
        comparison_trials(CONTESTS[:1], ["fruits@1"], "control/jvm/pg", 1, seed, None)[1].side for seed in range(20)
    }
    assert starts == {"base", "head"}


def test_a_duet_swaps_places() -> None:
    trials = comparison_trials(CONTESTS[:1], ["fruits@1"], "control/jvm/pg", 4, 5, PLACES)
    of_base = [trial.sets for trial in trials if trial.side == "base"]
    of_head = [trial.sets for trial in trials if trial.side == "head"]
    assert of_base == [of_base[0], of_base[1]] * 2 and of_base[0] != of_base[1]
    assert all({base_sets, head_sets} == set(PLACES) for base_sets, head_sets in zip(of_base, of_head, strict=True))


def test_looks() -> None:
    assert planned_looks(None) == (LOOKS, LEVEL_OF_LOOKS)
    assert planned_looks(12) == ((6, 10, 12), LEVELS_OF_LOOKS[12])
    assert planned_looks(8) == ((6,), 0.01)
    assert planned_looks(4) == ((4,), 0.01)
    assert planned_looks(10, once=True) == ((10,), 0.01)


def planned(minutes: float, design: Design = "duet", most_pairs: int | None = None) -> Plan:
    looks, level = planned_looks(most_pairs)
    source = SideSource(given="vertx-pg/jvm/pg", kind="subject")
    comparison = ComparisonPlan(
        design=design,
        base=source,
        head=source,
        contests=(Contest(base="vertx-pg/jvm/pg", head="vertx-pg/jvm/pg"),),
        looks=looks,
        level=level,
        budget_s=60 * minutes,
    )
    return make_comparison(
        CATALOG,
        Selection(seed=1),
        comparison,
        host("small"),
        SMALL,
        PLACES,
        "taskset",
        session="s",
        scenarios=("fruits",),
    )


def looks_of(plan: Plan) -> tuple[tuple[int, ...], float]:
    assert plan.comparison is not None
    return plan.comparison.looks, plan.comparison.level


def test_only_looks_that_the_budget_pays_for_are_planned() -> None:
    looks_by_minutes = {minutes: looks_of(planned(minutes)) for minutes in (2, 8, 15, 20, 25, 60)}
    # The last look is where the budget is likely to be spent, or the next look after that.
    assert {minutes: looks for minutes, (looks, _) in looks_by_minutes.items()} == {
        2: (6,), 8: (6,), 15: (6, 10), 20: (6, 10, 12, 16), 25: LOOKS[:5], 60: LOOKS,
    }  # fmt: skip
    assert all(level == LEVELS_OF_LOOKS[looks[-1]] for looks, level in looks_by_minutes.values())
    # One side after the other takes twice the time.
    assert looks_of(planned(15, "interleaved"))[0] == (6,)
    assert looks_of(planned(60, most_pairs=10)) == planned_looks(10)
    assert looks_of(planned(2, most_pairs=4)) == planned_looks(4)


def test_a_smaller_budget_says_that_it_finds_less() -> None:
    small, large = planned(15), planned(60)
    assert small.blocks == 10 + SPARE_PAIRS and large.blocks == LOOKS[-1] + SPARE_PAIRS
    assert (small.detectable.trials, large.detectable.trials) == (10, LOOKS[-1])
    assert small.detectable.change is not None and large.detectable.change is not None
    assert small.detectable.change > large.detectable.change


@pytest.mark.parametrize(("design", "questions"), [("duet", 2), ("interleaved", 3)])
def test_a_plan_says_what_each_of_its_leading_questions_finds(design: Design, questions: int) -> None:
    plan = planned(60, design, most_pairs=6)
    assert [len(leading_questions(each, design, "small")) for each in plan.scenarios] == [questions]
    assert plan.detectable == detectable(6, "small", questions=questions)


def test_the_design_follows_the_host() -> None:
    assert design_for(host("lab")) == "interleaved"
    assert design_for(host("small")) == design_for(host("shared")) == "duet"
    assert design_for(host("lab").model_copy(update={"cpus": 2})) == "duet"


def test_a_duet_has_one_rate_and_no_closed_load() -> None:
    kinds = [phase.kind for phase in comparison_scenario(scenario(), "duet").phases]
    assert kinds.count("open") == 1 and "closed" not in kinds and "warm-up" in kinds
    assert comparison_scenario(scenario(), "interleaved") == scenario()


def test_a_duet_needs_an_open_phase() -> None:
    closed = scenario().model_copy(
        update={"phases": tuple(phase for phase in scenario().phases if phase.kind != "open")}
    )
    with pytest.raises(UsageError, match="no open phase") as refused:
        comparison_scenario(closed, "duet")
    assert "--design interleaved" in refused.value.next_step


def test_a_duet_has_no_side_that_starts_with_an_empty_page_cache() -> None:
    warm, cold = (Subject.parse(id_) for id_ in ("a/jvm/pg", "a/jvm/pg+page-cache=cold"))
    require_warm([warm])
    with pytest.raises(UsageError, match="empty the page cache of both"):
        require_warm([warm, cold])
