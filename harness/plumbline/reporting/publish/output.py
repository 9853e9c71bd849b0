"""Writes the folder of the site: nothing outside of it, each file complete or not at all; removes files that no longer
belong there.

A marker file tells that the folder is ours. A file that already has the same content is not written again, so that
`rsync` and browsers see which pages changed.
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
# Earlier versions left the last of these files in the folders that they wrote.
_OURS = (MARKER, ".nojekyll", ".state.json")


def claim_folder(out: Path, data: Path) -> None:
    """Create `out` and mark it as ours.

    Raises UsageError if `out` holds anything else, or if one of `out` and `data` lies in the other.
    """
    target, source = out.resolve(), data.resolve()
    if target == source or target in source.parents or source in target.parents:
        raise UsageError(f"One of the folders {out} and {data} lies in the other.", "Name a folder elsewhere.")
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
        raise CannotGoOn(f"{out} can't be written: {error.strerror}.", "Name a folder of your own.") from error


def is_ours(out: Path) -> bool:
    """Return whether publish made this folder."""
    marker = out / MARKER
    return marker.is_file() and not marker.is_symlink()


def remove_links(out: Path) -> None:
    """Remove every link below `out`, so that nothing is written through a link."""
    for path, entry in _walk(out):
        if entry.is_symlink():
            os.unlink(out / path)


def write(out: Path, path: str, content: bytes) -> bool:
    """Write one file below `out`, first under a temporary name; return False if the file already has this content.

    Raises ValueError for a path that leads out of the folder: no path of the site does.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or any(part in ("..", "") for part in parts):
        raise ValueError(f"'{path}' leads out of the folder")
    target = out / path
    if _has(target, content):
        return False
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        try:
            temporary.write_bytes(content)
        except FileNotFoundError:
            _make_folder(out, target.parent)
            temporary.write_bytes(content)
        try:
            os.replace(temporary, target)
        except IsADirectoryError:
            shutil.rmtree(target)
            os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return True


def remove_others(out: Path, kept: Container[str]) -> int:
    """Remove every file below `out` that is not in `kept`, and empty folders; return the number of files.

    Hidden names at the top that are not ours (such as `.git`) stay.
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
    """Return whether `target` is a plain file with this content."""
    try:
        status = target.lstat()
        return S_ISREG(status.st_mode) and status.st_size == len(content) and target.read_bytes() == content
    except OSError:
        return False


def _make_folder(out: Path, folder: Path) -> None:
    """Make the folders down to this one; a file in the way is an old file of the site, and is removed."""
    path = out
    for part in folder.relative_to(out).parts:
        path /= part
        if path.is_file():
            path.unlink()
        path.mkdir(exist_ok=True)


def _walk(out: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every file and link below `out`, each with its path below `out`."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(out / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if not folder and entry.name.startswith(".") and entry.name not in _OURS:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    yield path, entry
