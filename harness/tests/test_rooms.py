"""The rooms of the package are the stages of its pipeline: each imports only what lies before it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import plumbline

PACKAGE = Path(plumbline.__file__).parent
ORDER = re.findall(r"^    (\w+) {2,}\S", plumbline.__doc__ or "", re.MULTILINE)


def imports(file: Path) -> set[str]:
    """The rooms that a file imports from, its own left out."""
    own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.split(".")
            if node.level == 0 and parts[0] == "plumbline" and len(parts) > 1:
                found.add(parts[1])
            assert node.level <= len(file.relative_to(PACKAGE).parts) - 1, (
                f"{file} imports from outside its room"
            )
        elif isinstance(node, ast.Import):
            found |= {name.name.split(".")[1] for name in node.names if name.name.startswith("plumbline.")}
    return found - {own}


def test_the_package_names_every_room_it_has() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name[0] not in "._"}
    assert rooms == {*ORDER, "cli"}


def test_every_room_says_what_it_promises_and_refuses() -> None:
    for room in ORDER:
        text = (
            ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))) or ""
        )
        assert len(text.split()) >= 15, f"{room} does not say what it promises"


def test_each_room_imports_only_what_lies_before_it() -> None:
    backwards = []
    for place, room in enumerate(ORDER):
        for file in (PACKAGE / room).rglob("*.py"):
            backwards += [
                f"{file.relative_to(PACKAGE)} -> {other}"
                for other in imports(file)
                if other not in ORDER[:place]
            ]
    assert backwards == []
