"""Write the folder of the site: only below itself, each file complete or not at all, and no file left that no longer
belongs there.

A marker tells that the folder is ours. A file that has the same content already is not written again, so that `rsync`
and browsers see which pages changed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from plumbline.model.errors import CannotGoOn, UsageError

MARKER = ".plumbline-site"
_MARKER_TEXT = b"Written by `./bench publish`; everything in this folder is made anew from the records.\n"
# What earlier versions remembered lies in folders that they wrote.
_OURS = (MARKER, ".nojekyll", ".state.json")


def claim(out: Path, data: Path) -> None:
    """Make `out` ours. Raises UsageError when it holds something else, or one of the two lies in the other."""
    target, source = out.resolve(), data.resolve()
    if target == source or target in source.parents or source in target.parents:
        raise UsageError(
            f"One of the folders {out} and {data} lies in the other.", "Name a folder elsewhere."
        )
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
    """Return whether publish made this folder."""
    marker = out / MARKER
    return marker.is_file() and not marker.is_symlink()


def remove_links(out: Path) -> None:
    """Take away every link below `out`: nothing is written through them."""
    for path, entry in _walk(out):
        if entry.is_symlink():
            os.unlink(out / path)


def write(out: Path, path: str, content: bytes) -> bool:
    """Write one file below `out`, beside its place and renamed into it; return False if it has that content already.

    Raises ValueError for a path that leads out of the folder: none of our paths does.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or any(part in ("..", "") for part in parts):
        raise ValueError(f"'{path}' leads out of the folder")
    target = out / path
    if _has(target, content):
        return False
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
    return True


def remove_others(out: Path, kept: Container[str]) -> int:
    """Remove every file below `out` that is not in `kept`, and empty folders; return the number of files.

    Hidden names at the top that are not ours (a `.git`) stay.
    """
    removed = 0
    folders: set[str] = set()
    for path, _ in _walk(out):
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


def _has(target: Path, content: bytes) -> bool:
    """Return whether a plain file has this content."""
    try:
        its = target.lstat()
        return S_ISREG(its.st_mode) and its.st_size == len(content) and target.read_bytes() == content
    except OSError:
        return False


def _make_folder(out: Path, folder: Path) -> None:
    """Folders down to this one; a file that stands in the way was ours once, and goes."""
    at = out
    for part in folder.relative_to(out).parts:
        at /= part
        if at.is_file():
            at.unlink()
        at.mkdir(exist_ok=True)


def _walk(out: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every file and link below `out`, by its path there."""
    waiting = [""]
    while waiting:
        at = waiting.pop()
        with os.scandir(out / at) as entries:
            for entry in entries:
                path = f"{at}/{entry.name}" if at else entry.name
                if not at and entry.name.startswith(".") and entry.name not in _OURS:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    yield path, entry
