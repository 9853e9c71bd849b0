"""The locks, and the launcher's own text."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HARNESS = Path(__file__).resolve().parents[2]
_ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+)((?: ;[^\\\n]+)?)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)


def entries(name: str) -> dict[str, str]:
    return {entry[1]: entry[2] for entry in _ENTRY.finditer((HARNESS / name).read_text())}


def test_every_line_of_a_lock_is_a_version_with_hashes() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        remaining = _ENTRY.sub("", (HARNESS / name).read_text())
        assert [line for line in remaining.splitlines() if line.strip() and not line.startswith("    #")] == []


def test_the_locks_hold_what_the_project_asks_for_and_agree() -> None:
    project = tomllib.loads((HARNESS / "pyproject.toml").read_text())
    runtime, dev = entries("requirements.lock"), entries("requirements-dev.lock")
    assert {name.split("[")[0] for name in project["project"]["dependencies"]} <= set(runtime)
    assert set(project["dependency-groups"]["dev"]) <= set(dev) - set(runtime)
    assert runtime.items() <= dev.items()


def test_shellcheck_finds_nothing_in_the_launcher() -> None:
    path = f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin"
    shellcheck = shutil.which("shellcheck", path=path)
    assert shellcheck, "shellcheck comes with requirements-dev.lock"
    ran = subprocess.run([shellcheck, str(HARNESS.parent / "bench")], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
