"""An embedded server for each file of tests that needs one: no file finds roles or rows of another."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.observe.samplers import mysql, postgres
from plumbline.measuring.services.postgres.service import PostgresService
from plumbline.measuring.services.registry import DatabaseSetup, database_service
from tests.processes import PlainSpawner

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samplers wait for an answer as long as a busy machine takes, where a trial would leave a hole."""
    for sampler in (mysql, postgres):
        monkeypatch.setattr(sampler, "ANSWER_TIMEOUT_S", 30.0)


@pytest.fixture(scope="session")
def setup() -> Iterator[DatabaseSetup]:
    """A setup with the real cache, and a scratch folder beside the real one: an unprivileged server can't enter
    pytest's folders, and a session that runs meanwhile sweeps its own scratch."""
    elsewhere = {**os.environ, "PLUMBLINE_SCRATCH": f"/var/tmp/plumbline-tests-{os.geteuid()}"}
    paths = Paths.of(elsewhere, CHECKOUT, os.geteuid())
    name = f"tests-{os.getpid()}"
    scratch = paths.session_scratch(name)
    box = Toolbox.of(paths, dict(os.environ), lambda _: None)
    yield DatabaseSetup(box, PlainSpawner(), name, scratch / "database", scratch / "database.log", (), ())
    subprocess.run(["rm", "-rf", str(scratch)], check=True)


def apart(setup: DatabaseSetup, name: str) -> DatabaseSetup:
    """Return the setup of one more server, in a folder that no server had before.

    A worker may return to a module after it ran others: it then makes a fixture of that module a second time.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=setup.folder.parent))
    # The user of the server has to pass through this folder.
    folder.chmod(0o711)
    return replace(setup, folder=folder / "database", log=folder / "database.log")


@pytest.fixture(scope="module")
def service(setup: DatabaseSetup) -> Iterator[PostgresService]:
    with database_service("embedded", apart(setup, "server")) as service:
        yield service
