"""Unpacks an archive into a folder that is whole or not there."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO

from plumbline.model.errors import UsageError

# The names that were unpacked: cleaners of /var/tmp take single old files out of a tree.
_NAMES = ".names"


def unpack_tar(open_archive: Callable[[], IO[bytes]], target: Path, without: Collection[str] = ()) -> Path:
    """Unpack a tar (compressed or not) into `target`, unless all of it is there already; `without` some members.

    Files are readable and folders passable for everybody, the archive is a pinned one. The
    tree is made beside its place and renamed, so that an interrupted one is never used.
    """
    if _is_whole(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(dir=target.parent, prefix=".unpack-"))
    try:
        with open_archive() as raw, tarfile.open(fileobj=raw) as archive:
            # Every archive is pinned; the filter is a second line of defence that Python has since 3.11.4.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            members = [member for member in archive.getmembers() if member.name not in without]
            archive.extractall(building, members)
            names = sorted(member.name for member in members)
        (building / _NAMES).write_text("\n".join(names) + "\n", encoding="utf-8")
        building.chmod(0o755)
        if target.exists() and not _is_whole(target):
            shutil.rmtree(target)
        try:
            building.rename(target)
        except OSError:
            if not _is_whole(target):  # else another session was quicker
                raise
    except OSError as error:
        raise UsageError(
            f"{target.name} could not be unpacked in {target.parent}: {error.strerror}.",
            "Free some space there, or see that it can be written to.",
        ) from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def _is_whole(target: Path) -> bool:
    names = target / _NAMES
    if not names.is_file():
        return False
    wanted = names.read_text(encoding="utf-8").splitlines()
    return all((target / name).exists() or (target / name).is_symlink() for name in wanted)
