from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from plumbline.measuring.launch import lock as module
from plumbline.measuring.launch.lock import MachineLock
from plumbline.measuring.launch.supervisor.loop import BY_FORCE_S, BY_THEMSELVES_S, REMOVE_GROUPS_S
from plumbline.model.errors import UsageError


def test_a_second_run_is_refused_with_the_holders_pid(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with MachineLock(path), pytest.raises(UsageError, match=f"process {os.getpid()}, since 20") as refused:
        MachineLock(path).__enter__()
    assert refused.value.exit_status == 2
    with MachineLock(path):
        pass


def test_any_user_may_take_it_next(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    before = os.umask(0o077)
    try:
        with MachineLock(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o666
    finally:
        os.umask(before)


def test_a_torn_file_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text('{"pid": 4')
    with MachineLock(path):
        assert json.loads(path.read_text())["pid"] == os.getpid()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="can't be opened"):
        MachineLock(tmp_path / "lock").__enter__()


def test_a_dead_holder_whose_supervisor_still_cleans_up_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, close_fds=False
    )
    with MachineLock(path) as lock:
        os.set_inheritable(lock.descriptor, True)
        keeper = subprocess.Popen(["sleep", "0.5"], close_fds=False)
        holder.communicate()
        os.pwrite(lock.descriptor, json.dumps({"pid": holder.pid, "since": "then"}).encode().ljust(80), 0)
    with MachineLock(path):
        assert keeper.wait() == 0


def test_a_supervisor_has_all_its_time_to_clean_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, waits_s = tmp_path / "lock", [0.0]
    ended = subprocess.Popen(["true"])
    ended.wait()
    with MachineLock(path) as lock:
        os.pwrite(lock.descriptor, json.dumps({"pid": ended.pid, "since": "then"}).encode().ljust(80), 0)
        clock = SimpleNamespace(monotonic=lambda: sum(waits_s), sleep=waits_s.append)
        monkeypatch.setattr(module, "time", clock)
        with pytest.raises(UsageError, match="since then"):
            MachineLock(path).__enter__()
    assert sum(waits_s) >= BY_THEMSELVES_S + BY_FORCE_S + REMOVE_GROUPS_S
