"""docs/architecture.md and the README show the package as it is: pictures drawn from it, walks along its files."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture import diagram, parts, parts_stand_on, stands_on

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
_HARNESS = re.compile(r"`(harness/[a-z0-9_./]+)`")


def test_the_picture_is_the_one_that_the_imports_draw() -> None:
    (shown,) = re.findall(r"```mermaid\n(.*?)\n```", PAGE, re.DOTALL)
    assert shown == diagram(stands_on()), "draw it again: ./bench python -m tests.architecture"


def test_the_walks_name_files_that_are() -> None:
    paths = re.findall(r"^\d+\. `([^`]+)`", PAGE, re.MULTILINE)
    assert len(paths) >= 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_walks_name_what_their_files_define() -> None:
    definitions = re.findall(r"^\d+\. `([^`]+)` \(`(\w+)`\)", PAGE, re.MULTILINE)
    assert len(definitions) >= 20
    defined = r"^(?:class|def|export function|export const) {}\b"
    assert [
        (path, name)
        for path, name in definitions
        if not re.search(defined.format(name), (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    ] == []


def test_every_page_names_files_that_are() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    references = {(page.name, path) for page in pages for path in _HARNESS.findall(page.read_text(encoding="utf-8"))}
    assert len(references) >= 20
    assert sorted((page, path) for page, path in references if not (ROOT / path).exists()) == []


def test_the_readme_shows_the_parts_and_the_way_to_the_page() -> None:
    (shown,) = re.findall(r"```mermaid\n(.*?)\n```", README, re.DOTALL)
    assert shown == parts(parts_stand_on()), "draw it again: ./bench python -m tests.architecture"
    assert "(docs/architecture.md)" in README
