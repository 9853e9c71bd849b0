"""The parts of the package are layers, and so are the rooms of each part: each imports only what lies before it.

No room imports the laboratory, which stands beside the package and imports from all of it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

import plumbline
from plumbline.cli import COMMANDS, LABORATORY

PACKAGE = Path(plumbline.__file__).parent
HARNESS = PACKAGE.parent

_LINES = re.findall(r"^ {4}( {4})?(\w+) {2,}(\S.*)$", plumbline.__doc__ or "", re.MULTILINE)

ABOUT: dict[str, str] = {name: about for indent, name, about in _LINES if not indent}
"""The description of each part, in the order of the package's docstring."""


def _rooms_by_part() -> dict[str, tuple[str, ...]]:
    rooms_by_part: dict[str, tuple[str, ...]] = {}
    part = ""
    for indent, name, _ in _LINES:
        if indent:
            rooms_by_part[part] += (name,)
        else:
            part = name
            rooms_by_part[part] = ()
    return rooms_by_part


PARTS = _rooms_by_part()
"""The rooms of each part, in the order of the docstring; a part without rooms is a room itself."""

PART_OF = {room: part for part, rooms in PARTS.items() for room in (rooms or (part,))}
"""The part of each room, in the order of the rooms."""

ORDER = tuple(PART_OF)
FOLDERS = {
    **{room: PACKAGE / part / room if PARTS[part] else PACKAGE / part for room, part in PART_OF.items()},
    "laboratory": HARNESS / "laboratory",
}
"""The folder of each room, in the order of the rooms, and the folder of the laboratory."""


@cache
def parsed(file: Path) -> ast.Module:
    """The syntax tree of a file, which several tests read."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imports(file: Path) -> set[str]:
    """The rooms that a file imports from, and `laboratory` where it imports from there; its own room is left out."""
    place = file.relative_to(HARNESS).parts
    own = _room(".".join(place).removesuffix(".py"))
    rooms: set[str | None] = set()
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.level == 0:
                # A room may also be the name that is imported from a part.
                rooms |= {_room(f"{node.module}.{name.name}") for name in node.names}
            inside = len(place) - len(FOLDERS.get(own or "", PACKAGE).relative_to(HARNESS).parts)
            assert node.level <= inside, f"{file} imports from outside its room"
        elif isinstance(node, ast.Import):
            rooms |= {_room(name.name) for name in node.names}
    return {room for room in rooms if room not in (None, own)}


def _room(module: str) -> str | None:
    """The room that a module is in, or `laboratory`; None for a module that is not ours."""
    match module.split("."):
        case ["plumbline", part, room, *_] if room in PARTS.get(part, ()):
            return room
        case ["plumbline", part, *_] if PARTS.get(part) == ():
            return part
        case ["laboratory", *_]:
            return "laboratory"
        case _:
            return None


def loaded_by(*groups: Iterable[str]) -> list[set[str]]:
    """The modules of the laboratory that a new Python has after the command line has found each group of commands."""
    code = (
        "import click, sys\n"
        "from plumbline.cli import bench\n"
        "context = click.Context(bench)\n"
        "for group in sys.argv[1:]:\n"
        "    assert all(bench.get_command(context, name) for name in group.split())\n"
        "    assert bench.get_help(context) and bench.shell_complete(context, '')\n"
        "    print(*(name for name in sys.modules if name.partition('.')[0] == 'laboratory'))\n"
    )
    argv = [sys.executable, "-c", code, *map(" ".join, groups)]
    completed = subprocess.run(argv, cwd=HARNESS, capture_output=True, text=True, check=True)
    return [set(line.split()) for line in completed.stdout.splitlines()]


def folders(place: Path) -> set[str]:
    """The names of the folders in a folder."""
    return {path.name for path in place.iterdir() if path.is_dir() and path.name[0] not in "._"}


def test_the_package_names_every_part_and_every_room_it_has() -> None:
    assert folders(PACKAGE) == set(PARTS)
    assert {part: folders(PACKAGE / part) for part, rooms in PARTS.items() if rooms} == {
        part: set(rooms) for part, rooms in PARTS.items() if rooms
    }


def test_a_part_says_what_it_is_and_holds_nothing_but_its_rooms() -> None:
    for part in (part for part, rooms in PARTS.items() if rooms):
        (file,) = (PACKAGE / part).glob("*.py")
        (sentence,) = parsed(file).body
        assert isinstance(sentence, ast.Expr) and len((ast.get_docstring(parsed(file)) or "").split()) >= 12


def test_every_room_says_what_it_promises_and_refuses() -> None:
    for room in ORDER:
        text = ast.get_docstring(parsed(FOLDERS[room] / "__init__.py")) or ""
        assert len(text.split()) >= 15, f"{room} does not say what it promises"


def test_each_room_imports_only_what_lies_before_it() -> None:
    backwards = []
    for place, room in enumerate(ORDER):
        for file in FOLDERS[room].rglob("*.py"):
            backwards += [
                f"{file.relative_to(PACKAGE)} -> {other}" for other in imports(file) if other not in ORDER[:place]
            ]
    assert backwards == []


def test_a_room_is_known_however_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "plumbline" / "model" / "here.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "import plumbline.subjects.plan.make\n"
        "from plumbline import cli\n"
        "from plumbline.archive import record\n"
        "from plumbline.verdicts.stats import drift\n"
    )
    module = sys.modules[__name__]
    monkeypatch.setattr(module, "HARNESS", tmp_path)
    monkeypatch.setattr(module, "FOLDERS", {"model": file.parent})
    assert imports(file) == {"plan", "cli", "record", "stats"}


def test_nothing_of_the_package_imports_the_laboratory() -> None:
    for file in PACKAGE.rglob("*.py"):
        assert "laboratory" not in imports(file), file


def test_the_command_line_loads_the_laboratory_for_its_own_commands_alone() -> None:
    before, after = loaded_by(COMMANDS, LABORATORY)
    assert before == set()
    assert {f"laboratory.{name}_command" for name in LABORATORY} <= after


def test_no_class_name_stands_twice() -> None:
    places: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in parsed(file).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(file.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
