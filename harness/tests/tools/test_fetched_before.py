"""All that a session downloads is there before it enters a place without a network."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.tools import fetch_tools
from plumbline.measuring.services.registry import fetch_database
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.bench import HostSpec
from plumbline.subjects.plan.declared import engine_of
from tests.checkout import CATALOG
from tests.passable import open_up
from .conftest import FileServer
from .test_tools import jar, pinned, tar

POSTGRES = ("control/jvm/pg", "vertx-pg/jvm/pg")
MYSQL = ("control/jvm/mysql", "quarkus-rest-reactive/jvm/mysql+pool=95")
TRACED = ("control/jvm/pg", "vertx-pg/jvm/pg+otel=agent")


@pytest.fixture
def mirrored(box: Toolbox, server: FileServer) -> Toolbox:
    """A toolbox whose downloads all lie on the test's server."""
    maven = f"apache-maven-{box.pins.version('maven')}/bin/mvn"
    for tool, body, name in (
        ("maven", tar("w:gz", {maven: b""}), "maven.tar.gz"),
        ("k6", tar("w:gz", {"k6/k6": b""}), "k6.tar.gz"),
        ("postgresql", jar("postgres.txz", tar("w:xz", {"bin/postgres": b""})), "postgresql.jar"),
        ("mysql", jar("mysql-Linux-amd64.tar.gz", tar("w:gz", {"bin/mysqld": b"#!/bin/sh\n"})), "mysql.jar"),
        ("otel", b"agent", "otel.jar"),
    ):
        box = pinned(box, server, tool, body, name)
    open_up(box.paths.scratch.parent)
    (box.paths.checkout / "k6").mkdir()
    for name in ("go.mod", "go.sum"):
        (box.paths.checkout / "k6" / name).touch()
    return box


def context_of(box: Toolbox, database: str) -> Context:
    context = Context(box.paths.checkout, CATALOG, box.paths, box.environ, box.say)
    jdk = SimpleNamespace(home=Path("/jdk"), vendor="Temurin", build="25")
    vars(context).update(box=box, jdk=jdk, host_spec=HostSpec(database=database))
    return context


@pytest.mark.parametrize(
    ("database", "network"),
    [
        ("embedded", "loopback"),
        ("postgresql://bench@localhost:5432", "loopback"),
        ("postgresql://bench@[::1]:5432", "loopback"),
        ("postgresql://bench@db:5432", "remote database"),
    ],
)
def test_a_database_elsewhere_is_not_reached_over_loopback(mirrored: Toolbox, database: str, network: str) -> None:
    assert context_of(mirrored, database).network("pg") == network


@pytest.mark.parametrize(
    ("ids", "database", "fetched"),
    [
        (POSTGRES, "embedded", {"postgresql.jar"}),
        (POSTGRES, "postgresql://bench@db:5432", set()),
        (MYSQL, "embedded", {"mysql.jar"}),
        (TRACED, "embedded", {"postgresql.jar", "otel.jar"}),
    ],
)
def test_a_session_asks_for_nothing_more(
    mirrored: Toolbox, server: FileServer, ids: tuple[str, ...], database: str, fetched: set[str]
) -> None:
    fetch_tools(context_of(mirrored, database), ids)
    assert set(server.asked) == {f"/{name}" for name in (*fetched, "maven.tar.gz", "k6.tar.gz")}
    server.files.clear()
    session = context_of(mirrored, database)
    assert os.access(session.builder().maven, os.X_OK) and os.access(session.k6.program, os.X_OK)
    subjects = [Subject.parse(text) for text in ids]
    for subject in subjects:
        session.agent(CATALOG.settings_of(subject))
    fetch_database(engine_of(subjects), database, mirrored)
