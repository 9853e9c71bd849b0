"""Whether a session's folder holds the files of its manifest: all of them, no others, unchanged."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from plumbline.model.errors import AnswerIsNo
from .difference import Difference
from .evidence_file import FOLDER
from .manifest import NAME, digest_of, parse_manifest
from .write import RECORD

# Made from the record, or not needed to check it: never in the manifest, and never trusted.
BESIDE = frozenset({"report.html", "report.md", "doctor.json", "logs"})


def first_problem_of_files(folder: Path) -> tuple[int, Difference | None]:
    """How many files the manifest holds, and the first that is missing, added, changed, or no plain file."""
    manifest = folder / NAME
    if not _plain(manifest):
        return 0, Difference(f"{NAME} is missing, or is no plain file.", NAME)
    try:
        digests = parse_manifest(manifest.read_bytes())
    except AnswerIsNo as error:
        return 0, Difference(error.problem, NAME)
    return len(digests), next(_problems(folder, digests), None)


def _problems(folder: Path, digests: dict[str, str]) -> Iterator[Difference]:
    if (folder / FOLDER).is_symlink():
        yield Difference(f"{FOLDER}/ is a symbolic link, which a record does not have.", FOLDER)
    for path in [RECORD, *sorted(set(digests) - {RECORD})]:
        if path not in digests:
            yield Difference(f"{path} is not in {NAME}.", path)
        elif not os.path.lexists(folder / path):
            yield Difference(f"{path} is in {NAME} and not in the folder.", path)
        elif not _plain(folder / path):
            yield Difference(f"{path} is no plain file.", path)
    for path in _present(folder):
        if path not in digests:
            yield Difference(f"{path} is in the folder and not in {NAME}.", path)
    for path, digest in sorted(digests.items()):
        if (found := digest_of(folder / path)) != digest:
            problem = f"{path} has changed: its SHA-256 is {found[:12]}…, and {NAME} says {digest[:12]}…."
            yield Difference(problem, path, metric="sha256", recorded=digest, recomputed=found)


def _present(folder: Path) -> list[str]:
    top = {entry.name for entry in os.scandir(folder)} - BESIDE - {NAME, FOLDER}
    below = (
        {f"{FOLDER}/{entry.name}" for entry in os.scandir(folder / FOLDER)}
        if (folder / FOLDER).is_dir()
        else set()
    )
    return sorted(top | below)


def _plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
