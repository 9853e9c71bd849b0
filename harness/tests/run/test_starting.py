"""An application starts on the CPUs that it is asked to run on, with an empty folder of temporary files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run.starting import spawn_application
from plumbline.measuring.services.interface import DatabaseAddress
from plumbline.model.host import CpuSets
from tests.run.test_containing import job


class Spawns:
    def __init__(self) -> None:
        self.argv: list[str] = []
        self.others: dict[str, Any] = {}

    def spawn(self, *, argv: list[str], **others: Any) -> None:
        self.argv, self.others = argv, others


def testbed(tmp_path: Path, temporary: Path | None) -> Any:
    address = DatabaseAddress("127.0.0.1", 5433, "bench", "bench", "secret", tmp_path / "db.pem")
    return SimpleNamespace(
        work=tmp_path,
        sets=CpuSets(app=(2, 3, 4), db=(1,), load=(0,), housekeeping=(0,)),
        spawner=Spawns(),
        database=SimpleNamespace(address=address),
        environ={},
        sources=None,
        http_tls=None,
        temporary=temporary,
    )


def test_an_application_runs_on_as_many_of_its_cpus_as_asked_for(tmp_path: Path) -> None:
    app_testbed = testbed(tmp_path, None)
    spawn_application(app_testbed, job("vertx-pg+cpus=2"), port=8081)
    assert app_testbed.spawner.others["cpus"] == (2, 3)
    assert "-XX:ActiveProcessorCount=2" in app_testbed.spawner.argv
    spawn_application(app_testbed, job("vertx-pg"), port=8081)
    assert "cpus" not in app_testbed.spawner.others
    assert "-XX:ActiveProcessorCount=3" in app_testbed.spawner.argv


@pytest.mark.parametrize("own", [True, False])
def test_what_the_process_before_left_is_gone(tmp_path: Path, own: bool) -> None:
    app_testbed = testbed(tmp_path, tmp_path / "tmp" if own else None)
    (tmp_path / "tmp" / "vertx-cache").mkdir(parents=True)
    spawn_application(app_testbed, job("vertx-pg"), port=8081)
    flag = f"-Djava.io.tmpdir={tmp_path / 'tmp'}"
    assert (flag in app_testbed.spawner.argv) == own
    # In a sandbox an application has a /tmp of its own, and nothing is touched.
    assert (list((tmp_path / "tmp").iterdir()) == []) == own


@pytest.mark.parametrize("temporary", [True, False])
def test_a_jvm_that_crashes_reports_beside_its_logs_and_not_beside_its_artifact(
    tmp_path: Path, temporary: bool
) -> None:
    app_testbed = testbed(tmp_path, tmp_path / "tmp" if temporary else None)
    spawn_application(app_testbed, job("vertx-pg"), port=8081)
    for word in (f"-XX:ErrorFile={tmp_path}/hs_err_pid%p.log", f"-XX:ReplayDataFile={tmp_path}/replay_pid%p.log"):
        assert word in app_testbed.spawner.argv
    assert app_testbed.spawner.others["cwd"] != tmp_path
