"""The same records give the same bytes, whatever was published before and however it ended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from plumbline.publish import output
from plumbline.publish.output import STATE
from .data import copy, folders, published, read, tree, write

pytestmark = pytest.mark.slow


def test_two_runs_and_two_processes_give_the_same_bytes(
    branch: Path, site: dict[str, bytes], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    # Another order in which the folders were made, and so in which they are listed.
    for folder in reversed([path for path in sorted(branch.rglob("*")) if path.is_file()]):
        target = data / folder.relative_to(branch)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder, target)
    published(data, tmp_path / "out", processes=2)
    assert tree(tmp_path / "out") == site


def test_going_on_gives_what_starting_anew_gives(
    branch: Path, site: dict[str, bytes], tmp_path: Path
) -> None:
    data, out = copy(branch, tmp_path / "data"), tmp_path / "out"
    newest, oldest, middle = folders(data)[-1], folders(data)[0], folders(data)[5]
    aside = tmp_path / "aside"
    shutil.move(newest, aside)
    first = published(data, out)
    assert published(data, out).written == 0
    older = [out / "run" / folder.name / "index.html" for folder in folders(data)]
    times = [page.stat().st_mtime_ns for page in older]
    shutil.move(aside, newest)
    more = published(data, out)
    assert more.sessions == first.sessions + 1
    assert tree(out) == site
    assert [page.stat().st_mtime_ns for page in older] == times
    shutil.rmtree(oldest)
    (middle / "record.json").write_bytes(b"{}")
    gone = published(data, out)
    assert gone.removed > 0 and len(gone.left_out) == len(more.left_out) + 1
    published(data, tmp_path / "anew")
    assert tree(out) == tree(tmp_path / "anew")


def test_a_session_that_comes_late_takes_its_place(
    branch: Path, site: dict[str, bytes], tmp_path: Path
) -> None:
    data, out = copy(branch, tmp_path / "data"), tmp_path / "out"
    late = [folders(data)[place] for place in (0, 4, 7)]
    for number, folder in enumerate(late):
        shutil.move(folder, tmp_path / f"late-{number}")
    published(data, out)
    for number, folder in reversed(list(enumerate(late))):
        shutil.move(tmp_path / f"late-{number}", folder)
        published(data, out)
    assert tree(out) == site
    assert published(data, out).written == 0


@pytest.mark.parametrize("harm", ["lost", "half", "foreign", "page gone", "page cut", "page more", "link"])
def test_what_is_remembered_is_never_needed(
    harm: str, branch: Path, site: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    published(branch, out)
    state, page = out / STATE, next(out.glob("run/*/index.html"))
    if harm == "lost":
        state.unlink()
    elif harm == "half":
        state.write_bytes(state.read_bytes()[: state.stat().st_size // 2])
    elif harm == "foreign":
        state.write_bytes(b'{"sessions": 3}\n')
    elif harm == "page gone":
        page.unlink()
    elif harm == "page cut":
        page.write_bytes(page.read_bytes()[:100])
    elif harm == "page more":
        (out / "run" / "another").mkdir()
        (out / "run" / "another" / "index.html").write_text("old", encoding="utf-8")
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
    shutil.move(
        aside, folders(branch)[-1].relative_to(branch) and data / folders(branch)[-1].relative_to(branch)
    )
    calls = 0
    replace = output.os.replace

    def dies(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(output.os, "replace", dies)
        with pytest.raises(KeyboardInterrupt):
            published(data, out)
    assert not (out / STATE).exists()
    published(data, out)
    assert tree(out) == site


def test_the_session_that_leaves_the_newest_loses_its_timelines(tmp_path: Path, branch: Path) -> None:
    data, out = copy(branch, tmp_path / "data"), tmp_path / "out"
    published(data, out, recent=3)
    sessions = [folder.name for folder in folders(data)]
    assert {path.parent.name for path in out.glob("api/v1/runs/*/*.json")} == set(sessions[-3:])
    shutil.rmtree(folders(data)[-1])
    published(data, out, recent=3)
    # The third newest has no evidence any more: only three sessions of the branch ever had some.
    assert {path.parent.name for path in out.glob("api/v1/runs/*/*.json")} == set(sessions[-3:-1])
    published(data, tmp_path / "anew", recent=3)
    assert tree(out) == tree(tmp_path / "anew")


def test_older_schemas_are_read(tmp_path: Path, branch: Path) -> None:
    document = read(folders(branch)[0])
    document["versions"]["schema_version"] = 1
    for name in ("ran",):
        del document[name]
    write(tmp_path / "data" / "old", document)
    done = published(tmp_path / "data", tmp_path / "out")
    assert (done.sessions, done.left_out) == (1, ())
