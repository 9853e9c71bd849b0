"""A build does not outlive a harness that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.spawning import is_there, until

BUILD = """
import sys
from pathlib import Path
from plumbline.measuring.build.command import run_logged
run_logged(["/bin/sh", "-c", "echo $$; exec sleep 600"], Path("/"), {}, Path(sys.argv[1]))
"""
TOOL = """
import sys
from pathlib import Path
from plumbline.machine.tools.running import run
words = ["/bin/sh", "-c", 'echo $$ > "$0"; exec sleep 600', sys.argv[1]]
run(words, cwd=Path("/"), env={}, waiting=lambda seconds: None)
"""


@pytest.mark.parametrize("program", [BUILD, TOOL], ids=["build", "tool"])
def test_the_command_ends_with_the_harness(tmp_path: Path, program: str) -> None:
    pid_file = tmp_path / "pid"
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program, str(pid_file)], env=environ) as harness:
        until(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"))
        pid = int(pid_file.read_text())
        os.kill(pid, 0)
        harness.kill()
        harness.wait()
    until(lambda: not is_there(pid))
    assert harness.returncode == -signal.SIGKILL
