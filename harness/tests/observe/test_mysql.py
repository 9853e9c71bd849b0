"""When the counts of MySQL are read: a statement is counted some milliseconds after its answer arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from plumbline.measuring.observe.readers.mysql import MysqlProbe
from plumbline.measuring.services.interface import DatabaseTarget

TARGET = DatabaseTarget(
    conninfo="mysql://root:@127.0.0.1:3306",
    application_database="benchmark",
    application_user="benchmark",
    engine="mysql",
)


class LateServer:
    """Answers the probe's questions; the application's commits are those of `commits(now_s)`."""

    def __init__(self, commits: Callable[[float], int]) -> None:
        self.now_s = 0.0
        self._commits = commits

    @contextmanager
    def open(self, target: DatabaseTarget) -> Iterator[Any]:
        yield self._ask

    def sleep(self, duration_s: float) -> None:
        self.now_s += duration_s

    def _ask(self, query: str, arguments: list[Any] | None) -> list[tuple[Any, ...]]:
        return [("statement/sql/commit", self._commits(self.now_s))] if "BY_EVENT_NAME" in query.upper() else []

    def probe(self) -> MysqlProbe:
        return MysqlProbe(TARGET, open_session=self.open, now=lambda: self.now_s, sleep=self.sleep)


def test_a_statement_that_is_counted_after_its_answer_is_waited_for() -> None:
    server = LateServer(lambda now_s: 4 if now_s >= 0.05 else 3)
    snapshot = server.probe().after()
    assert snapshot is not None
    assert snapshot.commits == 4


def test_an_application_that_never_rests_is_read_after_a_bounded_wait() -> None:
    server = LateServer(lambda now_s: int(now_s * 1000))
    snapshot = server.probe().after()
    assert snapshot is not None
    assert snapshot.commits == int(server.now_s * 1000)
    assert 1 < server.now_s < 3
