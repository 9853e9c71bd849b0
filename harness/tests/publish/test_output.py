"""Publish writes only below its folder, and never overwrites somebody else's work."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.reporting.publish.output import MARKER, write
from plumbline.reporting.publish.publish import publish
from .data import copy, options, published, tree

pytestmark = pytest.mark.slow


def test_a_folder_of_somebody_else_is_refused_and_left_alone(branch: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="not empty"):
        published(branch, out)
    assert tree(out) == {"thesis.txt": b"mine"}


@pytest.mark.parametrize("place", ["inside", "around", "same"])
def test_records_and_site_do_not_lie_in_one_another(place: str, branch: Path, tmp_path: Path) -> None:
    data = copy(branch, tmp_path / "data")
    out = {"inside": data / "site", "around": tmp_path, "same": data}[place]
    files_before = tree(data)
    with pytest.raises(UsageError, match="lies in the other"):
        publish(data, out, options(tmp_path))
    assert tree(data) == files_before


def test_without_a_record_the_site_that_is_there_stays(branch: Path, tmp_path: Path) -> None:
    published(branch, tmp_path / "out")
    files_before = tree(tmp_path / "out")
    (tmp_path / "data").mkdir()
    with pytest.raises(UsageError, match="holds no session"):
        published(tmp_path / "data", tmp_path / "out")
    assert tree(tmp_path / "out") == files_before


def test_no_folder_of_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        published(tmp_path / "nowhere", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_work_tree_of_git_stays_one(branch: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    published(branch, out)
    (out / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    published(branch, out)
    assert (out / ".git").is_file() and (out / MARKER).is_file()


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "", "a/.."])
def test_no_path_leads_out(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leads out"):
        write(tmp_path, path, b"x")


def test_a_link_in_the_way_is_not_followed(branch: Path, tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    published(branch, out)
    elsewhere.mkdir()
    for path in sorted((out / "alerts").iterdir()):
        path.unlink()
    (out / "alerts").rmdir()
    (out / "alerts").symlink_to(elsewhere)
    published(branch, out)
    assert list(elsewhere.iterdir()) == [] and (out / "alerts" / "index.html").is_file()
