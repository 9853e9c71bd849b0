"""Once the environment is there: where the launcher may be called from, and what it passes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Yard

pytestmark = pytest.mark.slow


def test_becomes_the_command_line_with_every_word_as_it_was(warm: Yard) -> None:
    process = warm.start(warm.checkout("words") / "bench", "a b", "", "*", "--x=1", "fail")
    out, err = process.communicate(timeout=60)
    document = json.loads(out)
    assert document["argv"] == ["a b", "", "*", "--x=1", "fail"]
    assert (document["pid"], process.returncode, err) == (process.pid, 7, "")
    assert document["tiny"] == "from the wheel"


def test_works_from_anywhere(warm: Yard) -> None:
    root = warm.checkout("any where/with  spaces and 'quotes'")
    elsewhere = warm.folder / "else where"
    elsewhere.mkdir()
    relative = Path("..") / root.relative_to(warm.folder) / "bench"
    for words, cwd in (
        ([root / "bench"], elsewhere),
        (["./bench"], root),
        ([relative], elsewhere),
        (["sh", "bench"], root),
        (["bench"], elsewhere),
    ):
        path = f"{warm.programs}:{root}"
        ran = warm.bench(*words, cwd=cwd, PATH=path)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert json.loads(ran.stdout)["cwd"] == str(cwd)


def test_works_through_links(warm: Yard) -> None:
    root = warm.checkout("linked")
    (warm.folder / "near").symlink_to("linked/bench")
    (warm.folder / "far").symlink_to(warm.folder / "near")
    (warm.folder / "folder").symlink_to(root)
    for word in ("./near", "./far", "./folder/bench"):
        assert json.loads(warm.bench(word).stdout)["tiny"] == "from the wheel"


def test_works_in_a_folder_for_its_owner_alone_and_in_one_that_cannot_be_written_to(warm: Yard) -> None:
    root = warm.checkout("closed")
    root.chmod(0o700)
    assert warm.bench(root / "bench").returncode == 0
    for folder in (root / "harness", root):
        folder.chmod(0o500)
    try:
        assert warm.bench(root / "bench").returncode == 0
    finally:
        for folder in (root, root / "harness"):
            folder.chmod(0o700)


def test_the_callers_own_python_settings_stay_outside(warm: Yard) -> None:
    root = warm.checkout("strange")
    (warm.folder / "strange modules").mkdir()
    (warm.folder / "strange modules" / "tiny.py").write_text("WORD = 'from elsewhere'\n")
    ran = warm.bench(root / "bench", PYTHONPATH=str(warm.folder / "strange modules"), PYTHONHOME="/nothing")
    document = json.loads(ran.stdout)
    assert (document["tiny"], document["path"]) == ("from the wheel", None)


def test_starts_nothing_but_what_it_needs(warm: Yard) -> None:
    """Python itself is reached through the environment: no Python on PATH is started."""
    only = warm.folder / "only"
    only.mkdir()
    for name in ("sh", "readlink", "uname", "cat", "sha256sum"):
        (only / name).symlink_to((warm.programs / name).resolve())
    assert warm.bench(warm.checkout("few") / "bench", PATH=str(only)).returncode == 0


@pytest.mark.parametrize("missing", ["XDG_CACHE_HOME", "both"])
def test_the_cache_is_below_home_unless_named(warm: Yard, missing: str) -> None:
    root = warm.checkout(f"home-{missing}")
    words = {"XDG_CACHE_HOME": "", "HOME": "" if missing == "both" else str(warm.folder / "home")}
    if missing == "both":
        ran = warm.bench(root / "bench", cwd=None, **words)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr == (
            "bench: Neither XDG_CACHE_HOME nor HOME is set, so there is no place for the Python environment.\n"
        )
    else:
        (warm.folder / "home").mkdir()
        (warm.folder / "home" / ".cache").symlink_to(warm.cache)
        assert warm.bench(root / "bench", cwd=None, **words).returncode == 0
