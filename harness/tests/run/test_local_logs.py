"""What is kept of a folder that an application could write."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.measuring.run.local import LEFT_OUT, keep_logs


def testbed_of(work: Path) -> Any:
    """A testbed outside of the sandbox, with this folder of the application."""
    private = work.parent / "private"
    private.mkdir(exist_ok=True)
    return SimpleNamespace(work=work, private=private, placement=None)


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
    keep_logs(testbed_of(work), target)
    assert [path.name for path in target.iterdir()] == ["app.log"]
    assert not list(work.iterdir()) and secret.read_text() == "of the harness"


def test_files_that_an_upload_refuses_are_named_and_not_kept(tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "logs" / "0001"
    work.mkdir()
    kept = {"app.log", "open@80%.k6.log", "threads.jsonl.gz", "hs_err_pid7.log"}
    refused = ["a:b", "what?", "a*b", "a|b", 'a"b', "a<b", "a>b", "a\rb", "a\nb", "\udcff", "é", "x" * 101]
    for name in (*kept, *refused):
        (work / name).touch()
    keep_logs(testbed_of(work), target)
    assert {path.name for path in target.iterdir()} == {*kept, LEFT_OUT}
    text = (target / LEFT_OUT).read_text()
    assert len(text.splitlines()) == len(refused) and "'a:b' of 0 bytes" in text and "'a\\rb'" in text
    assert not list(work.iterdir())


def test_a_trial_keeps_so_many_files_and_bytes(tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "logs" / "0001"
    work.mkdir()
    for number in range(300):
        (work / f"{number:03}").touch()
    for name in ("app.log", "dump"):
        with (work / name).open("wb") as file:
            file.truncate(2**40 if name == "dump" else 1000)
    keep_logs(testbed_of(work), target)
    assert len(list(target.iterdir())) == 101
    assert re.search(r"^102 more$", (target / LEFT_OUT).read_text(), re.MULTILINE)
    for name in ("app.log", "dump"):
        with (work / name).open("wb") as file:
            file.truncate(2**40 if name == "dump" else 1000)
    keep_logs(testbed_of(work), target)
    assert sorted(path.name for path in target.iterdir()) == ["app.log", LEFT_OUT]
    assert (target / LEFT_OUT).read_text() == f"'dump' of {2**40:,} bytes\n"


def refusing(name: str, number: int) -> Callable[..., object]:
    """A copy of files that fails for those of one name, as root too would see it on another user's file."""
    copy2 = shutil.copy2

    def copy(source: Path, target: Path, **options: bool) -> object:
        if source.name == name:
            raise OSError(number, os.strerror(number), str(source))
        return copy2(source, target, **options)

    return copy


def test_a_file_that_cant_be_read_is_named_and_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, target = tmp_path / "work", tmp_path / "logs" / "0001"
    work.mkdir()
    for name in ("app.log", "java_pid7.hprof"):
        (work / name).write_bytes(b"of another user")
    monkeypatch.setattr(shutil, "copy2", refusing("java_pid7.hprof", errno.EACCES))
    keep_logs(testbed_of(work), target)
    assert sorted(path.name for path in target.iterdir()) == ["app.log", LEFT_OUT]
    assert (target / LEFT_OUT).read_text() == "'java_pid7.hprof' of 15 bytes\n"
    assert not list(work.iterdir())


def test_a_full_disk_leaves_the_logs_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "app.log").touch()
    monkeypatch.setattr(shutil, "copy2", refusing("app.log", errno.ENOSPC))
    with pytest.raises(OSError, match="No space left"):
        keep_logs(testbed_of(work), tmp_path / "logs" / "0001")
    assert (work / "app.log").exists()


def test_a_file_of_the_application_takes_no_place_of_a_file_of_k6(tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "logs" / "0001"
    work.mkdir()
    testbed = testbed_of(work)
    (testbed.private / "closed.k6.log").write_text("of k6")
    (work / "closed.k6.log").write_text("of the application")
    keep_logs(testbed, target)
    assert (target / "closed.k6.log").read_text() == "of k6"
    assert "'closed.k6.log' of 18 bytes" in (target / LEFT_OUT).read_text()
    assert not list(work.iterdir()) and not list(testbed.private.iterdir())
    assert testbed.private.stat().st_mode & 0o777 == 0o700


def test_a_huge_log_of_k6_does_not_crowd_out_the_log_of_the_application(tmp_path: Path) -> None:
    """Such as of an application whose answers k6 can't parse: its own log may say why."""
    work, target = tmp_path / "work", tmp_path / "logs" / "0001"
    work.mkdir()
    testbed = testbed_of(work)
    for path, size in ((testbed.private / "closed.k6.log", 60 << 20), (work / "app.log", 10 << 20)):
        path.touch()
        os.truncate(path, size)
    keep_logs(testbed, target)
    assert sorted(path.name for path in target.iterdir()) == ["app.log", LEFT_OUT]


def test_folders_in_folders_without_end_are_removed(tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "logs" / "0001"
    work.mkdir()
    folder = os.open(work, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("in", dir_fd=folder)
        inner = os.open("in", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    keep_logs(testbed_of(work), target)
    assert not list(work.iterdir()) and {path.name for path in tmp_path.iterdir()} == {"work", "private", "logs"}


def test_the_launcher_empties_the_folder_of_the_sandbox(tmp_path: Path) -> None:
    asked: list[dict[str, str]] = []
    launcher: Any = SimpleNamespace(ask=lambda **words: asked.append(words))
    testbed = testbed_of(tmp_path / "work")
    testbed.placement = Sandbox(launcher, "plumbline-0a1b2c")
    testbed.work.mkdir()
    (testbed.work / "app.log").touch()
    keep_logs(testbed, tmp_path / "logs" / "0001")
    assert asked == [{"do": "empty"}] and (tmp_path / "logs" / "0001" / "app.log").exists()
