"""Who works on event loops is declared by the variants, and stands in the plan."""

from __future__ import annotations

from pathlib import Path

from plumbline.catalog.catalog import read_catalog
from plumbline.plan.event_loops import event_loops

CATALOG = read_catalog(Path(__file__).resolve().parents[3])


def test_each_is_named_once_and_in_order() -> None:
    tls = "vertx-pg/jvm/pg+db-tls=require"
    asked = (
        tls,
        "spring4-mvc-jpa/jvm/pg",
        "control/jvm/pg",
        "quarkus-rest-orm-virtual/jvm/pg",
        tls,
        "vertx-pg/jvm/pg",
    )
    assert event_loops(CATALOG, asked) == ("vertx-pg/jvm/pg", tls)


def test_a_reactive_program_without_a_server_has_loops_as_well() -> None:
    assert event_loops(CATALOG, ("standalone-jdbc/jvm/pg", "standalone-vertx/jvm/pg")) == (
        "standalone-vertx/jvm/pg",
    )
