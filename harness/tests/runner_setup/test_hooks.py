"""The hooks around a job: the first one as the runner would start it, a child of Runner.Worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import RUNNER_SETUP

HOOK = RUNNER_SETUP / "hooks/job-started.sh"
MINTED = {
    "GITHUB_REPOSITORY": "me/plumbline",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_EVENT_NAME": "schedule",
    "GITHUB_WORKFLOW_REF": "me/plumbline/.github/workflows/campaign.yml@refs/heads/main",
}

# A worker that goes on after its hook has failed, as steps with `if: always()` would.
_WORKER = """
import subprocess, sys
open("/proc/self/comm", "w").write("Runner.Worker")
subprocess.run(["/bin/bash", "-e", sys.argv[1]])
open(sys.argv[2], "w").write("a step ran")
"""


def start(folder: Path, minted: dict[str, str] | None, job: dict[str, str]) -> tuple[int, bool, str | None]:
    """Return the status of the worker, whether a step ran, and the text of the flag."""
    if minted is not None:
        (folder / "minted").write_text("".join(f"{name}={value}\n" for name, value in minted.items()))
    flag = folder / "rejected"
    env = {
        "PATH": os.environ["PATH"],
        "PLUMBLINE_MINTED": str(folder / "minted"),
        "PLUMBLINE_REJECTED": str(flag),
    }
    words = [sys.executable, "-c", _WORKER, str(HOOK), str(folder / "step")]
    ended = subprocess.run(words, env={**env, **job}, capture_output=True, check=False)
    return ended.returncode, (folder / "step").exists(), flag.read_text() if flag.exists() else None


def test_the_job_that_was_meant_goes_on(tmp_path: Path) -> None:
    assert start(tmp_path, MINTED, MINTED) == (0, True, None)


@pytest.mark.parametrize("name", MINTED)
def test_another_job_ends_before_its_first_step(tmp_path: Path, name: str) -> None:
    status, step_ran, flag = start(tmp_path, MINTED, {**MINTED, name: "$(touch x) 'else'"})
    assert status == -signal.SIGKILL and not step_ran
    assert flag == f"{name} is '$(touch x) 'else'', and this runner is for '{MINTED[name]}'\n"
    assert not (tmp_path / "x").exists()


def test_a_job_says_all_of_it(tmp_path: Path) -> None:
    status, step_ran, flag = start(tmp_path, MINTED, {})
    assert status == -signal.SIGKILL and not step_ran and flag is not None


def test_a_runner_for_which_nothing_was_minted_takes_nothing(tmp_path: Path) -> None:
    status, step_ran, flag = start(tmp_path, None, MINTED)
    assert status == -signal.SIGKILL and not step_ran
    assert flag == "nothing was minted for this runner\n"


@pytest.mark.parametrize("is_marked", [True, False])
def test_after_a_job_what_its_session_started_is_killed_however_large_its_environment(
    tmp_path: Path, is_marked: bool
) -> None:
    """On the machine of the tests other sessions may run, so that the hook looks at one process alone."""
    mark = {"PLUMBLINE_SESSION": "20261001T001700Z-lab-0a1b2c"} if is_marked else {"OF_PLUMBLINE_SESSION": "1"}
    env = {**mark, **{f"OTHER_{number}": "x" * 100_000 for number in range(3)}}
    hook = (RUNNER_SETUP / "hooks/job-completed.sh").read_text(encoding="utf-8")
    with subprocess.Popen(["/bin/sleep", "5"], env=env) as process:
        words = hook.replace("/proc/[0-9]*", f"/proc/{process.pid} /proc/none")
        ended = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
        if not is_marked:
            process.terminate()
    assert words != hook and (ended.returncode, ended.stderr) == (0, "")
    assert process.returncode == -(signal.SIGKILL if is_marked else signal.SIGTERM)
