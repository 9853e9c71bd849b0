"""A real server: its settings, the effects of a restore, who may read its key, how it ends."""

from __future__ import annotations

import os
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from plumbline.measuring.observe.readers.database import DatabaseProbe, work_between
from plumbline.measuring.observe.samplers.base import Row
from plumbline.measuring.observe.samplers.postgres import PostgresSession
from plumbline.measuring.services.postgres.service import PostgresService
from plumbline.measuring.services.postgres.settings import SETTINGS, TLS_SETTINGS, configuration
from plumbline.measuring.services.registry import DatabaseSetup, database_service
from plumbline.model.errors import CannotGoOn, UsageError
from tests.processes import PlainSpawner
from .conftest import apart

pytestmark = pytest.mark.slow


def application(service: PostgresService, **words: str) -> psycopg.Connection:
    address = service.address
    login = {"host": address.host, "dbname": address.name, "user": address.user, "password": address.password}
    options = {**login, "sslmode": "disable", **words}
    return psycopg.connect(make_conninfo(port=address.port, **options), autocommit=True)


def administrator(service: PostgresService, database: str | None = None) -> psycopg.Connection:
    return psycopg.connect(service.login.conninfo(database), autocommit=True)


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition: backends and settings take a moment. Raises AssertionError after 30 s."""
    end_s = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.1)


def grown(before: Row, after: Row, column: str) -> float:
    return (after[column] or 0.0) - (before[column] or 0.0)


def test_runs_as_nobody_in_particular(service: PostgresService) -> None:
    (pid,) = service.pids
    assert Path(f"/proc/{pid}").stat().st_uid != 0


def test_its_settings_are_the_stated_ones(service: PostgresService) -> None:
    settings = dict(service.settings)
    assert {name: settings[name] for name in SETTINGS} == dict(SETTINGS)
    assert {name: settings[name] for name in TLS_SETTINGS} == dict(TLS_SETTINGS)
    assert settings["server_version"].startswith("18.")
    assert settings["fsync"] == settings["synchronous_commit"] == settings["data_checksums"] == "on"


def test_a_quote_within_a_setting_is_doubled_once() -> None:
    assert configuration({"log_line_prefix": "it's "}) == "log_line_prefix = 'it''s '\n"


def test_holds_the_seed_for_a_user_without_powers(service: PostgresService) -> None:
    service.restore()
    with application(service) as session:
        counts = [
            session.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
            for table in ("fruits", "stores", "store_fruit_prices")
        ]
        powers = session.execute(
            "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchall()
        plain = session.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchall()
    assert counts == [10, 8, 34]
    assert powers == [(False, False, False)]
    assert plain == [(False,)]


def test_statistics_are_there_before_the_first_statement(service: PostgresService) -> None:
    service.restore()
    with application(service) as session:
        rows = session.execute("SELECT reltuples FROM pg_class WHERE relname = 'store_fruit_prices'").fetchall()
    assert rows == [(34.0,)]


def test_restore_puts_rows_identities_and_counters_back(service: PostgresService) -> None:
    with application(service) as session:
        session.execute("INSERT INTO fruits (name) VALUES ('Durian')")
        session.execute("DELETE FROM store_fruit_prices")
        # Still connected: a restore doesn't wait for an application that hangs.
        service.restore()
    with application(service) as session:
        assert session.execute("SELECT count(*) FROM store_fruit_prices").fetchall() == [(34,)]
        new = session.execute("INSERT INTO fruits (name) VALUES ('Durian') RETURNING id").fetchall()
    assert new == [(11,)]
    with psycopg.connect(service.target.conninfo) as admin:
        texts = admin.execute("SELECT query FROM public.pg_stat_statements").fetchall()
    assert not any("DELETE FROM store_fruit_prices" in text for (text,) in texts)
    assert any("INSERT INTO fruits" in text for (text,) in texts)


def test_counters_of_a_fresh_database_start_at_zero(service: PostgresService) -> None:
    service.restore()
    with psycopg.connect(service.target.conninfo) as admin:
        rows = admin.execute(
            "SELECT xact_commit, tup_inserted FROM pg_stat_database WHERE datname = %s",
            [service.target.application_database],
        ).fetchall()
    assert rows == [(0, 0)]


def test_the_counters_user_is_not_the_application(service: PostgresService) -> None:
    with psycopg.connect(service.target.conninfo) as admin:
        identity = admin.execute("SELECT current_user, current_database()").fetchall()[0]
    assert identity[0] != service.target.application_user == service.address.user
    assert identity[1] != service.target.application_database == service.address.name
    assert service.address.password not in service.url


def test_a_text_that_is_served_is_changed_and_put_back(service: PostgresService) -> None:
    service.restore()
    cell = ("fruits", "description", 1)

    def served_text() -> object:
        with application(service) as session:
            return session.execute("SELECT description FROM fruits WHERE id = 1").fetchall()[0][0]

    assert service.rewrite(*cell, "Crisp and sweet", "abcdefghijklmno")
    assert served_text() == "abcdefghijklmno"
    assert not service.rewrite(*cell, "Crisp and sweet", "another")
    assert service.rewrite(*cell, "abcdefghijklmno", "Crisp and sweet")
    assert served_text() == "Crisp and sweet"
    work = DatabaseProbe(service.target, settle_s=0).before()
    assert work is not None and not [text for text in work.statements if text.startswith("UPDATE")]
    with pytest.raises(CannotGoOn, match="A row of pears could not be changed"):
        service.rewrite("pears", "description", 1, "a", "b")


def test_the_server_tells_what_decides_durability(service: PostgresService) -> None:
    service.restore()
    sampler = PostgresSession(service.target)
    try:
        before = sampler.ask()
        with administrator(service, service.address.name) as session:
            session.execute("CREATE UNLOGGED TABLE quick (id int)")
            session.execute("CREATE TABLE slow (id int)")
            for number in range(20):
                session.execute("INSERT INTO slow VALUES (%s)", [number])
        # A session reports its work when it ends; an idle session reports after ten seconds.
        until(lambda: grown(before, sampler.ask(), "db.wal_syncs") >= 20)
        after_sync_writes = sampler.ask()
        with administrator(service, service.address.name) as session:
            session.execute("SET synchronous_commit = off")
            for number in range(20):
                session.execute("INSERT INTO slow VALUES (%s)", [number])
        # The server's log writer flushes these rows within a second; that flush is not counted.
        until(lambda: grown(after_sync_writes, sampler.ask(), "db.wal_records") >= 40)
        assert grown(after_sync_writes, sampler.ask(), "db.wal_syncs") <= 2
        assert grown(before, sampler.ask(), "db.wal_records") >= 40
        assert before["db.durable"] == 1
        snapshot = DatabaseProbe(service.target, settle_s=0).before()
        assert snapshot is not None and snapshot.unlogged == ("quick",)
        with administrator(service, service.address.name) as session:
            session.execute("ALTER TABLE slow SET UNLOGGED")
            session.execute("ALTER TABLE slow SET LOGGED")
        later_snapshot = DatabaseProbe(service.target, settle_s=0).after()
        assert later_snapshot is not None and work_between("closed", snapshot, later_snapshot).rewritten == ("slow",)
        assert (snapshot.settings["fsync"], snapshot.settings["default_transaction_isolation"]) == (
            "on",
            "read committed",
        )
        with administrator(service) as session:
            session.execute("ALTER SYSTEM SET full_page_writes = off")
            session.execute("SELECT pg_reload_conf()")
        try:
            until(lambda: sampler.ask()["db.durable"] == 0)
        finally:
            with administrator(service) as session:
                session.execute("ALTER SYSTEM RESET full_page_writes")
                session.execute("SELECT pg_reload_conf()")
        until(lambda: sampler.ask()["db.durable"] == 1)
    finally:
        sampler.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_tls_is_one_protocol_one_cipher_and_checked(service: PostgresService, host: str) -> None:
    checked = {"sslmode": "verify-full", "sslrootcert": str(service.address.authority), "host": host}
    with application(service, **checked) as session:
        used = session.execute("SELECT version, cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchall()
    assert used == [("TLSv1.3", "TLS_AES_128_GCM_SHA256")]


def test_older_tls_and_foreign_authorities_are_refused(service: PostgresService, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from plumbline.measuring.services.tls import make_tls_keys

    with pytest.raises(psycopg.OperationalError):
        application(service, sslmode="require", ssl_max_protocol_version="TLSv1.2")
    foreign = tmp_path / "foreign.pem"
    foreign.write_bytes(make_tls_keys(datetime.now(UTC)).authority)
    with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
        application(service, sslmode="verify-ca", sslrootcert=str(foreign))


def test_nobody_gets_in_without_the_password(service: PostgresService) -> None:
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        at = service.address
        psycopg.connect(host=at.host, port=at.port, dbname=at.name, user=at.user, password="guess")


def test_key_and_data_are_closed_to_others(service: PostgresService) -> None:
    assert service.data_folder is not None and service.address.authority is not None
    own, scratch = service.data_folder.parent, service.address.authority.parent.parent
    assert stat.S_IMODE((own / "server.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(service.data_folder.stat().st_mode) == 0o700
    assert not (own / "password").exists()
    assert service.address.password not in (scratch.parent / "database.log").read_text()


def test_the_server_can_write_its_own_folder_alone(service: PostgresService) -> None:
    """As root; anybody else's server is that user's."""
    assert service.data_folder is not None and service.address.authority is not None
    own, scratch = service.data_folder.parent, service.address.authority.parent.parent
    assert {path.stat().st_uid for path in (scratch, *scratch.glob("tls/*"), *scratch.glob("*.conf"))} == {os.geteuid()}
    assert own.stat().st_uid == Path(f"/proc/{service.pids[0]}").stat().st_uid


def test_passwords_are_in_no_command_line(setup: DatabaseSetup, service: PostgresService) -> None:
    spawner = setup.spawner
    assert isinstance(spawner, PlainSpawner)
    words = " ".join(word for _, argv, _ in spawner.calls for word in argv)
    assert "initdb" in words and service.address.password not in words
    assert all(role == "db" for role, _, _ in spawner.calls)


def test_a_database_that_dies_is_noticed_and_started_again(service: PostgresService) -> None:
    assert service.answers()
    (before,) = service.pids
    os.kill(before, signal.SIGKILL)
    until = time.monotonic() + 10
    while service.exit_status() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert service.exit_status() == -signal.SIGKILL and not service.answers()
    with pytest.raises(CannotGoOn, match="could not be restored"):
        service.restore()
    service.start_again()
    assert service.answers() and service.pids != (before,)
    with application(service) as session:
        assert session.execute("SELECT count(*) FROM fruits").fetchall() == [(10,)]


def test_ends_with_its_context_and_can_be_had_again(setup: DatabaseSetup) -> None:
    again = apart(setup, "second")
    with database_service("embedded", again) as service:
        pids, conninfo = service.pids, service.target.conninfo
        assert service.answers()
    assert not Path(f"/proc/{pids[0]}").exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(conninfo)
    assert "database system is shut down" in again.log.read_text()


def test_two_servers_of_one_name_write_in_folders_of_their_own(setup: DatabaseSetup) -> None:
    first, second = apart(setup, "same"), apart(setup, "same")
    assert len({first.folder, second.folder, first.log, second.log}) == 4


def test_a_server_that_does_not_start_says_why(setup: DatabaseSetup) -> None:
    broken = apart(setup, "third")
    service = database_service("embedded", broken)
    with service:
        pass
    with (broken.folder / "postgresql.conf").open("a") as file:
        file.write("shared_buffers = nonsense\n")
    with pytest.raises(CannotGoOn, match=r"PostgreSQL did not start: .*configuration file.*third-"):
        service.start_again()


def test_an_unknown_word_is_refused(setup: DatabaseSetup) -> None:
    with pytest.raises(UsageError, match="'embeded' is no database"):
        database_service("embeded", setup)
