"""`./bench ci freeze`: keep the verifier of versions that are no longer in force, from the last commit that had them.

An archive is a zip file of the modules that `verify` imports, with a main program. Its bytes are a function of the
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
"""The module that verifies a record: its name today, and its name in earlier commits."""

# The earliest time that a zip file can name.
_TIME = (1980, 1, 1, 0, 0, 0)
_SOURCES = ("harness/plumbline", "harness/requirements.lock")
# This text is part of every archive's bytes: a change here would change the digest of archives that exist already.
# ENTRY stands for the module that verifies.
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
    sources = {path.removeprefix("harness/"): content for path, content in files.items() if path.endswith(".py")}
    entry = next((name for name in ENTRIES if f"{name.replace('.', '/')}.py" in sources), None)
    if entry is None:
        raise UsageError(f"Commit {commit[:12]} has no verifier.", "Name a later one.")
    contents = {path: sources[path] for path in imported(sources, entry)}
    contents["requirements.lock"] = files["harness/requirements.lock"]
    contents["__main__.py"] = _MAIN.replace("ENTRY", entry).encode("utf-8")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(contents):
            archive.writestr(zipfile.ZipInfo(path, _TIME), contents[path])
    return buffer.getvalue()


def imported(sources: Mapping[str, bytes], module: str) -> set[str]:
    """Return the paths of `module` and of all modules that it imports, directly or not.

    `sources` is path -> content. Imports within functions count. A package that finds its modules by pkgutil imports
    all of them.
    """
    paths: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _path(sources, name)
        if path is None or path in paths:
            continue
        paths.add(path)
        parent = name.rpartition(".")[0]
        names = set(_imports(sources[path], name, is_package=path.endswith("/__init__.py")))
        if "pkgutil" in names:
            stem = path.removesuffix("__init__.py")
            names |= {f"{name}.{other[len(stem) : -3]}" for other in sources if other.startswith(stem)}
        waiting += [*names, *([parent] if parent else [])]
    return paths


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
            parents = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*parents, *([node.module] if node.module else [])])
            yield origin
            yield from (f"{origin}.{name.name}" for name in node.names)


def _files(git: Git, commit: str) -> dict[str, bytes]:
    tar_bytes = git.output("archive", "--format=tar", commit, "--", *_SOURCES)
    with tarfile.open(fileobj=io.BytesIO(tar_bytes)) as archive:
        members = ((entry.name, archive.extractfile(entry)) for entry in archive if entry.isfile())
        return {name: file.read() for name, file in members if file is not None}


_VERSION = re.compile(r"^(RULES|FIGURES)_VERSION = ([0-9]+)$", re.MULTILINE)


def freeze(git: Git, commit: str | None = None, shelf: Path = SHELF) -> Archive | None:
    """Put an archive on the shelf, and note the versions that are in force now.

    The archive is made from `commit`. Without `commit` it is made from the newest commit with the versions that the
    index calls in force; if these still are in force, nothing is made and None returned. Raises UsageError for versions
    whose archive on the shelf comes from another commit.
    """
    index = read_index(shelf)
    if commit is None:
        if (index.rules, index.figures) == (RULES_VERSION, FIGURES_VERSION):
            return None
        kept_archive = index.of(index.rules, index.figures)
        chosen_commit = _newest_with(git, index.rules, index.figures) if kept_archive is None else kept_archive.commit
    else:
        chosen_commit = git.commit(commit)
    rules, figures = versions_at(git, chosen_commit)
    content = archive_of(git, chosen_commit)
    archive = Archive(rules=rules, figures=figures, commit=chosen_commit, sha256=hashlib.sha256(content).hexdigest())
    kept_archive = index.of(rules, figures)
    if kept_archive is not None and kept_archive != archive:
        raise UsageError(
            f"{archive.name} is there already, out of commit {kept_archive.commit[:12]}, and is never made anew.",
            "Records of these versions are verified by it.",
        )
    write_whole(shelf / archive.name, content)
    archives = sorted({*index.archives, archive}, key=lambda entry: (entry.rules, entry.figures))
    new_index = Index(rules=RULES_VERSION, figures=FIGURES_VERSION, archives=tuple(archives))
    write_whole(shelf / INDEX, new_index.model_dump_json(indent=1).encode("utf-8") + b"\n")
    return archive


def versions_at(git: Git, commit: str) -> tuple[int, int]:
    """Return (rules, figures) of a commit, in whichever file they stand. Raises UsageError if it has no versions."""
    try:
        text = git.text("grep", "-h", "-E", r"^(RULES|FIGURES)_VERSION = [0-9]+$", commit, "--", "harness/plumbline")
    except GitFailed:
        text = ""
    versions = {name: int(number) for name, number in _VERSION.findall(text)}
    if versions.keys() != {"RULES", "FIGURES"}:
        raise UsageError(f"Commit {commit[:12]} has no versions of rules and figures.", "Name a later one.")
    return versions["RULES"], versions["FIGURES"]


def _newest_with(git: Git, rules: int, figures: int) -> str:
    for commit in git.text("rev-list", "HEAD").split():
        if versions_at(git, commit) == (rules, figures):
            return commit
    raise UsageError(
        f"No commit of this clone has rules {rules} and figures {figures}.",
        "Fetch the whole history (`git fetch --unshallow`), or name the commit.",
    )


def last_change(git: Git, commit: str) -> str:
    """Return the id and the subject of the newest commit up to `commit` that changed a file of rules or figures."""
    return git.text("log", "-1", "--format=%h %s", commit, "--", "harness/plumbline/verdicts")


@click.command(epilog="Example: ./bench ci freeze   (after RULES_VERSION or FIGURES_VERSION was raised)")
@click.option("--commit", help="The archive of this commit's versions instead of the last ones in force.")
def freeze_command(commit: str | None) -> None:
    """Keep the verifier of the versions that were in force, so that their records can be recomputed for ever.

    Writes harness/frozen/: an archive of the modules that `verify` imports, out of the newest commit that had those
    versions, and the index with its digest. Commit both together with the raised version and the change that raised it.
    If a commit has that change and still the older version, name the commit before it. Without a raised version there
    is nothing to do.
    """
    git = Git(ROOT)
    archive = freeze(git, commit)
    if archive is None:
        click.echo("Nothing to freeze: the versions are those of harness/frozen/index.json.")
    else:
        click.echo(f"harness/frozen/{archive.name}: commit {archive.commit[:12]}, SHA-256 {archive.sha256}.")
        click.echo(f"The newest change of rules or figures in it: {last_change(git, archive.commit)}.")
