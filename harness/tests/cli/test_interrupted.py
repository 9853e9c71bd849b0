"""A command that is told to end also ends the programs that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.spawning import is_there, until

# A build in short: a program that starts another program, which writes its process number and goes on.
_COMMAND = """
import os, sys
from pathlib import Path
from plumbline import cli
from plumbline.measuring.build.command import run_logged

def build(**_):
    words = ["sh", "-c", "sleep 300 & echo $! > started.part; mv started.part started; wait"]
    run_logged(words, Path.cwd(), os.environ, Path("log"))

cli.bench.main = build
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_build_that_is_told_to_end_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = subprocess.Popen(
        [sys.executable, "-c", _COMMAND], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True
    )
    started = tmp_path / "started"
    until(started.exists)
    grandchild = int(started.read_text())
    assert is_there(grandchild)
    command.send_signal(number)
    _, errors = command.communicate(timeout=30)
    assert (command.returncode, "Interrupted." in errors) == (3, True)
    until(lambda: not is_there(grandchild))


# The signal comes as early as it can: the program runs, but Python has not yet returned its process number.
_AT_ONCE = """
import signal, subprocess, time

class Told(subprocess.Popen):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        while not Path("started").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

subprocess.Popen = Told
"""


def test_nor_does_a_build_that_is_told_so_while_it_starts(tmp_path: Path) -> None:
    script = _COMMAND.replace("cli.bench.main", f"{_AT_ONCE}\ncli.bench.main")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, timeout=60)
    assert process.returncode == 3
    grandchild = int((tmp_path / "started").read_text())
    until(lambda: not is_there(grandchild))
