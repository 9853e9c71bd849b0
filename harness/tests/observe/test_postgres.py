from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import psycopg
import pytest

from plumbline.measuring.observe.samplers.base import Row, Tick
from plumbline.measuring.observe.samplers.database import PAUSE_TICKS, DatabaseSampler
from plumbline.measuring.observe.samplers.postgres import COLUMNS, numbers
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.services.interface import DatabaseTarget

Look = Callable[[Targets], Tick]
TARGET = DatabaseTarget("host=127.0.0.1 dbname=postgres", "fruits", "app")

# An answer of PostgreSQL 18.6 to the sampler's query under load of 20 connections.
ANSWER = [51234, 2, 1_742_000, 120, 0, 0, 41, 905_112, 0, 0, 412, 57, 3, 1, 2, 20, 7, 1, 0.004, 0, 2, 0, 20]


class FakeServer:
    """Opens sessions that answer, or that fail when a test wants so."""

    def __init__(self) -> None:
        self.down = False
        self.opened = 0
        self.closed = 0

    def connect(self, target: DatabaseTarget) -> FakeServer:
        if self.down:
            raise psycopg.OperationalError("connection refused")
        self.opened += 1
        return self

    def ask(self) -> Row:
        if self.down:
            raise psycopg.OperationalError("no answer in time")
        return dict(zip(COLUMNS, map(float, ANSWER), strict=True))

    def close(self) -> None:
        self.closed += 1


def test_the_row_becomes_columns(roots: Roots, targets: Targets, look: Look) -> None:
    sampler = DatabaseSampler(roots, FakeServer().connect)
    row = sampler.sample(look(replace(targets, database=TARGET)))
    assert row == {
        "db.commits": 51234,
        "db.rollbacks": 2,
        "db.rows_read": 1_742_000,
        "db.rows_inserted": 120,
        "db.rows_updated": 0,
        "db.rows_deleted": 0,
        "db.blocks_read": 41,
        "db.blocks_hit": 905_112,
        "db.deadlocks": 0,
        "db.temporary_bytes": 0,
        "db.wal_records": 412,
        "db.wal_syncs": 57,
        "db.checkpoints": 3,
        "db.durable": 1,
        "db.others_active": 2,
        "db.connections": 20,
        "db.active": 7,
        "db.idle_in_transaction": 1,
        "db.idle_in_transaction_max_s": 0.004,
        "db.waiting_locks": 0,
        "db.waiting_wal": 2,
        "db.waiting_io": 0,
        "db.tls_connections": 20,
    }


def test_a_server_that_fails_is_left_alone_for_a_while(roots: Roots, targets: Targets, look: Look) -> None:
    server = FakeServer()
    sampler = DatabaseSampler(roots, server.connect)
    tick = look(replace(targets, database=TARGET))
    assert sampler.sample(tick)
    server.down = True
    assert sampler.sample(tick) == {}
    assert server.closed == 1
    server.down = False
    assert [bool(sampler.sample(tick)) for _ in range(PAUSE_TICKS + 1)] == [False] * PAUSE_TICKS + [True]
    assert server.opened == 2


def test_another_database_is_another_session(roots: Roots, targets: Targets, look: Look) -> None:
    server = FakeServer()
    sampler = DatabaseSampler(roots, server.connect)
    sampler.sample(look(replace(targets, database=TARGET)))
    assert sampler.sample(look(targets)) == {}
    assert (server.opened, server.closed) == (1, 1)
    assert sampler.sample(look(replace(targets, database=replace(TARGET, application_database="other"))))
    assert server.opened == 2


@pytest.fixture
def silent() -> Iterator[Any]:
    """A session whose server never answers."""
    ours, theirs = socket.socketpair()

    class Silent:
        socket = ours.fileno()

        def is_busy(self) -> bool:
            return True

        def consume_input(self) -> None:
            raise AssertionError("there is no input")

    yield Silent()
    ours.close()
    theirs.close()


def test_a_stopped_server_does_not_hold_the_tick(silent: Any) -> None:
    with pytest.raises(psycopg.OperationalError, match="no answer in time"):
        numbers(cast(Any, silent), timeout_s=0.01)
