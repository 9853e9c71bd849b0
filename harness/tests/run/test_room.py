"""A full disk: refused before a session, and an orderly end before a trial that it would spoil."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.machine.host.paths import Paths
from plumbline.measuring.run.room import (
    free_bytes,
    out_of_room,
    require_room,
    require_room_for_trial,
    rooms,
    says_full,
)
from plumbline.model.errors import CannotGoOn, UsageError

PLENTY = 2**40


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    environ = {"HOME": str(tmp_path), "PLUMBLINE_SCRATCH": str(tmp_path / "scratch" / "of ours")}
    return Paths.of(environ, tmp_path / "clone", os.geteuid())


def test_folders_that_are_not_there_yet_are_asked_of_the_nearest_one(paths: Paths, tmp_path: Path) -> None:
    asked: list[Path] = []

    def plenty(folder: Path) -> int:
        asked.append(folder)
        return PLENTY

    require_room(paths, plenty, 0)
    require_room_for_trial(paths, plenty)
    assert set(asked) == {tmp_path}
    assert 0 < free_bytes(tmp_path) < 2**60


@pytest.mark.parametrize("caches", [0, 20])
@pytest.mark.parametrize("number", [0, 1])
def test_each_folder_needs_its_room(paths: Paths, number: int, caches: int) -> None:
    room = rooms(paths, caches)[number]
    assert room.session >= caches * 49_000_000
    room.folder.mkdir(parents=True)

    def left(bytes_there: int) -> Callable[[Path], int]:
        return lambda folder: bytes_there if folder == room.folder else PLENTY

    require_room(paths, left(room.session), caches)
    with pytest.raises(UsageError, match=r"The disk is full: .*of ours|The disk is full: .*local"):
        require_room(paths, left(room.session - 1), caches)
    require_room_for_trial(paths, left(room.trial))
    with pytest.raises(CannotGoOn, match=r"What was measured is kept\..*bench list"):
        require_room_for_trial(paths, left(room.trial - 1))
    assert room.trial < room.session
    assert f"{room.folder} has 0 MB left" in str(out_of_room(paths, left(7)))


@pytest.mark.parametrize(("number", "full"), [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EACCES, False)])
def test_errors_that_mean_a_full_disk(number: int, full: bool) -> None:
    assert says_full(OSError(number, os.strerror(number))) is full
