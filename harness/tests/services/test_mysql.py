"""A real MySQL server: rows, restore, TLS, and the counters that the referee reads."""

from __future__ import annotations

import socket
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymysql
import pytest
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

from plumbline.machine.tools.mysql import get_mysql, missing_library
from plumbline.measuring.observe.readers.database import work_between
from plumbline.measuring.observe.readers.mysql import MysqlProbe
from plumbline.measuring.observe.samplers.mysql import MysqlSession
from plumbline.measuring.services.mysql.service import MysqlService
from plumbline.measuring.services.mysql.session import SETTINGS, MysqlLogin
from plumbline.measuring.services.registry import DatabaseSetup, mysql_service
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Statement
from tests.launch.spawning import until
from tests.processes import PlainSpawner
from .conftest import CHECKOUT, apart

pytestmark = pytest.mark.slow

TABLES = {
    "fruits": 10,
    "stores": 8,
    "store_fruit_prices": 34,
    "zipcode": 12078,
    "companies": 100_000,
    "orders": 10_000,
}


@pytest.fixture(scope="module")
def mysql(setup: DatabaseSetup) -> Iterator[MysqlService]:
    with mysql_service(apart(setup, "mysql")) as service:
        yield service


def application(mysql: MysqlService, **options: Any) -> Any:
    address = mysql.address
    return pymysql.connect(
        host=address.host,
        port=address.port,
        user=address.user,
        password=address.password,
        database=address.name,
        autocommit=True,
        **options,
    )


def ask(session: Any, query: str, *arguments: Any) -> Any:
    with session.cursor() as cursor:
        cursor.execute(query, arguments)
        return cursor.fetchall()


def test_the_rows_are_those_of_the_contract(mysql: MysqlService) -> None:
    mysql.restore()
    with application(mysql) as session:
        assert {table: ask(session, f"SELECT COUNT(*) FROM {table}")[0][0] for table in TABLES} == TABLES
        golden = (CHECKOUT / "apps" / "contract" / "golden" / "zip-last.json").read_text()
        assert all(f'"{value}"' in golden for value in ask(session, "SELECT * FROM zipcode WHERE zip = '85040'")[0])
        total = ask(session, "SELECT total FROM orders WHERE id = 1")[0][0]
        assert f'"total":{total}' in (CHECKOUT / "apps" / "contract" / "golden" / "order-first.json").read_text()


def test_every_session_reads_committed_and_is_durable(mysql: MysqlService) -> None:
    with application(mysql) as session:
        assert ask(session, "SELECT @@transaction_isolation, @@innodb_flush_log_at_trx_commit") == (
            ("READ-COMMITTED", 1),
        )
        assert ask(session, "SELECT @@character_set_server, @@collation_server") == (("utf8mb4", "utf8mb4_unicode_ci"),)
    assert mysql.settings["version"] == "8.0.31"


def test_tls_is_one_protocol_and_one_cipher_under_our_authority(mysql: MysqlService) -> None:
    authority = ssl.create_default_context(cafile=str(mysql.address.authority))
    authority.check_hostname = False
    with application(mysql, ssl=authority) as encrypted, application(mysql, ssl_disabled=True):
        ask(encrypted, "SELECT 1")
        # Sessions of the tests before may still be ending.
        until(lambda: MysqlSession(mysql.target).ask()["db.connections"] == 2)
        uses = {(use.version, use.cipher, use.connections) for use in MysqlProbe(mysql.target).tls()}
        row = MysqlSession(mysql.target).ask()
    assert uses == {("TLSv1.3", "TLS_AES_128_GCM_SHA256", 1), (None, None, 1)}
    assert (row["db.connections"], row["db.tls_connections"]) == (2, 1)


def test_the_trust_store_holds_the_authority(mysql: MysqlService) -> None:
    at = mysql.address
    assert at.authority_store is not None and at.authority_store_password is not None
    store = load_pkcs12(at.authority_store.read_bytes(), at.authority_store_password.encode())
    assert len(store.additional_certs) == 1


def test_statements_rows_and_commits_are_counted(mysql: MysqlService) -> None:
    probe = MysqlProbe(mysql.target)
    before = probe.before()
    with application(mysql) as session:
        for number in range(3):
            session.begin()
            ask(session, "SELECT name FROM fruits WHERE id IN (%s, %s)", 1, 2)
            ask(session, "INSERT INTO zipcode (zip) VALUES (%s)", f"counted {number}")
            session.commit()
        session.begin()
        ask(session, "DELETE FROM zipcode WHERE zip = 'counted 0'")
        session.rollback()
    after = probe.after()
    assert before is not None and after is not None
    work = work_between("x", before, after)
    assert (work.commits, work.rollbacks) == (3, 1)
    assert work.rows_inserted == {"zipcode": 3}
    reading = next(statement for statement in work.statements if "FROM fruits" in statement.query)
    assert (reading.calls, reading.rows) == (3, 6)
    assert Statement(query="INSERT INTO zipcode ( zip ) VALUES (?)", calls=3, rows=3) in work.statements


