from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from plumbline.machine.host.paths import Paths
from plumbline.model.errors import UsageError
from tests.passable import open_up

ME = os.geteuid()
CHECKOUT = Path("/checkout")


def test_places_follow_the_environment() -> None:
    environ = {"HOME": "/home/me", "XDG_CACHE_HOME": "/cache", "PLUMBLINE_SCRATCH": "/scratch"}
    paths = Paths.of(environ, CHECKOUT, 7)
    assert paths.tools == Path("/cache/plumbline/tools")
    assert paths.scratch == Path("/scratch/plumbline")
    assert paths.results == CHECKOUT / "results" / "local"


def test_scratch_is_per_user_and_outside_the_checkout() -> None:
    paths = Paths.of({"HOME": "/home/me"}, CHECKOUT, 7)
    assert paths.scratch == Path("/var/tmp/plumbline-7")
    assert paths.cache == Path("/home/me/.cache/plumbline")


def test_a_session_gets_a_folder_that_others_may_pass_but_not_list(tmp_path: Path) -> None:
    open_up(tmp_path)
    paths = Paths.of({}, CHECKOUT, ME, root=tmp_path)
    folder = paths.session_scratch("one")
    for place in (paths.scratch, folder.parent, folder):
        assert stat.S_IMODE(place.stat().st_mode) == 0o711
    assert paths.session_scratch("one") == folder


def test_a_named_folder_that_is_not_there_is_made_passable(tmp_path: Path) -> None:
    open_up(tmp_path)
    before = os.umask(0o077)
    try:
        paths = Paths.of({"HOME": "/home/me", "PLUMBLINE_SCRATCH": str(tmp_path / "named")}, CHECKOUT, ME)
        paths.make_scratch()
    finally:
        os.umask(before)
    assert [stat.S_IMODE(place.stat().st_mode) for place in (paths.scratch, tmp_path / "named")] == [0o711, 0o711]


def test_refuses_a_folder_of_somebody_else(tmp_path: Path) -> None:
    paths = Paths(CHECKOUT, tmp_path, tmp_path / "s", ME + 1)
    paths.scratch.mkdir()
    with pytest.raises(UsageError, match=r"belongs to somebody else.*PLUMBLINE_SCRATCH"):
        paths.make_scratch()


def test_refuses_a_link_that_somebody_laid(tmp_path: Path) -> None:
    open_up(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(UsageError, match="is no folder"):
        Paths(CHECKOUT, tmp_path, tmp_path / "link", ME).make_scratch()


def test_as_root_every_parent_must_be_passable(tmp_path: Path) -> None:
    open_up(tmp_path)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    owner = closed.stat().st_uid
    if owner == 0:
        with pytest.raises(UsageError, match=f"since {closed} is closed to others"):
            Paths(CHECKOUT, tmp_path, closed / "s", 0).make_scratch()
        assert not list(closed.iterdir())
    else:
        assert Paths(CHECKOUT, tmp_path, closed / "s", owner).make_scratch().is_dir()


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    open_up(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="can't be made: Not a directory"):
        Paths(CHECKOUT, tmp_path, tmp_path / "file" / "s", ME).make_scratch()
