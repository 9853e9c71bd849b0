"""One embedded server for all tests of this room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.host.paths import Paths
from plumbline.services.postgres.service import PostgresService
from plumbline.services.registry import DatabaseSetup, database_service
from plumbline.tools.toolbox import Toolbox
from tests.processes import PlainSpawner

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def setup() -> Iterator[DatabaseSetup]:
    """A scratch beside the real one, since an unprivileged server can't enter pytest's folders and a session that runs
    meanwhile sweeps its own; and the real cache."""
    elsewhere = {**os.environ, "PLUMBLINE_SCRATCH": f"/var/tmp/plumbline-tests-{os.geteuid()}"}
    paths = Paths.of(elsewhere, CHECKOUT, os.geteuid())
    name = f"tests-{os.getpid()}"
    scratch = paths.session_scratch(name)
    box = Toolbox.of(paths, dict(os.environ), lambda _: None)
    yield DatabaseSetup(box, PlainSpawner(), name, scratch / "database", scratch / "database.log", ())
    subprocess.run(["rm", "-rf", str(scratch)], check=True)


@pytest.fixture(scope="session")
def service(setup: DatabaseSetup) -> Iterator[PostgresService]:
    with database_service("embedded", setup) as service:
        yield service
