"""What is kept of a folder that an application could write."""

from __future__ import annotations

import os
from pathlib import Path

from plumbline.measuring.run.local import keep_logs


def test_files_are_kept_and_links_pipes_and_folders_are_not(tmp_path: Path) -> None:
    secret, work, target = tmp_path / "secret", tmp_path / "work", tmp_path / "logs" / "0001"
    secret.write_text("of the harness")
    work.mkdir()
    (work / "app.log").write_text("started")
    (work / "gc.log").symlink_to(secret)
    (work / "dir").mkdir()
    (work / "dir" / "deep").touch()
    (work / "away").symlink_to(tmp_path)
    os.mkfifo(work / "pipe")  # to open it would wait for ever
    keep_logs(work, target)
    assert [path.name for path in target.iterdir()] == ["app.log"]
    assert not list(work.iterdir()) and secret.read_text() == "of the harness"