def test_a_text_that_is_served_is_changed_and_put_back_by_nobody_who_is_counted(mysql: MysqlService) -> None:
    probe = MysqlProbe(mysql.target)
    before = probe.before()
    assert mysql.rewrite("fruits", "description", 1, "Crisp and sweet", "abcdefghijklmno")
    assert not mysql.rewrite("fruits", "description", 1, "Crisp and sweet", "another")
    assert mysql.rewrite("fruits", "description", 1, "abcdefghijklmno", "Crisp and sweet")
    after = probe.after()
    assert before is not None and after is not None
    assert work_between("x", before, after).statements == ()
    with pytest.raises(CannotGoOn, match="A row of pears could not be changed"):
        mysql.rewrite("pears", "description", 1, "a", "b")


def test_what_decides_durability_is_told(mysql: MysqlService) -> None:
    snapshot = MysqlProbe(mysql.target).before()
    assert snapshot is not None and snapshot.unlogged == ()
    assert snapshot.settings["innodb_flush_log_at_trx_commit"] == "1"
    before = MysqlSession(mysql.target).ask()
    with application(mysql) as session:
        for number in range(5):
            ask(session, "INSERT INTO zipcode (zip) VALUES (%s)", f"flushed {number}")
    after = MysqlSession(mysql.target).ask()
    assert before["db.durable"] == after["db.durable"] == 1
    assert after["db.wal_syncs"] >= before["db.wal_syncs"] + 5
    assert after["db.wal_records"] > before["db.wal_records"]


def test_a_session_idle_in_a_transaction_is_seen(mysql: MysqlService) -> None:
    with application(mysql) as session:
        session.begin()
        ask(session, "SELECT COUNT(*) FROM fruits")
        # The answer is here before the server's thread has gone to sleep.
        observed = set()
        until_s = time.monotonic() + 30
        while (1, 0) not in observed and time.monotonic() < until_s:
            row = MysqlSession(mysql.target).ask()
            observed.add((row["db.idle_in_transaction"], row["db.active"]))
            # MySQL repeats its last answer when transactions are asked for again within a tenth of a second.
            time.sleep(0.2)
        assert (1, 0) in observed, observed


@pytest.mark.parametrize(("whose", "others"), [("the application", 0), ("somebody else", 1)])
def test_a_session_of_somebody_else_at_work_is_seen(mysql: MysqlService, whose: str, others: int) -> None:
    """Neither the application's session at work nor the observer's own is somebody else's."""
    observer = MysqlSession(mysql.target)
    working = application(mysql) if whose == "the application" else MysqlLogin.of(mysql.target.conninfo).open(10)
    observed = Counter[float]()
    with working, ThreadPoolExecutor(1) as pool:
        query = pool.submit(ask, working, "SELECT SLEEP(3)")
        while not query.done():
            observed[observer.ask()["db.others_active"]] += 1
    observer.close()
    # A session that is only just opened, or about to end, is at work for a moment.
    ((usual, _),) = observed.most_common(1)
    assert usual == others, observed


def test_restore_puts_rows_and_counters_back_at_the_same_address(mysql: MysqlService) -> None:
    was, process = mysql.address, mysql.pids
    with application(mysql) as session:
        ask(session, "DELETE FROM store_fruit_prices")
    mysql.restore("zipcode-empty")
    assert mysql.address == was and mysql.pids != process
    with application(mysql) as session:
        assert ask(session, "SELECT (SELECT COUNT(*) FROM store_fruit_prices), (SELECT COUNT(*) FROM zipcode)") == (
            (34, 0),
        )
    snapshot = MysqlProbe(mysql.target).before()
    assert snapshot is not None and snapshot.commits == 0


def test_a_port_that_somebody_took_between_two_trials_is_given_up(mysql: MysqlService) -> None:
    at = mysql.address
    mysql._server.stop()
    with socket.create_server((at.host, at.port)):
        mysql.restore()
        assert mysql.address.port != at.port
        with application(mysql) as session:
            assert ask(session, "SELECT COUNT(*) FROM fruits") == ((10,),)


