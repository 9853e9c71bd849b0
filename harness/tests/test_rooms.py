"""The rooms of the package are the stages of its pipeline: each imports only what lies before it.

None of them imports the laboratory, which stands beside the package and on all of it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import plumbline
from plumbline.cli import COMMANDS, LABORATORY

PACKAGE = Path(plumbline.__file__).parent
HARNESS = PACKAGE.parent
ORDER = re.findall(r"^    (\w+) {2,}\S", plumbline.__doc__ or "", re.MULTILINE)


@cache
def parsed(file: Path) -> ast.Module:
    """The syntax tree of a file, which several tests here look at."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imports(file: Path) -> set[str]:
    """The rooms that a file imports from, and `laboratory` where it does from there; its own left out."""
    place = file.relative_to(HARNESS).parts
    own = _room(".".join(place).removesuffix(".py"))
    found: set[str | None] = set()
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.level == 0:
                found.add(_room(node.module))
            inside = len(place) - (2 if place[0] == "plumbline" else 1)
            assert node.level <= inside, f"{file} imports from outside its room"
        elif isinstance(node, ast.Import):
            found |= {_room(name.name) for name in node.names}
    return {room for room in found if room not in (None, own)}


def _room(module: str) -> str | None:
    """The room that a module is in, or `laboratory`; None for one that is not ours."""
    match module.split("."):
        case ["plumbline", room, *_]:
            return room
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
    ran = subprocess.run(argv, cwd=HARNESS, capture_output=True, text=True, check=True)
    return [set(line.split()) for line in ran.stdout.splitlines()]


def test_the_package_names_every_room_it_has() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name[0] not in "._"}
    assert rooms == {*ORDER, "cli"}


def test_every_room_says_what_it_promises_and_refuses() -> None:
    for room in ORDER:
        text = ast.get_docstring(parsed(PACKAGE / room / "__init__.py")) or ""
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
