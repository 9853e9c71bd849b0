"""A new variant out of an existing one: a folder that builds, with the places to write marked."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from plumbline.model.errors import UsageError
from .catalog import Catalog
from .variant import Variant

# In every line that has to be written anew; `grep -rn` finds them all.
MARK = "WRITE:"

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*\Z")
_NAMED_AFTER_IT = (".toml", ".properties", ".xml", ".yml")
# key of variant.toml -> what is to be written there
_MARKED = {
    "name": "what people call it",
    "http": "what serves HTTP",
    "data": "what speaks to the database",
    "data_access": "orm where entities go through an ORM, sql where statements are written by hand, none without data",
    "concurrency": "and on which kind of thread it serves",
}


def new_variant(catalog: Catalog, name: str, like: Variant) -> Path:
    """Make apps/`name` after `like`, as a module of the reactor if that is one; its folder.

    Raises UsageError for a name that can't be one or is taken, and for a pattern from outside the tree.
    """
    apps = catalog.root / "apps"
    if not _NAME.match(name):
        raise UsageError(f"'{name}' is no name of a variant.", "Use a-z, 0-9, dot and dash, framework first.")
    folder = apps / name
    if name in catalog.variants or folder.exists():
        raise UsageError(f"There is an apps/{name} already.", "Take another name.")
    if like.folder.parent != apps.resolve():
        raise UsageError(f"{like.id} does not stand in this tree.", "Name one of apps/.")
    shutil.copytree(like.folder, folder, ignore=shutil.ignore_patterns("target", ".*"))
    for path in sorted(folder.rglob("*")):
        if path.suffix in _NAMED_AFTER_IT:
            path.write_text(_renamed(path.read_text(encoding="utf-8"), like.id, name), encoding="utf-8")
    _mark_variant(folder / "variant.toml")
    _mark_pom(folder / "pom.xml", like.id)
    if like.spec.build.tool == "maven-reactor":
        _add_module(apps / "pom.xml", like.id, name)
    return folder


def marks_left(folder: Path) -> tuple[tuple[Path, int, str], ...]:
    """File, number and text of every line below a variant's folder that is still to be written."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "target" not in path.relative_to(folder).parts[:1]:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [(path, number, line.strip()) for number, line in enumerate(lines, 1) if MARK in line]
    return tuple(found)


def _renamed(text: str, old: str, new: str) -> str:
    """The id where it stands alone, and in what a build calls after it (`id-1-runner`): not in longer ids."""
    return re.sub(rf"(?<![\w.-]){re.escape(old)}(?=-1\b|[^\w.-]|\.(?!\w)|$)", new, text, flags=re.MULTILINE)


def _mark_variant(path: Path) -> None:
    # No published study has it.
    read = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in read if not line.startswith("studies = ")]
    for number, line in enumerate(lines):
        key = line.partition("=")[0].strip()
        if key in _MARKED:
            lines[number] = f"{line}{'; ' if '#' in line else '  # '}{MARK} {_MARKED[key]}"
        if line.startswith("["):
            break
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


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
