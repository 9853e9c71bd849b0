"""What the application's role in the database can't do: to the probe, to the server, to the next trial."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from plumbline.measuring.observe.readers.database import DatabaseProbe
from plumbline.measuring.observe.samplers.postgres import PostgresSession
from plumbline.measuring.services.postgres import server
from plumbline.measuring.services.postgres.service import PostgresService
from plumbline.model.errors import CannotGoOn
from .test_embedded import application

pytestmark = pytest.mark.slow


# A view of the probe's name, in a schema that the probe would look into first, which runs a command as the server.
ATTACK = (
    "CREATE SCHEMA plumbline",
    "CREATE TABLE plumbline.said (line text)",
    """CREATE FUNCTION plumbline.run() RETURNS bigint LANGUAGE plpgsql AS $$
       BEGIN EXECUTE 'COPY plumbline.said FROM PROGRAM ''id'''; RETURN 1; END $$""",
    """CREATE VIEW plumbline.pg_stat_statements AS
       SELECT 0::oid AS dbid, 0::oid AS userid, 'x' AS query, plumbline.run() AS calls, 1::bigint AS rows""",
)


def identity_of_probe(service: PostgresService) -> list[tuple[str, ...]]:
    with psycopg.connect(service.target.conninfo) as probe:
        return probe.execute("SELECT current_user, current_database(), current_schemas(true)::text").fetchall()


@pytest.mark.parametrize("statement", [ATTACK[0], "CREATE TABLE public.x ()", "CREATE TEMPORARY TABLE fruits ()"])
def test_it_makes_nothing_in_its_database(service: PostgresService, statement: str) -> None:
    with application(service) as session, pytest.raises(errors.InsufficientPrivilege):
        session.execute(statement)


def test_the_probe_reads_no_view_of_its_making(service: PostgresService) -> None:
    """The administrator makes what the application may not make: the probe is a second barrier."""
    service.restore()
    with psycopg.connect(service.login.conninfo(service.address.name), autocommit=True) as session:
        session.execute("GRANT CREATE ON DATABASE bench TO plumbline")
    with application(service) as session:
        for statement in ATTACK:
            session.execute(statement)
        session.execute("GRANT USAGE ON SCHEMA plumbline TO PUBLIC")
        session.execute("GRANT SELECT ON plumbline.pg_stat_statements TO PUBLIC")
    with application(service) as session:
        session.execute("SELECT 1 FROM public.fruits")
    snapshot = DatabaseProbe(service.target, settle_s=0).before()
    assert snapshot is not None and not any(query == "x" for query in snapshot.statements)
    with psycopg.connect(service.login.conninfo(service.address.name)) as session:
        assert session.execute("SELECT * FROM plumbline.said").fetchall() == []
    service.restore()


def test_a_word_of_ours_hides_neither_session_nor_statement(service: PostgresService) -> None:
    service.restore()
    probe, sampler = DatabaseProbe(service.target, settle_s=0), PostgresSession(service.target)
    try:
        with application(service), application(service, application_name="plumbline-sampler") as session:
            session.execute("SELECT /* plumbline */ name FROM public.fruits")
            assert sampler.ask()["db.connections"] == 2
            assert [use.connections for use in probe.tls()] == [2]
        snapshot = probe.before()
        assert snapshot is not None and "SELECT /* plumbline */ name FROM public.fruits" in snapshot.statements
    finally:
        sampler.close()


def test_the_probe_is_a_role_of_its_own_without_powers(service: PostgresService) -> None:
    ((user, database, schemas),) = identity_of_probe(service)
    assert (user, database, schemas) == ("plumbline_probe", "bench_counters", "{pg_catalog}")
    with psycopg.connect(service.target.conninfo, autocommit=True) as probe:
        for forbidden in ("COPY (SELECT 1) TO PROGRAM 'id'", "CREATE SCHEMA x", "SET ROLE postgres"):
            with pytest.raises(errors.InsufficientPrivilege):
                probe.execute(forbidden)


@pytest.mark.parametrize("database", ["bench_template", "bench_counters", "postgres", "template1"])
def test_it_logs_in_to_no_other_database(service: PostgresService, database: str) -> None:
    with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf rejects connection"):
        application(service, dbname=database)


def test_what_it_sets_for_itself_is_gone_with_the_next_trial(service: PostgresService) -> None:
    with application(service) as session:
        session.execute("ALTER ROLE plumbline SET work_mem = '64kB'")
        session.execute("ALTER ROLE plumbline IN DATABASE bench_template SET enable_indexscan = off")
        session.execute("ALTER ROLE plumbline IN DATABASE bench SET enable_hashjoin = off")
        session.execute("ALTER ROLE plumbline PASSWORD 'mine'")
    service.restore()
    with application(service) as session:
        settings = [session.execute(f"SHOW {name}").fetchall()[0][0] for name in ("work_mem", "enable_hashjoin")]
    assert settings == [dict(service.settings)["work_mem"], "on"]
    with psycopg.connect(service.login.conninfo()) as session:
        remaining = session.execute(
            "SELECT count(*) FROM pg_db_role_setting WHERE setrole = 'plumbline'::regrole"
        ).fetchall()
    assert remaining == [(0,)]


def test_powers_that_it_was_given_are_taken_away(service: PostgresService) -> None:
    with psycopg.connect(service.login.conninfo(), autocommit=True) as session:
        session.execute("ALTER ROLE plumbline SUPERUSER CREATEDB CONNECTION LIMIT 1")
    service.restore()
    with application(service) as session:
        query = "SELECT rolsuper, rolcreatedb, rolconnlimit FROM pg_roles WHERE rolname = current_user"
        assert session.execute(query).fetchall() == [(False, False, -1)]


def test_a_server_that_was_set_otherwise_measures_nothing(service: PostgresService) -> None:
    with psycopg.connect(service.login.conninfo(), autocommit=True) as session:
        session.execute("ALTER DATABASE postgres SET work_mem = '64kB'")
        try:
            with pytest.raises(CannotGoOn, match=r"setting for role \(all\) in database postgres was 'not set'"):
                service.restore()
        finally:
            session.execute("ALTER DATABASE postgres RESET work_mem")
    service.restore()


def test_nobody_waits_for_ever_for_a_lock_that_it_holds(
    service: PostgresService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.restore()
    with monkeypatch.context() as hurried, application(service) as session:
        hurried.setattr(server, "_LOCK_TIMEOUT_MS", 200)
        probe = DatabaseProbe(service.target, settle_s=0)
        session.execute("BEGIN")
        session.execute("SELECT * FROM fruits WHERE id = 1 FOR UPDATE")
        with pytest.raises(CannotGoOn, match="A row of fruits could not be changed: canceling statement due to lock"):
            service.rewrite("fruits", "name", 1, "Apple", "Other")
        session.execute("LOCK TABLE fruits IN ACCESS EXCLUSIVE MODE")
        with (
            pytest.raises(CannotGoOn, match="Tables could not be locked"),
            service.tables_locked_for_writes(["fruits"]),
        ):
            pass
        assert probe.before() is None and probe.after() is None
    service.restore()
    assert probe.before() is not None
