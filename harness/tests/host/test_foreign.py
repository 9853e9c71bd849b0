"""Files that an application may have made are opened without a wait, and folders removed however deep they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.machine.host.foreign import heads_of_lines, open_regular, remove_tree


def a_link(path: Path) -> None:
    path.with_name("other").write_text("of somebody else")
    path.symlink_to("other")


@pytest.mark.parametrize("make", [a_link, os.mkfifo, Path.mkdir, lambda path: None])
def test_only_a_regular_file_is_opened(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / "app.log")
    with pytest.raises(OSError, match=r"app\.log"):
        open_regular(tmp_path / "app.log")


def test_of_a_long_line_only_the_head_is_kept(tmp_path: Path) -> None:
    lines = [b"short\n", b"x" * 25 + b"\n", b"y" * 10 + b"\n", b"\n", b"no end"]
    (tmp_path / "log").write_bytes(b"".join(lines))
    with open_regular(tmp_path / "log") as file:
        assert list(heads_of_lines(file, 10)) == [(line[:10], len(line)) for line in lines]


def test_a_tree_is_removed_and_no_link_in_it_is_followed(tmp_path: Path) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "-tree"
    (tree / "in").mkdir(parents=True)
    outside.mkdir()
    (outside / "kept").touch()
    (tree / "in" / "link").symlink_to(outside)
    remove_tree(tree)
    remove_tree(tree)
    assert not tree.exists() and (outside / "kept").exists()
