"""A database that bench.toml names by its address: applications verify it by an authority that somebody names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from plumbline.measuring.run.context import Context
from plumbline.measuring.run.journal import Journaled, SessionOptions
from plumbline.measuring.run.opening import testbed_for_now as open_for_now
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from tests.judge.planned import plan
from tests.run.test_origin import WentOnError, gone_on, here

PLAIN, ENCRYPTED = "vertx-pg/jvm/pg", "vertx-pg/jvm/pg+db-tls=require"


def with_database(clone: Path, database: str, environ: Mapping[str, str] | None = None) -> Context:
    opened = here(clone)
    changed = replace(opened, environ={**opened.environ, **(environ or {})})
    changed.__dict__.update({name: opened.__dict__[name] for name in ("jdk", "k6", "host")})
    changed.__dict__["host_spec"] = SimpleNamespace(database=database)
    return changed


def begun(subject: str) -> Journaled:
    return Journaled(plan(subjects=(subject,)), "now", SessionOptions())


def test_encrypted_connections_to_it_are_refused_at_the_start_without_its_authority(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = with_database(clone, "postgresql://me@db.example")
    with pytest.raises(UsageError, match="verify the database's server") as refused:
        gone_on(opened, begun(ENCRYPTED), tmp_path, monkeypatch)
    assert "PLUMBLINE_DB_CA" in str(refused.value.next_step)
    subjects = [Subject.parse(PLAIN), Subject.parse(ENCRYPTED)]
    with (
        pytest.raises(UsageError, match="verify the database's server"),
        open_for_now(opened, "start", subjects, lock=0),
    ):
        pass


@pytest.mark.parametrize(
    ("database", "subject", "environ"),
    [
        ("postgresql://me@db.example", PLAIN, {}),
        ("postgresql://me@db.example", ENCRYPTED, {"PLUMBLINE_DB_CA": "authority.pem"}),
        # The address is that of a PostgreSQL, and a MySQL is our own.
        ("postgresql://me@db.example", ENCRYPTED.replace("/pg", "/mysql"), {}),
        ("embedded", ENCRYPTED, {}),
    ],
)
def test_other_sessions_go_on(
    clone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
    subject: str,
    environ: Mapping[str, str],
) -> None:
    with pytest.raises(WentOnError):
        gone_on(with_database(clone, database, environ), begun(subject), tmp_path, monkeypatch)
