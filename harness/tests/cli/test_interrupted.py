"""A command that is told to end takes along what it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.spawning import until

# What a build does: a program that starts another, which says its number and goes on.
_COMMAND = """
import os, sys
from pathlib import Path
from plumbline import cli
from plumbline.build.command import run_logged

def build(**_):
    words = ["sh", "-c", "sleep 300 & echo $! > started.part; mv started.part started; wait"]
    run_logged(words, Path.cwd(), os.environ, Path("log"))

cli.bench.main = build
cli.main()
"""


def _runs(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_build_that_is_told_to_end_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = subprocess.Popen(
        [sys.executable, "-c", _COMMAND], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True
    )
    started = tmp_path / "started"
    until(started.exists)
    grandchild = int(started.read_text())
    assert _runs(grandchild)
    command.send_signal(number)
    _, said = command.communicate(timeout=30)
    assert (command.returncode, "Interrupted." in said) == (3, True)
    until(lambda: not _runs(grandchild))
