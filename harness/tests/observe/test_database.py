from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from plumbline.measuring.observe.readers.database import (
    REPORTED_AFTER_IDLE_S,
    DatabaseProbe,
    Snapshot,
    work_between,
)
from plumbline.measuring.services.interface import DatabaseTarget
from plumbline.model.evidence import Statement, TlsUse

TARGET = DatabaseTarget("host=127.0.0.1 dbname=postgres", "fruits", "app")


class Answer:
    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self.rows = rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.rows


class RecordedServer:
    """Answers the probe's queries as PostgreSQL 18.6 did, and keeps the order in which they came."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.idle_since_s = 0.0
        self.own_sessions = 0
        self.asked: list[tuple[str | None, str]] = []
        self.down = False

    @contextmanager
    def open(self, conninfo: str, database: str | None) -> Iterator[Any]:
        if self.down:
            raise psycopg.OperationalError("connection refused")
        server = self

        class Recorded:
            def execute(self, query: Any, params: Sequence[object] | None = None) -> Answer:
                text = query if isinstance(query, str) else query.as_string(None)
                name, rows = server.answer(text, params)
                server.asked.append((database, name))
                return Answer(rows)

        yield Recorded()

    def answer(self, text: str, params: Sequence[object] | None) -> tuple[str, list[tuple[Any, ...]]]:
        if "pg_stat_ssl" in text:
            return "tls", [(None, None, 1), ("TLSv1.3", "TLS_AES_256_GCM_SHA384", 19)]
        if "plumbline-probe" in text:
            return "own", [(self.own_sessions,)]
        if "pg_stat_activity" in text:
            return "activity", [(20, self.now_s - self.idle_since_s, 0)]
        if "pg_stat_database" in text:
            return "transactions", [(104, 3)]
        if "pg_stat_statements" in text:
            assert params == ["fruits", "app"]
            return "statements", [("SELECT  *\n FROM fruits", 50, 500), ("COMMIT", 50, 0)]
        if "pg_stat_user_tables" in text:
            return "tables", [("public", "fruits", 16385), ("public", 'odd "name', 16390)]
        if "pg_settings" in text:
            return "settings", [("ssl", "on"), ("fsync", "on")]
        if "pg_indexes" in text:
            assert params == ["app"]
            return "defined", [("index odd", "CREATE INDEX odd ON fruits (name)")]
        if "relpersistence" in text:
            return "unlogged", [("stores",)]
        return "count", [(34 if 'odd ""name' in text else 10,)]

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def probe(self, settle_s: float) -> DatabaseProbe:
        return DatabaseProbe(
            TARGET, settle_s=settle_s, open_session=self.open, now=lambda: self.now_s, sleep=self.sleep
        )


SNAPSHOT = Snapshot(
    104,
    3,
    {"SELECT  *\n FROM fruits": (50, 500), "COMMIT": (50, 0)},
    {"fruits": 10, 'odd "name': 34},
    {"fsync": "on", "index odd": "CREATE INDEX odd ON fruits (name)", "ssl": "on"},
    ("stores",),
    {"fruits": 16385, 'odd "name': 16390},
)
COUNTED = [
    *(("fruits", name) for name in ("tables", "count", "count", "unlogged", "defined")),
    (None, "statements"),
    (None, "settings"),
]


def test_before_a_phase_commits_are_read_last() -> None:
    server = RecordedServer()
    assert server.probe(0.0).before() == SNAPSHOT
    assert server.asked == [*COUNTED, (None, "own"), (None, "activity"), (None, "transactions")]


def test_after_a_phase_commits_are_read_first() -> None:
    server = RecordedServer()
    assert server.probe(0.0).after() == SNAPSHOT
    assert server.asked == [(None, "own"), (None, "activity"), (None, "transactions"), *COUNTED]


def test_it_waits_until_idle_backends_have_reported() -> None:
    server = RecordedServer()
    server.idle_since_s = -4.0
    server.probe(60.0).after()
    assert REPORTED_AFTER_IDLE_S - 4.0 <= server.now_s < REPORTED_AFTER_IDLE_S - 4.0 + 0.2


def test_it_waits_no_longer_than_told() -> None:
    server = RecordedServer()
    server.probe(1.0).after()
    assert 1.0 <= server.now_s < 1.2


def test_it_waits_for_the_end_of_its_own_session_but_not_for_ever() -> None:
    server = RecordedServer()
    server.own_sessions = 1
    server.probe(0.0).before()
    assert 1.0 <= server.now_s < 1.2


def test_tls() -> None:
    probe = RecordedServer().probe(0.0)
    assert probe.tls() == (
        TlsUse(version=None, cipher=None, connections=1),
        TlsUse(version="TLSv1.3", cipher="TLS_AES_256_GCM_SHA384", connections=19),
    )


def test_a_server_that_is_down_gives_nothing() -> None:
    server = RecordedServer()
    server.down = True
    probe = server.probe(0.0)
    assert (probe.before(), probe.after(), probe.tls()) == (None, None, ())


def test_work_is_the_difference() -> None:
    before = Snapshot(100, 1, {"SELECT\n  1": (5, 5), "COMMIT": (7, 0)}, {"fruits": 10, "stores": 8})
    after = Snapshot(
        160, 2, {"SELECT\n  1": (25, 25), "COMMIT": (7, 0), "INSERT": (30, 30)}, {"fruits": 40, "stores": 8}
    )
    work = work_between("closed", before, after)
    assert (work.phase, work.commits, work.rollbacks) == ("closed", 60, 1)
    assert work.statements == (
        Statement(query="INSERT", calls=30, rows=30),
        Statement(query="SELECT 1", calls=20, rows=20),
    )
    assert work.rows_inserted == {"fruits": 30}
    assert work.table_rows == {"fruits": 40, "stores": 8}
    assert (work.settings, work.unlogged) == ((), ())


def test_what_decides_durability_is_kept_of_both_ends() -> None:
    before = Snapshot(0, 0, {}, {}, {"fsync": "on"}, ("stores",))
    after = Snapshot(0, 0, {}, {}, {"fsync": "off"}, ("fruits", "stores"))
    work = work_between("closed", before, after)
    assert work.settings == ({"fsync": "on"}, {"fsync": "off"})
    assert work.unlogged == ("fruits", "stores")


def test_a_table_that_was_written_anew_lies_in_another_file() -> None:
    before = Snapshot(0, 0, {}, {}, files={"fruits": 16385, "stores": 16390, "gone": 16400})
    after = Snapshot(0, 0, {}, {}, files={"fruits": 16385, "stores": 24000, "new": 24010})
    assert work_between("closed", before, after).rewritten == ("stores",)
