"""What `./bench test` sets up by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from laboratory.set_up import find_browser, missing_packages, require_libraries
from plumbline.model.errors import UsageError

HAS_BOTH = "\tlibaio.so.1t64 (libc6,x86-64)\n\tlibaio.so.1 (libc6) => /x\n\tlibnuma.so.1 (libc6) => /y\n"


def program(folder: Path, name: str, text: str = "") -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_the_browser_that_is_named_comes_before_those_on_the_path(tmp_path: Path) -> None:
    mine = program(tmp_path, "mine")
    program(tmp_path, "chromium")
    assert find_browser({"CHROMIUM": str(mine), "PATH": str(tmp_path)}) == mine


@pytest.mark.parametrize("name", ["chromium", "google-chrome", "microsoft-edge"])
def test_any_chromium_chrome_or_edge_on_the_path_will_do(tmp_path: Path, name: str) -> None:
    browser = program(tmp_path, name)
    assert find_browser({"PATH": str(tmp_path)}) == browser


def test_without_a_browser_there_is_none(tmp_path: Path) -> None:
    assert find_browser({"PATH": str(tmp_path)}) is None


def test_a_wrong_name_of_a_browser_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="CHROMIUM names no program: nowhere"):
        find_browser({"CHROMIUM": "nowhere", "PATH": str(tmp_path)})


@pytest.mark.parametrize(
    ("listed", "known", "missing"),
    [
        (HAS_BOTH, {"libaio1", "libnuma1"}, ()),
        ("\tlibnuma.so.1\n", {"libaio1", "libnuma1"}, ("libaio1",)),
        ("", {"libaio1t64", "libnuma1"}, ("libaio1t64", "libnuma1")),
        ("\tlibaio.so.1t64 (libc6,x86-64) => /x\n\tlibnuma.so.1\n", {"libaio1t64", "libnuma1"}, ()),
        ("\tlibaio.so.10\n\tlibnuma.so.1\n", {"libaio1t64"}, ("libaio1t64",)),
        ("\tlibnuma.so.1\n", set[str](), ("libaio1",)),
    ],
)
def test_missing_libraries_are_named_by_the_packages_of_this_distribution(
    listed: str, known: set[str], missing: tuple[str, ...]
) -> None:
    assert missing_packages(listed, known.__contains__) == missing


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user's programs, on a Debian without the libraries; no sudo is among the programs."""
    for name in ("ldconfig", "apt-cache", "apt-get"):
        program(tmp_path, name)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    return tmp_path


def test_a_user_whose_sudo_asks_nothing_gets_the_libraries(bare: Path) -> None:
    program(bare, "sudo", f'echo "sudo $*" >>{bare}/typed')
    require_libraries()
    *_, last = (bare / "typed").read_text(encoding="utf-8").splitlines()
    assert last.startswith("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install ")
    assert last.endswith(" libaio1t64 libnuma1")


@pytest.mark.parametrize("has_sudo", [True, False])
def test_another_user_gets_the_one_command(bare: Path, has_sudo: bool) -> None:
    if has_sudo:
        program(bare, "sudo", "exit 1")
    with pytest.raises(UsageError) as refused:
        require_libraries()
    assert refused.value.next_step.endswith("sudo apt-get install libaio1t64 libnuma1")