def test_a_copy_is_on_disk_before_its_server_starts(mysql: MysqlService, setup: DatabaseSetup) -> None:
    spawner = setup.spawner
    assert isinstance(spawner, PlainSpawner)
    before = len(spawner.calls)
    mysql.restore()
    copy, sync, server = (words for _, words, _ in spawner.calls[before:][-3:])
    data = copy[-1]
    assert sync == ["/bin/sync", "-f", data]
    assert f"--datadir={data}" in server


HOSTILE = (
    "CREATE TABLE bench.x (id int)",
    "CREATE VIEW bench.v AS SELECT 1",
    "CREATE PROCEDURE bench.p() SELECT 1",
    "CREATE TRIGGER bench.t BEFORE INSERT ON bench.fruits FOR EACH ROW SET @x = 1",
    "SET GLOBAL innodb_flush_log_at_trx_commit = 0",
    "SET PERSIST sort_buffer_size = 32768",
    "SELECT 1 INTO OUTFILE 'x'",
    "SELECT COUNT(*) FROM mysql.user",
)


@pytest.mark.parametrize("statement", HOSTILE)
def test_the_application_makes_and_changes_nothing_but_rows(mysql: MysqlService, statement: str) -> None:
    with application(mysql) as session, pytest.raises(pymysql.MySQLError, match=r"denied"):
        ask(session, statement)


@pytest.mark.parametrize("statement", [*HOSTILE, "DELETE FROM bench.fruits"])
def test_the_probe_reads_alone(mysql: MysqlService, statement: str) -> None:
    with (
        MysqlLogin.of(mysql.target.conninfo).open() as session,
        pytest.raises(pymysql.MySQLError, match="denied"),
    ):
        ask(session, statement)


def test_nobody_logs_in_to_it_without_a_password(mysql: MysqlService) -> None:
    """The server is initialised with a root that has none, and lets it in by its socket alone."""
    with pytest.raises(pymysql.err.OperationalError, match=r"Access denied for user 'root'@'127\.0\.0\.1'"):
        replace(mysql.login, user="root", password="").open()


def test_a_password_that_it_changed_is_the_sessions_again(mysql: MysqlService) -> None:
    with application(mysql) as session:
        ask(session, "SET PASSWORD = 'mine'")
    mysql.restore()
    with application(mysql) as session:
        assert ask(session, "SELECT CURRENT_USER()") == (("plumbline@127.0.0.1",),)


def test_a_server_that_was_set_otherwise_measures_nothing(mysql: MysqlService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody but us can set this, so the value of the first trial is changed instead."""
    first = {**mysql.settings, "innodb_flush_log_at_trx_commit": "2"}
    with (
        monkeypatch.context() as patch,
        pytest.raises(CannotGoOn, match=r"at_trx_commit was '2' .* is '1' now"),
    ):
        patch.setattr(mysql, "settings", first)
        mysql.restore()
    mysql.restore()


def test_a_statement_that_the_server_refuses_fails_this_trial_alone(
    mysql: MysqlService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prepare").mkdir()
    (tmp_path / "prepare" / "nothing.sql").write_text("DROP TABLE nobodys;\n")
    with monkeypatch.context() as patch, pytest.raises(CannotGoOn, match=r"could not be restored: .*nobodys"):
        patch.setattr(mysql, "_sql", tmp_path)
        mysql.restore("nothing")
    mysql.restore()


def test_the_cause_is_told_and_not_the_end(mysql: MysqlService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last error of a server that does not start is always "Aborting"."""
    with monkeypatch.context() as patch, pytest.raises(CannotGoOn, match=r"did not start: .*fruitsalad"):
        patch.setitem(SETTINGS, "fruitsalad", "1")
        mysql.restore()
    mysql.restore()


def test_no_limit_of_the_host_on_asynchronous_requests_stops_the_server(mysql: MysqlService) -> None:
    """The kernel shares `fs.aio-max-nr` requests among all programs, and MySQL's native ones take thousands."""
    assert mysql.settings["innodb_use_native_aio"] == "OFF"


def test_the_server_writes_in_its_own_folder_alone(mysql: MysqlService) -> None:
    with application(mysql) as session:
        ((data, temporary),) = ask(session, "SELECT @@datadir, @@tmpdir")
    assert Path(temporary) == Path(data).parent


def test_a_missing_library_is_named() -> None:
    message = "mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file: No such file"
    assert missing_library(message) == "libaio.so.1"
    assert missing_library("Segmentation fault") is None


def test_there_is_none_for_arm(setup: DatabaseSetup) -> None:
    with pytest.raises(UsageError, match="mysql are not published for arm64 machines"):
        get_mysql(replace(setup.box, pins=replace(setup.box.pins, machine="arm64")))
