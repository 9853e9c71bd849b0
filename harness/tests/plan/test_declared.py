"""Variants declare whether they work on event loops and how they reach data; both stand in the plan."""

from __future__ import annotations

from plumbline.model.data_access import class_in_older_plan
from plumbline.model.subject import Subject
from plumbline.subjects.plan.declared import data_access, driver_loops, event_loops
from tests.checkout import CATALOG
from tests.judge.planned import plan


def parsed(*ids: str) -> list[Subject]:
    return [Subject.parse(id_) for id_ in ids]


def test_each_is_named_once_and_in_order() -> None:
    tls = "vertx-pg/jvm/pg+db-tls=require"
    subjects = parsed(
        tls,
        "spring4-mvc-jpa/jvm/pg",
        "control/jvm/pg",
        "quarkus-rest-orm-virtual/jvm/pg",
        tls,
        "vertx-pg/jvm/pg",
    )
    assert event_loops(CATALOG, subjects) == ("vertx-pg/jvm/pg", tls)


def test_a_reactive_program_without_a_server_has_loops_as_well() -> None:
    assert event_loops(CATALOG, parsed("standalone-jdbc/jvm/pg", "standalone-vertx/jvm/pg")) == (
        "standalone-vertx/jvm/pg",
    )


def test_drivers_of_r2dbc_choose_their_loops_unless_told_otherwise() -> None:
    all_subjects = [CATALOG.subject(name) for name in CATALOG.variants]
    own_loops = [CATALOG.subject(f"{name}+r2dbc-loops=own") for name in ("spring4-webflux-r2dbc", "standalone-r2dbc")]
    tuned = CATALOG.subject("spring4-webflux-r2dbc+profile=tuned")
    assert driver_loops(CATALOG, (*all_subjects, *own_loops, tuned)) == (
        "micronaut-reactive/jvm/pg",
        "spring4-webflux-r2dbc/jvm/pg",
        "standalone-r2dbc/jvm/pg",
    )


def test_the_way_to_the_data_stands_in_the_plan() -> None:
    ids = ("vertx-pg/jvm/pg", "quarkus-rest-orm/jvm/pg", "quarkus-hello-rest/jvm/none")
    assert data_access(CATALOG, parsed(*ids)) == dict(zip(sorted(ids), ("none", "orm", "sql"), strict=True))


def test_plans_of_before_have_the_classes_that_the_variants_declare_today() -> None:
    declared = {name: variant.spec.data_access for name, variant in CATALOG.variants.items()}
    recorded = {name: class_in_older_plan(name) for name in declared}
    assert {name for name in declared if recorded[name] not in (declared[name], "unknown")} == set()
    assert class_in_older_plan("nobody") == "unknown"


def test_a_subject_has_as_many_cpus_as_its_setting_leaves_it() -> None:
    session_plan = plan()
    first_trial, *_ = session_plan.trials
    trial_with_one_cpu = first_trial.model_copy(update={"subject": f"{first_trial.subject}+cpus=1"})
    assert session_plan.sets_of(first_trial) == session_plan.sets and len(session_plan.sets.app) > 1
    assert session_plan.sets_of(trial_with_one_cpu) == session_plan.sets.model_copy(
        update={"app": session_plan.sets.app[:1]}
    )
    plan_with_two_cpus = session_plan.model_copy(update={"defaults": {**session_plan.defaults, "cpus": "2"}})
    assert plan_with_two_cpus.sets_of(first_trial).app == session_plan.sets.app[:2]
    assert plan_with_two_cpus.sets_of(trial_with_one_cpu).app == session_plan.sets.app[:1]
