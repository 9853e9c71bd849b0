"""A plan with a budget names every trial that may be run; a plan without a budget has a fixed number of blocks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from plumbline.archive.record.standings import level_after
from plumbline.cli.plan_table import short_budget, table
from plumbline.model.plan import Budget, Plan
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.plan.duration import blocks_within, likely_trial_s, preparation_s, trials_s
from plumbline.subjects.plan.make import Selection, make_plan
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import LEVELS_AT_BLOCKS, LOOKS_AT_BLOCKS
from tests.checkout import CATALOG
from tests.judge.planned import LAB, SMALL, host


@pytest.fixture
def catalog() -> Catalog:
    """The catalog of the checkout, with a suite `smoke` whose subjects and scenario nobody changes."""
    subjects = ("quarkus-rest-orm/jvm/pg", "spring4-mvc-jpa/jvm/pg", "vertx-pg/jvm/pg")
    suites = CATALOG.bench.suites
    smoke = suites["smoke"].model_copy(update={"subjects": subjects, "scenarios": ("fruits",)})
    return replace(CATALOG, bench=CATALOG.bench.model_copy(update={"suites": {**suites, "smoke": smoke}}))


def planned(catalog: Catalog, suite: str | None = None, **options: object) -> Plan:
    selection = Selection(suite=suite, seed=1, **options)  # type: ignore[arg-type]
    return make_plan(catalog, selection, host("small"), SMALL, "taskset", session="s")


def test_the_default_suite_asks_once_after_four_blocks(catalog: Catalog) -> None:
    plan = planned(catalog)
    assert (plan.budget, plan.blocks) == (None, 4) and level_after(plan, plan.blocks) == LEVEL
    assert {plan.class_of(subject, plan.scenarios[0]) for subject in plan.subjects} == {"orm", "sql"}
    # A class needs two subjects to have an order.
    assert len(plan.subjects) == 4 and plan.expected_s <= 30 * 60


# The budget of the suite `compare` is what `./bench compare` may spend on a pair of sides, not on all its subjects.
@pytest.mark.parametrize("suite", sorted({*CATALOG.bench.suites} - {"compare"}))
def test_each_suite_fits_its_budget(suite: str) -> None:
    assert planned(CATALOG, suite).expected_s <= CATALOG.bench.suites[suite].budget


def test_any_suite_takes_a_budget(catalog: Catalog) -> None:
    assert planned(catalog, "smoke").budget is None
    plan = planned(catalog, "smoke", budget_s=1800.0)
    assert plan.budget is not None and plan.budget.budget_s == 1800.0
    # The session may end after any block from the first look on, and the level of each look allows for that.
    assert plan.budget.looks == tuple(range(LOOKS_AT_BLOCKS[0], plan.blocks + 1))
    assert plan.budget.level == LEVELS_AT_BLOCKS[plan.blocks]
    controls = {trial.block for trial in plan.trials if trial.role == "control"}
    assert controls == set(range(1, plan.blocks + 1))
    assert planned(catalog, "smoke", budget_s=1800.0, blocks=8).blocks == 8


def test_only_looks_that_the_budget_pays_for_are_planned(catalog: Catalog) -> None:
    def budget(minutes: float, *only: str, blocks: int | None = None) -> Budget:
        budget_of_plan = planned(catalog, budget_s=60.0 * minutes, only=only, blocks=blocks).budget
        assert budget_of_plan is not None
        return budget_of_plan

    sql = ("vertx-pg/*", "spring4-mvc-jdbc/*")
    # Four blocks of two subjects, and one question at the end.
    assert (budget(15, *sql).looks, budget(15, *sql).level) == ((4,), LEVEL)
    assert (budget(1, *sql).looks, budget(60, *sql, blocks=3).looks) == ((4,), (3,))
    assert budget(1000, *sql) == Budget(budget_s=60000.0, looks=LOOKS_AT_BLOCKS, level=LEVELS_AT_BLOCKS[26])
    # One of two classes may be decided first; then the other class gets its time.
    both_classes = planned(catalog, budget_s=3600.0)
    assert both_classes.budget is not None
    assert both_classes.blocks > blocks_within(both_classes.budget, both_classes.trials, both_classes.scenarios) > 4
    sql_budget = budget(60, *sql)
    assert both_classes.blocks < sql_budget.looks[-1]


def test_a_number_of_blocks_is_a_plan_without_an_end_of_its_own(catalog: Catalog) -> None:
    plan = planned(catalog, blocks=3)
    assert plan.budget is None and plan.blocks == 3


def test_a_larger_budget_has_room_for_more_blocks(catalog: Catalog) -> None:
    small, large = (planned(catalog, budget_s=budget_s) for budget_s in (1500.0, 6000.0))
    assert small.budget is not None and large.budget is not None
    rooms = [
        blocks_within(plan_budget, plan.trials, plan.scenarios)
        for plan_budget, plan in ((small.budget, small), (large.budget, large))
    ]
    assert 1 <= rooms[0] < rooms[1] and rooms[0] >= 3


def test_the_glance_fits_into_five_minutes_and_has_no_warm_up(catalog: Catalog) -> None:
    plan = planned(catalog, catalog.bench.quick_suite)
    assert plan.expected_s <= 300
    loads = [(phase.kind, phase.duration_s) for phase in plan.scenarios[0].phases if phase.duration_s]
    assert loads == [("closed", 10.0)]


def test_connections_follow_the_cpus_of_the_application(catalog: Catalog) -> None:
    def connections(sets: object) -> set[int | None]:
        plan = make_plan(catalog, Selection(suite="smoke", seed=1), host(), sets, "taskset", session="s")  # type: ignore[arg-type]
        return {phase.connections for phase in plan.scenarios[0].phases if phase.connections}

    assert (connections(SMALL), connections(LAB)) == ({25}, {100})


def test_a_warm_up_until_steady_shrinks_in_how_long_it_may_take(catalog: Catalog) -> None:
    def cycles(scale: float) -> tuple[float, int | None, int]:
        phase = next(
            candidate for candidate in planned(catalog, scale=scale).scenarios[0].phases if candidate.least_cycles
        )
        return phase.duration_s, phase.least_cycles, phase.cycles

    assert (cycles(1.0), cycles(0.5), cycles(0.1)) == ((10.0, 2, 4), (10.0, 1, 2), (10.0, 1, 1))


def test_a_class_of_one_subject_has_no_blocks_after_the_first_look(catalog: Catalog) -> None:
    """Vert.x is alone in its class, so that after the first look the time goes to the two subjects with an ORM."""
    plan = planned(catalog, "smoke", budget_s=900.0)
    assert plan.budget is not None
    seconds, first, last = likely_trial_s(plan.scenarios[0]), plan.budget.looks[0], plan.budget.looks[-1]
    assert len(plan.subjects) == 3 and first < last < LOOKS_AT_BLOCKS[-1]
    measured_s = (3 * first + 2 * (last - first)) * seconds
    controls_s = 4 * seconds
    assert measured_s + controls_s <= plan.budget.budget_s < measured_s + controls_s + 2 * seconds


def test_proofs_come_on_top_of_a_budget(catalog: Catalog) -> None:
    without, proving = (planned(catalog, budget_s=3600.0, prove=prove) for prove in (False, True))
    added = [trial for trial in proving.trials if trial.role == "proof"]
    whole_s = preparation_s(proving.trials, proving.scenarios) + trials_s(added, proving.scenarios) + 3600
    assert added and proving.budget == without.budget
    assert proving.expected_s == pytest.approx(whole_s, abs=0.1) and whole_s > without.expected_s + 60 * len(added)
    assert "and the proofs: about " in table(proving, catalog, date(2026, 11, 29), {})
    assert "and the proofs" not in table(without, catalog, date(2026, 11, 29), {})


def test_a_budget_that_may_end_before_its_first_look_is_named_with_one_that_does_not(catalog: Catalog) -> None:
    only = ("vertx-pg/*", "spring4-mvc-jdbc/*")
    plan = planned(catalog, budget_s=600.0, only=only)
    warning = short_budget(plan)
    assert warning is not None and warning in table(plan, catalog, date(2026, 11, 29), {})
    assert "the first look needs 4 blocks, and this budget may end before" in warning
    minutes = int(warning.rpartition(" ")[2].removesuffix("m"))
    assert short_budget(planned(catalog, budget_s=60.0 * minutes, only=only)) is None
    assert short_budget(planned(catalog)) is None
