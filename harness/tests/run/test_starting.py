"""An application's temporary files lie in its session's scratch folder, which is empty when it starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.run.starting import spawn_application
from plumbline.services.interface import DatabaseAddress
from tests.run.test_containing import SETS, job


class Spawns:
    def __init__(self) -> None:
        self.argv: list[str] = []

    def spawn(self, *, argv: list[str], **others: Any) -> None:
        self.argv = argv


@pytest.mark.parametrize("own", [True, False])
def test_what_the_process_before_left_is_gone(tmp_path: Path, own: bool) -> None:
    address = DatabaseAddress("127.0.0.1", 5433, "bench", "bench", "secret", tmp_path / "db.pem")
    its: Any = SimpleNamespace(
        work=tmp_path,
        sets=SETS,
        spawner=Spawns(),
        database=SimpleNamespace(address=address),
        environ={},
        sources=None,
        http_tls=None,
        temporary=tmp_path / "tmp" if own else None,
    )
    (tmp_path / "tmp" / "vertx-cache").mkdir(parents=True)
    spawn_application(its, job("vertx-pg"), port=8081)
    flag = f"-Djava.io.tmpdir={tmp_path / 'tmp'}"
    assert (flag in its.spawner.argv) == own
    # In a sandbox an application has a /tmp of its own, and nothing is touched.
    assert (list((tmp_path / "tmp").iterdir()) == []) == own
