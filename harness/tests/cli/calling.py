"""Calls the command line as a user does: in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = (sys.executable, str(ROOT / "harness"))


def bench(*words: str | bytes, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Call a command and return its status and output; nobody answers questions."""
    return subprocess.run(
        [*PROGRAM, *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
