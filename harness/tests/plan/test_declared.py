"""Who works on event loops and how data is reached is declared by the variants, and stands in the plan."""

from __future__ import annotations

from plumbline.model.data_access import class_in_older_plan
from plumbline.model.subject import Subject
from plumbline.subjects.plan.declared import data_access, event_loops
from tests.checkout import CATALOG
from tests.judge.planned import plan


def parsed(*ids: str) -> list[Subject]:
    return [Subject.parse(id_) for id_ in ids]


def test_each_is_named_once_and_in_order() -> None:
    tls = "vertx-pg/jvm/pg+db-tls=require"
    asked = parsed(
        tls,
        "spring4-mvc-jpa/jvm/pg",
        "control/jvm/pg",
        "quarkus-rest-orm-virtual/jvm/pg",
        tls,
        "vertx-pg/jvm/pg",
    )
    assert event_loops(CATALOG, asked) == ("vertx-pg/jvm/pg", tls)


def test_a_reactive_program_without_a_server_has_loops_as_well() -> None:
    assert event_loops(CATALOG, parsed("standalone-jdbc/jvm/pg", "standalone-vertx/jvm/pg")) == (
        "standalone-vertx/jvm/pg",
    )


def test_the_way_to_the_data_stands_in_the_plan() -> None:
    asked = ("vertx-pg/jvm/pg", "quarkus-rest-orm/jvm/pg", "quarkus-hello-rest/jvm/none")
    assert data_access(CATALOG, parsed(*asked)) == dict(zip(sorted(asked), ("none", "orm", "sql"), strict=True))


def test_plans_of_before_have_the_classes_that_the_variants_declare_today() -> None:
    declared = {name: one.spec.data_access for name, one in CATALOG.variants.items()}
    known = {name: class_in_older_plan(name) for name in declared}
    assert {name for name in declared if known[name] not in (declared[name], "unknown")} == set()
    assert class_in_older_plan("nobody") == "unknown"


def test_a_subject_has_as_many_cpus_as_its_setting_leaves_it() -> None:
    made = plan()
    first, *_ = made.trials
    fewer = first.model_copy(update={"subject": f"{first.subject}+cpus=1"})
    assert made.sets_of(first) == made.sets and len(made.sets.app) > 1
    assert made.sets_of(fewer) == made.sets.model_copy(update={"app": made.sets.app[:1]})
    for_all = made.model_copy(update={"defaults": {**made.defaults, "cpus": "2"}})
    assert for_all.sets_of(first).app == made.sets.app[:2]
    assert for_all.sets_of(fewer).app == made.sets.app[:1]
