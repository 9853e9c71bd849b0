"""`./bench ci freeze`: the verifier of versions that are no longer in force, out of the last commit that had them.

An archive has the modules that `verify` imports, with a main program, as a zip file. Its bytes are a function of the
commit alone: sorted names, one fixed time, no compression (git compresses, and two versions then share most of their
bytes in a clone).
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from plumbline.archive.record.files import write_whole
from plumbline.archive.record.frozen import INDEX, SHELF, Archive, Index, read_index
from plumbline.cli.console import ROOT
from plumbline.machine.tools.git import Git, GitFailed
from plumbline.model.errors import UsageError
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.judge.referee import RULES_VERSION

ENTRIES = ("plumbline.archive.record.verify", "plumbline.record.verify")
"""The module that verifies a record: its name today, and that of earlier commits."""

# The earliest time that a zip file can name.
_TIME = (1980, 1, 1, 0, 0, 0)
_SOURCES = ("harness/plumbline", "harness/requirements.lock")
# Part of every archive's bytes: another text here would be another digest of archives that are there already. ENTRY
# stands for the module that verifies.
_MAIN = '''"""Checks a session's folder by the rules and figures of this archive: `python3 -I ARCHIVE FOLDER`.

Prints one JSON document. Exit status 0: as recorded; 1: `difference` names the first thing that differs.
Needs pydantic, numpy and scipy; requirements.lock in this archive has the versions of its day.
"""

import dataclasses
import json
import pathlib
import sys

from ENTRY import verify

found = verify(pathlib.Path(sys.argv[1]))
print(json.dumps(dataclasses.asdict(found), default=str))
raise SystemExit(0 if found.difference is None else 1)
'''


def archive_of(git: Git, commit: str) -> bytes:
    """Return the archive of a commit, given by its full id.

    Raises GitFailed where the clone lacks it, and UsageError where the commit has no verifier.
    """
    files = _files(git, commit)
    sources = {
        path.removeprefix("harness/"): content for path, content in files.items() if path.endswith(".py")
    }
    entry = next((name for name in ENTRIES if f"{name.replace('.', '/')}.py" in sources), None)
    if entry is None:
        raise UsageError(f"Commit {commit[:12]} has no verifier.", "Name a later one.")
    kept = {path: sources[path] for path in imported(sources, entry)}
    kept["requirements.lock"] = files["harness/requirements.lock"]
    kept["__main__.py"] = _MAIN.replace("ENTRY", entry).encode("utf-8")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(kept):
            archive.writestr(zipfile.ZipInfo(path, _TIME), kept[path])
    return made.getvalue()


def imported(sources: Mapping[str, bytes], module: str) -> set[str]:
    """Return paths of all modules that one imports, itself included, directly or not; `sources` is path -> content.

    Imports within functions count. A package that looks for its modules by pkgutil takes all of them.
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _path(sources, name)
        if path is None or path in found:
            continue
        found.add(path)
        parent = name.rpartition(".")[0]
        names = set(_imports(sources[path], name, is_package=path.endswith("/__init__.py")))
        if "pkgutil" in names:
            stem = path.removesuffix("__init__.py")
            names |= {f"{name}.{other[len(stem) : -3]}" for other in sources if other.startswith(stem)}
        waiting += [*names, *([parent] if parent else [])]
    return found


def _path(sources: Mapping[str, bytes], module: str) -> str | None:
    stem = module.replace(".", "/")
    return next((path for path in (f"{stem}.py", f"{stem}/__init__.py") if path in sources), None)


def _imports(source: bytes, module: str, *, is_package: bool) -> Iterator[str]:
    """Yield every name that may be a module: of `from a import b` both `a` and `a.b`."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            yield origin
            yield from (f"{origin}.{name.name}" for name in node.names)


def _files(git: Git, commit: str) -> dict[str, bytes]:
    packed = git.output("archive", "--format=tar", commit, "--", *_SOURCES)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        opened = ((entry.name, archive.extractfile(entry)) for entry in archive if entry.isfile())
        return {name: file.read() for name, file in opened if file is not None}


_VERSION = re.compile(r"^(RULES|FIGURES)_VERSION = ([0-9]+)$", re.MULTILINE)


def freeze(git: Git, commit: str | None = None, shelf: Path = SHELF) -> Archive | None:
    """Put an archive on the shelf, and note the versions that are in force now.

    The archive is of `commit`. Without `commit` it is of the newest commit with the versions that the index calls in
    force, and None if those still are in force. Raises UsageError for versions that are on the shelf out of another
    commit.
    """
    index = read_index(shelf)
    if commit is None:
        if (index.rules, index.figures) == (RULES_VERSION, FIGURES_VERSION):
            return None
        known = index.of(index.rules, index.figures)
        chosen = _newest_with(git, index.rules, index.figures) if known is None else known.commit
    else:
        chosen = git.commit(commit)
    rules, figures = versions_at(git, chosen)
    content = archive_of(git, chosen)
    made = Archive(rules=rules, figures=figures, commit=chosen, sha256=hashlib.sha256(content).hexdigest())
    known = index.of(rules, figures)
    if known is not None and known != made:
        raise UsageError(
            f"{made.name} is there already, out of commit {known.commit[:12]}, and is never made anew.",
            "Records of these versions are verified by it.",
        )
    write_whole(shelf / made.name, content)
    archives = sorted({*index.archives, made}, key=lambda one: (one.rules, one.figures))
    now = Index(rules=RULES_VERSION, figures=FIGURES_VERSION, archives=tuple(archives))
    write_whole(shelf / INDEX, now.model_dump_json(indent=1).encode("utf-8") + b"\n")
    return made


def versions_at(git: Git, commit: str) -> tuple[int, int]:
    """Return (rules, figures) of a commit, wherever its code names them. Raises UsageError when it names none."""
    try:
        text = git.text(
            "grep", "-h", "-E", r"^(RULES|FIGURES)_VERSION = [0-9]+$", commit, "--", "harness/plumbline"
        )
    except GitFailed:
        text = ""
    found = {name: int(number) for name, number in _VERSION.findall(text)}
    if found.keys() != {"RULES", "FIGURES"}:
        raise UsageError(f"Commit {commit[:12]} has no versions of rules and figures.", "Name a later one.")
    return found["RULES"], found["FIGURES"]


def _newest_with(git: Git, rules: int, figures: int) -> str:
    for commit in git.text("rev-list", "HEAD").split():
        if versions_at(git, commit) == (rules, figures):
            return commit
    raise UsageError(
        f"No commit of this clone has rules {rules} and figures {figures}.",
        "Fetch the whole history (`git fetch --unshallow`), or name the commit.",
    )


@click.command(epilog="Example: ./bench ci freeze   (after RULES_VERSION or FIGURES_VERSION was raised)")
@click.option("--commit", help="The archive of this commit's versions instead of the last ones in force.")
def freeze_command(commit: str | None) -> None:
    """Keep the verifier of the versions that were in force, so that their records can be recomputed for ever.

    Writes harness/frozen/: an archive of the modules that `verify` imports, out of the newest commit that had those
    versions, and the index with its digest. Commit both together with the raised version. Without a raised version
    there is nothing to do.
    """
    made = freeze(Git(ROOT), commit)
    if made is None:
        click.echo("Nothing to freeze: the versions are those of harness/frozen/index.json.")
    else:
        click.echo(f"harness/frozen/{made.name}: commit {made.commit[:12]}, SHA-256 {made.sha256}.")
