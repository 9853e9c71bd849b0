"""SHA-256 of files and of trees."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

# What a build writes, and what an editor leaves: never inputs.
_NOT_INPUTS = frozenset(
    {"target", "build", "out", ".git", ".idea", ".vscode", ".settings", "__pycache__", "node_modules"}
)


def file_sha256(path: Path) -> str:
    """Return SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tree_sha256(path: Path) -> str:
    """Return SHA-256 over the sorted relative names and contents of a folder, or of a single file."""
    return _digest((name, file_sha256(file)) for name, file in _files(path, frozenset()))


def inputs_sha256(paths: Iterable[Path], facts: Iterable[str]) -> str:
    """Return SHA-256 over source files and folders (without build outputs), and facts such as JDK and command."""
    rows = [
        (f"{path.name}/{name}", file_sha256(file))
        for path in paths
        for name, file in _files(path, _NOT_INPUTS)
    ]
    return _digest([*rows, *(("fact", fact) for fact in facts)])


def tree_size_bytes(path: Path) -> int:
    """Return the sum of the sizes of all files."""
    return sum(file.stat().st_size for _, file in _files(path, frozenset()))


def _digest(rows: Iterable[tuple[str, str]]) -> str:
    digest = hashlib.sha256()
    for name, value in rows:
        digest.update(f"{value}  {name}\n".encode())
    return digest.hexdigest()


def _files(path: Path, skipped: frozenset[str]) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield path.name, path
        return
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if name not in skipped)
        for name in sorted(files):
            file = Path(folder) / name
            yield file.relative_to(path).as_posix(), file
