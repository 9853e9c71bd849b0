"""The same records give the same bytes, whatever lies in the folder."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from .data import copy, folders, published, read, tree, write

pytestmark = pytest.mark.slow


def test_two_runs_and_two_processes_give_the_same_bytes(branch: Path, site: dict[str, bytes], tmp_path: Path) -> None:
    data = tmp_path / "data"
    # The folders are made in another order, and so are listed in another order.
    for folder in reversed([path for path in sorted(branch.rglob("*")) if path.is_file()]):
        target = data / folder.relative_to(branch)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder, target)
    published(data, tmp_path / "out", processes=2)
    assert tree(tmp_path / "out") == site


def test_a_folder_that_was_written_before_becomes_the_same_site(
    branch: Path, site: dict[str, bytes], tmp_path: Path
) -> None:
    data, out = copy(branch, tmp_path / "data"), tmp_path / "out"
    late = [folders(data)[place] for place in (0, 4, -1)]
    for number, folder in enumerate(late):
        shutil.move(folder, tmp_path / f"late-{number}")
    first_site = published(data, out)
    other_pages = [out / "run" / folder.name / "index.html" for folder in folders(data)]
    times = [page.stat().st_mtime_ns for page in other_pages]
    for number, folder in enumerate(late):
        shutil.move(tmp_path / f"late-{number}", folder)
    whole_site = published(data, out)
    assert whole_site.sessions == first_site.sessions + 3 and whole_site.written > 0
    assert tree(out) == site
    # A page whose content stays the same is not written again.
    assert [page.stat().st_mtime_ns for page in other_pages] == times
    assert published(data, out).written == 0
    shutil.rmtree(late[0])
    (folders(data)[5] / "record.json").write_bytes(b"{}")
    smaller_site = published(data, out)
    assert smaller_site.removed > 0 and len(smaller_site.left_out) == len(whole_site.left_out) + 1
    published(data, tmp_path / "anew")
    assert tree(out) == tree(tmp_path / "anew")


@pytest.mark.parametrize("harm", ["page gone", "page changed", "page more", "link", "of an earlier version"])
def test_what_lies_in_the_folder_is_never_trusted(
    harm: str, branch: Path, site: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    published(branch, out)
    page = next(out.glob("run/*/index.html"))
    if harm == "page gone":
        page.unlink()
    elif harm == "page changed":
        page.write_bytes(page.read_bytes()[:-1] + b"?")
    elif harm == "page more":
        (out / "run" / "another").mkdir()
        (out / "run" / "another" / "index.html").write_text("old", encoding="utf-8")
    elif harm == "of an earlier version":
        (out / ".state.json").write_text("{}", encoding="utf-8")
    else:
        outside = tmp_path / "outside.html"
        outside.write_text("mine", encoding="utf-8")
        page.unlink()
        page.symlink_to(outside)
    published(branch, out)
    assert tree(out) == site
    if harm == "link":
        assert outside.read_text(encoding="utf-8") == "mine"


def test_a_run_that_was_killed_is_made_good(
    branch: Path, site: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = copy(branch, tmp_path / "data"), tmp_path / "out"
    aside = tmp_path / "aside"
    shutil.move(folders(data)[-1], aside)
    published(data, out)
    shutil.move(aside, data / folders(branch)[-1].relative_to(branch))
    calls = 0
    replace = os.replace

    def dies(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", dies)
        with pytest.raises(KeyboardInterrupt):
            published(data, out)
    published(data, out)
    assert tree(out) == site


def test_the_session_that_leaves_the_newest_loses_its_timelines(tmp_path: Path, branch: Path) -> None:
    data, out = copy(branch, tmp_path / "data"), tmp_path / "out"
    published(data, out, recent=3)
    sessions = [folder.name for folder in folders(data)]
    assert {path.parent.name for path in out.glob("api/v1/runs/*/*.json")} == set(sessions[-3:])
    shutil.rmtree(folders(data)[-1])
    published(data, out, recent=3)
    # The session that is now the third newest has no evidence: only three sessions of the branch ever had evidence.
    assert {path.parent.name for path in out.glob("api/v1/runs/*/*.json")} == set(sessions[-3:-1])
    published(data, tmp_path / "anew", recent=3)
    assert tree(out) == tree(tmp_path / "anew")


def test_sessions_are_the_newest_by_their_time_and_not_by_their_names(branch: Path, tmp_path: Path) -> None:
    data = copy(branch, tmp_path / "data")
    newest, oldest = folders(data)[-1], folders(data)[0]
    newest.rename(newest.with_name("0"))
    oldest.rename(oldest.with_name("z"))
    published(branch, tmp_path / "as-named", recent=2)
    published(data, tmp_path / "renamed", recent=2)
    timelines = [
        {path.relative_to(out).as_posix() for path in out.glob("api/v1/runs/*/*.json")}
        for out in (tmp_path / "as-named", tmp_path / "renamed")
    ]
    assert timelines[0] and timelines[0] == timelines[1]


def test_two_records_of_one_session_leave_the_files_of_the_first(branch: Path, tmp_path: Path) -> None:
    data = copy(branch, tmp_path / "data")
    first = folders(data)[-1]
    changed = read(first)
    changed["plan"]["suite"] = "another"
    write(data / "z", changed)
    site = published(data, tmp_path / "out")
    assert [omission.cause for omission in site.left_out].count("twice") == 1
    run = json.loads((tmp_path / "out" / "api" / "v1" / "runs" / f"{first.name}.json").read_bytes())
    assert run["folder"] == first.relative_to(data).as_posix() and run["suite"] != "another"


def test_older_schemas_are_read(tmp_path: Path, branch: Path) -> None:
    document = read(folders(branch)[0])
    document["versions"]["schema_version"] = 1
    for name in ("ran",):
        del document[name]
    write(tmp_path / "data" / "old", document)
    site = published(tmp_path / "data", tmp_path / "out")
    assert (site.sessions, site.left_out) == (1, ())
