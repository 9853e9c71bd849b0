"""The folder that is written: only ever below itself, each file whole or not at all, nothing left that is of no use.

Which files are ours is told by a marker in it. What is kept from one run to the next is what was written, by size and
digest, so that files that stay the same are not written again; the state goes before the first change and comes
back after the last, so that a run that was killed is followed by one that trusts nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from plumbline.model.errors import CannotGoOn, UsageError

MARKER = ".plumbline-site"
STATE = ".state.json"
_MARKER_TEXT = b"Written by `./bench publish`; everything in this folder is made anew from the records.\n"

Written = tuple[int, str]
"""Size and digest of a file."""


def claim(out: Path, data: Path) -> None:
    """Makes `out` ours. Raises UsageError when it holds something else, or one of the two lies in the other."""
    target, source = out.resolve(), data.resolve()
    if target == source or target in source.parents or source in target.parents:
        raise UsageError(f"{out} and {data} lie in one another.", "Name a folder elsewhere.")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder.", "Name a folder that is empty, or not there yet.")
    if out.is_dir() and not is_ours(out) and any(out.iterdir()):
        raise UsageError(
            f"{out} is not empty, and was not written by `./bench publish`.",
            "Name a folder that is empty, or not there yet.",
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        write(out, MARKER, _MARKER_TEXT)
    except OSError as error:
        raise CannotGoOn(
            f"{out} can't be written: {error.strerror}.", "Name a folder of your own."
        ) from error


def is_ours(out: Path) -> bool:
    """Whether publish made this folder."""
    marker = out / MARKER
    return marker.is_file() and not marker.is_symlink()


def present(out: Path) -> dict[str, int]:
    """Every plain file below `out` with its size. Links are taken away: nothing is written through them."""
    found: dict[str, int] = {}
    for path, entry in _walk(out, ""):
        if entry.is_symlink():
            os.unlink(out / path)
        else:
            found[path] = entry.stat(follow_symlinks=False).st_size
    return found


def write(out: Path, path: str, content: bytes) -> Written:
    """Write one file below `out`, beside its place and renamed into it; answers its size and digest.

    Raises ValueError for a path that leads out of the folder: none of ours does.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or any(part in ("..", "") for part in parts):
        raise ValueError(f"'{path}' leads out of the folder")
    target = out / path
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        try:
            beside.write_bytes(content)
        except FileNotFoundError:
            _make_folder(out, target.parent)
            beside.write_bytes(content)
        try:
            os.replace(beside, target)
        except IsADirectoryError:
            shutil.rmtree(target)
            os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return stamp(content)


def stamp(content: bytes) -> Written:
    """Size and digest."""
    return len(content), hashlib.sha256(content).hexdigest()[:24]


def remove_others(out: Path, here: Iterable[str], kept: Mapping[str, object]) -> int:
    """Take away every file of `here` (from `present`) that is not in `kept`, and folders left empty; answers how many.
    Hidden names at the top that are not ours (a `.git`) stay."""
    removed = 0
    folders: set[str] = set()
    for path in here:
        if path not in kept:
            os.unlink(out / path)
            removed += 1
            folders.add(str(PurePosixPath(path).parent))
    for folder in sorted(folders, key=len, reverse=True):
        while folder not in (".", ""):
            try:
                os.rmdir(out / folder)
            except OSError:
                break
            folder = str(PurePosixPath(folder).parent)
    return removed


def _make_folder(out: Path, folder: Path) -> None:
    """Folders down to this one; a file that stands in the way was ours once, and goes."""
    at = out
    for part in folder.relative_to(out).parts:
        at /= part
        if at.is_file():
            at.unlink()
        at.mkdir(exist_ok=True)


def _walk(out: Path, below: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    waiting = [below]
    while waiting:
        at = waiting.pop()
        with os.scandir(out / at) as entries:
            for entry in entries:
                path = f"{at}/{entry.name}" if at else entry.name
                if not at and entry.name.startswith(".") and entry.name not in (MARKER, STATE, ".nojekyll"):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    yield path, entry
