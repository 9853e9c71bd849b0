"""The files that make a database in a cluster: run by name, by a real server, they make the rows of a session."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from plumbline.measuring.services.postgres.server import Login
from plumbline.measuring.services.registry import PROVIDERS, DatabaseSetup
from tests.cluster.planned import PASSWORDS, objects, one, planned
from .conftest import apart

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def login(setup: DatabaseSetup) -> Iterator[Login]:
    """A server without any object in it, like the one of the official image before it runs our files."""
    server = PROVIDERS["embedded"](apart(setup, "cluster"))
    login_of_server = server.start()
    yield login_of_server
    server.stop()


def test_the_files_make_rows_that_the_application_reads_and_writes(login: Login) -> None:
    planned_objects = objects(planned("seed-000", "quarkus-rest-reactive/jvm/pg", scenarios=("zipcode-fresh",)))
    files = {**one(planned_objects, "ConfigMap", "rows")["data"], **one(planned_objects, "Secret")["stringData"]}
    (container,) = one(planned_objects, "Pod", "database")["spec"]["containers"]
    environment = {variable["name"]: variable.get("value") for variable in container["env"]}
    with psycopg.connect(login.conninfo(), autocommit=True) as session:
        session.execute(f"CREATE DATABASE {environment['POSTGRES_DB']}".encode())
    with psycopg.connect(login.conninfo(environment["POSTGRES_DB"]), autocommit=True) as session:
        for name in sorted(name for name in files if name.endswith(".sql")):
            session.execute(files[name].encode())
        (emptied,) = session.execute("SELECT count(*) FROM zipcode").fetchall()
        open_databases = session.execute(
            "SELECT datname FROM pg_database WHERE datallowconn AND has_database_privilege('plumbline', oid, 'CONNECT')"
        ).fetchall()
    assert emptied == (0,)
    assert open_databases == [(environment["POSTGRES_DB"],)]
    conninfo = f"host={login.host} port={login.port} dbname={environment['POSTGRES_DB']} user=plumbline"
    with psycopg.connect(conninfo, password=PASSWORDS.application, autocommit=True) as session:
        ((rows,),) = session.execute("SELECT count(*) FROM fruits").fetchall()
        assert rows > 0
        session.execute("UPDATE fruits SET description = 'x' WHERE id = (SELECT min(id) FROM fruits)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("CREATE TEMPORARY TABLE mine (id int)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("CREATE ROLE other")
