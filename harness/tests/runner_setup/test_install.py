"""The file that install-runner.sh writes for the watcher, on a host where the script ran before."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from .conftest import RUNNER_SETUP


def installed(path: Path) -> subprocess.CompletedProcess[str]:
    """Run the part of the script that writes watch.json, with another path."""
    script = (RUNNER_SETUP / "install-runner.sh").read_text(encoding="utf-8")
    [program] = re.findall(r"^python3 - /etc/plumbline/watch.json .*?\n(.*?)^END$", script, re.MULTILINE | re.DOTALL)
    words = [sys.executable, "-", str(path), "me/plumbline", "lab-2"]
    return subprocess.run(words, input=program, capture_output=True, text=True)


def test_the_first_installation_names_repository_and_host(tmp_path: Path) -> None:
    assert installed(tmp_path / "watch.json").returncode == 0
    assert json.loads((tmp_path / "watch.json").read_text()) == {"repository": "me/plumbline", "host": "lab-2"}


def test_an_update_keeps_the_keys_that_the_owner_added(tmp_path: Path) -> None:
    path = tmp_path / "watch.json"
    own_keys = {"organization": "me", "runner_group": 7, "deliver": ["scp", "--"]}
    path.write_text(json.dumps({"repository": "me/old", "host": "lab-1", **own_keys}))
    assert installed(path).returncode == 0
    assert json.loads(path.read_text()) == {"repository": "me/plumbline", "host": "lab-2", **own_keys}


def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "watch.json"
    path.write_text('{"organization": "me",')
    ended = installed(path)
    assert ended.returncode == 1 and f"install-runner: {path} is no JSON" in ended.stderr
    assert path.read_text() == '{"organization": "me",'
