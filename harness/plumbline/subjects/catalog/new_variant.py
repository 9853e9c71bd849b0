"""Makes a new variant out of an existing one: a folder that builds, with the places to write marked."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from plumbline.model.errors import UsageError
from plumbline.model.subject import AOT_OF_FRAMEWORK, ID_PART, is_native
from .catalog import Catalog
from .variant import Variant, VariantSpec

# Stands in every line that has to be written anew; `grep -rn` finds all of them.
MARK = "WRITE:"

_SUFFIXES_WITH_ID = (".toml", ".properties", ".xml", ".yml")
# key of variant.toml -> what is to be written there
_MARKED = {
    "name": "what people call it",
    "framework": "one word, as GET /environment and the dependencies say it",
    "http": "what serves HTTP",
    "data": "what speaks to the database",
    "data_access": "orm where entities go through an ORM, sql where statements are written by hand, none without data",
    "concurrency": "imperative, reactive or virtual",
    "serves_on": "the kind of thread that handles a request: worker, event-loop, virtual or cli",
    "answer_fields": "what the server adds to the head of its answers, with the reason",
    "started": "the line of the log that says how long the start took, with a group named seconds or milliseconds;"
    " where no line does, put ready = '...' in place of started, the line after which it serves",
    "ready": "the line of the log after which it serves; where a line says how long the start took, put started = '...'"
    " in place of ready, with a group named seconds or milliseconds",
}

# Settings that a variant has whatever its framework; of all others the framework must have a switch.
_OF_ANY_FRAMEWORK = ("db-tls", "http-tls", "pool")

_OTHER_LINE = {"ready": "started", "started": "ready"}


@dataclass(frozen=True)
class Facts:
    """Facts of a new variant that are known from the start; a fact that is None stays as in the model variant, and is
    marked.

    `started` is a regular expression with a group named `seconds` or `milliseconds`, `ready` one without.
    """

    framework: str | None = None
    serves_on: str | None = None
    started: str | None = None
    ready: str | None = None


def fitting_fact(like: Variant, name: str, value: str) -> str:
    """Return the value of a fact, if a copy of `like` can have it. Raises UsageError."""
    try:
        VariantSpec.model_validate({**like.spec.model_dump(), name: value})
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UsageError(f"'{value}' is no {name}: {problem}.", "") from error
    return value


def free_folder(catalog: Catalog, name: str, like: Variant) -> Path:
    """Return the folder apps/`name` of a new variant after `like`.

    Raises UsageError for a text that can't be a name, a name that is taken, and a `like` from outside the tree.
    """
    apps = catalog.root / "apps"
    if not re.fullmatch(ID_PART, name):
        raise UsageError(f"'{name}' is no name of a variant.", "Use a-z, 0-9, dot and dash, framework first.")
    folder = apps / name
    if name in catalog.variants or folder.exists():
        raise UsageError(f"There is an apps/{name} already.", "Take another name.")
    if like.folder.parent != apps.resolve():
        raise UsageError(f"{like.id} does not stand in this tree.", "Name one of apps/.")
    return folder


def new_variant(catalog: Catalog, name: str, like: Variant, facts: Facts = Facts()) -> Path:
    """Make apps/`name` after `like`, as a module of the reactor if `like` is one, and return its folder.

    Raises UsageError as `free_folder` and `fitting_fact` do.
    """
    known_values = {key: fitting_fact(like, key, value) for key, value in vars(facts).items() if value is not None}
    folder = free_folder(catalog, name, like)
    shutil.copytree(like.folder, folder, ignore=shutil.ignore_patterns("target", ".*"))
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES_WITH_ID:
            path.write_text(_renamed(path.read_text(encoding="utf-8"), like.id, name), encoding="utf-8")
    other_framework = known_values.get("framework", like.spec.framework) != like.spec.framework
    _mark_variant(folder / "variant.toml", known_values, _marks_of_framework(like) if other_framework else {})
    _mark_pom(folder / "pom.xml", like.id)
    if like.spec.build.tool == "maven-reactor":
        _add_module(folder.parent / "pom.xml", like.id, name)
    return folder


def marks_left(folder: Path) -> tuple[tuple[Path, int, str], ...]:
    """Return file, number and text of every line below a variant's folder that is still to be written."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "target" not in path.relative_to(folder).parts[:1]:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [(path, number, line.strip()) for number, line in enumerate(lines, 1) if MARK in line]
    return tuple(found)


def _renamed(text: str, old: str, new: str) -> str:
    """Return a text with the id `old` renamed where it stands alone, or as a build extends it (`id-1-runner`)."""
    return re.sub(rf"(?<![\w.-]){re.escape(old)}(?=-1\b|[^\w.-]|\.(?!\w)|$)", new, text, flags=re.MULTILINE)


def _marks_of_framework(like: Variant) -> dict[str, str]:
    """Return (key or table below the first lines of variant.toml) -> what to write there for another framework."""
    switches = dict.fromkeys(
        set(like.spec.settings).difference(_OF_ANY_FRAMEWORK), "keep it only if the framework has this switch"
    )
    natives = [f'[packaging."{name}"]' for name in like.spec.packaging if is_native(name)]
    return {
        "run": "the arguments of java",
        "[profile.defaults]": "what a new project of the framework has",
        **switches,
        **dict.fromkeys(natives, "keep it only if your pom builds a native image"),
        f'[packaging."{AOT_OF_FRAMEWORK}"]': "keep it only if the framework can do a part of its start at build time",
    }


def _mark_variant(path: Path, known_values: Mapping[str, str], of_framework: Mapping[str, str]) -> None:
    old_lines = path.read_text(encoding="utf-8").splitlines()
    tables = next((number for number, line in enumerate(old_lines) if line.startswith("[")), len(old_lines))
    lines: list[str] = []
    written: set[str] = set()
    for line in old_lines[:tables]:
        key = line.partition("=")[0].strip()
        if _OTHER_LINE.get(key) in known_values:
            # One line of the log is enough.
            continue
        if key in known_values:
            line = f"{key} = {_toml_string(known_values[key])}"
            written.add(key)
        elif key in _MARKED:
            line = _marked(line, _MARKED[key])
        lines.append(line)
    while lines and not lines[-1].strip():
        lines.pop()
    lines += [f"{key} = {_toml_string(value)}" for key, value in known_values.items() if key not in written]
    lines.append("")
    for line in old_lines[tables:]:
        key = line.partition("=")[0].partition("#")[0].strip()
        lines.append(_marked(line, of_framework[key]) if key in of_framework else line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _marked(line: str, instruction: str) -> str:
    return f"{line}{'; ' if '#' in line else '  # '}{MARK} {instruction}"


def _toml_string(text: str) -> str:
    """Return a text as a string of TOML, without escapes if the text allows that."""
    literal = {"\\", '"'} & {*text} and "'" not in text and text.isprintable()
    return f"'{text}'" if literal else json.dumps(text)


def _mark_pom(path: Path, like: str) -> None:
    text = path.read_text(encoding="utf-8")
    marked = f"<!-- {MARK} one sentence; this is that of {like} -->"
    path.write_text(text.replace("<description>", f"{marked}\n  <description>", 1), encoding="utf-8")


def _add_module(path: Path, like: str, name: str) -> None:
    text = path.read_text(encoding="utf-8")
    line = f"    <module>{like}</module>\n"
    if line not in text:
        raise UsageError(f"apps/pom.xml has no module {like}.", "Name a variant that is one of its modules.")
    path.write_text(text.replace(line, f"{line}    <module>{name}</module>\n", 1), encoding="utf-8")
