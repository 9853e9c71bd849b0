"""A served subject that a test makes up: what it answers, what its database tells, what it logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from plumbline.measuring.observe.readers.database import Snapshot
from plumbline.model.evidence import TlsUse
from plumbline.model.host import CpuSets
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.variant import VariantSpec
from plumbline.verdicts.contract.probes import read_probes
from tests.checkout import CATALOG, ROOT

SETTINGS = {
    "heap": "512m",
    "gc": "g1",
    "pool": "20",
    "db-tls": "off",
    "spin": "0",
    "pool-warm-up": "on",
    "pool-initial": "max",
    "profile": "parity",
    "sessions": "one",
    "release": "auto",
}
STARTED = "Listening on http://127.0.0.1:8080\n"


def spec(**changes: object) -> VariantSpec:
    """The specification of vertx-pg, with the settings that all of these tests have."""
    vertx_pg = CATALOG.variant("vertx-pg").spec
    return vertx_pg.model_copy(update={"settings": {"db-tls": ("off",), "spin": "integer"}, **changes})


def environment(**changes: object) -> dict[str, Any]:
    """What a subject without a fault says of itself."""
    return {
        "pid": 7,
        "framework": {"name": "vertx", "version": "5"},
        "runtime": "jvm",
        "processors": 1,
        "heap_max_bytes": 512 * 2**20,
        "collectors": ["G1 Young Generation"],
        "thread": {"name": "vert.x-eventloop-thread-0", "virtual": False},
        "driver": {"name": "vertx-pg-client", "version": "5"},
        "pool": {"configured": 20, "open": 20, "in_use": 1},
        "settings": {"db_tls": "off", "spin": "0"},
        "database": {"isolation": "read committed", "tls": False, "tls_version": None},
        **changes,
    }


class Database:
    """Returns one snapshot after the other."""

    def __init__(self, snapshots: Iterator[Snapshot | None], uses: tuple[TlsUse, ...]) -> None:
        self._snapshots, self._uses = snapshots, uses

    def before(self) -> Snapshot | None:
        return next(self._snapshots)

    def after(self) -> Snapshot | None:
        return next(self._snapshots)

    def tls(self) -> tuple[TlsUse, ...]:
        return self._uses


class Served:
    """Stands in for `Serving`; its process only remembers whether it was ended."""

    def __init__(
        self,
        log: Path,
        *,
        says: dict[str, Any] | None = None,
        of: VariantSpec | None = None,
        subject: str = "vertx-pg/jvm/pg",
        status: int = 200,
        fields: frozenset[str] = frozenset({"content-type", "content-length"}),
        snapshots: tuple[Snapshot | None, ...] = (),
        connections: int = 20,
        settings: dict[str, str] | None = None,
    ) -> None:
        self.log, self.spec = log, spec() if of is None else of
        self._says, self._status, self._fields = environment() if says is None else says, status, fields
        self.ended = False
        self.process = SimpleNamespace(pid=7, terminate=self._end)
        self.job = SimpleNamespace(settings={**SETTINGS, **(settings or {})}, subject=Subject.parse(subject))
        self.testbed = SimpleNamespace(
            sets=CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,)),
            probes=read_probes(ROOT / "apps" / "contract"),
            database=SimpleNamespace(tables_locked_for_writes=nullcontext),
        )
        self.has_database = self.job.subject.engine != "none"
        self._database = Database(iter(snapshots), _uses(connections))
        self.logs_requests = False
        log.write_text(STARTED)

    def environment(self) -> dict[str, Any]:
        return self._says

    def database(self, *, settled: bool = False) -> Database:
        return self._database

    def fields(self, path: str) -> frozenset[str]:
        return self._fields

    def took_ms(self, path: str) -> float:
        return 2.1

    def serves(self, operation: str) -> bool:
        return operation.split("/")[1].split()[0] in self.spec.workloads

    def _end(self, timeout_s: float) -> None:
        self.ended = True

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        assert not self.ended
        if self.logs_requests:
            with self.log.open("a") as file:
                file.write(f"{method} {path}\n")
        return self._status, b"{}"


def _uses(connections: int) -> tuple[TlsUse, ...]:
    return (TlsUse(version=None, cipher=None, connections=connections),) if connections else ()
