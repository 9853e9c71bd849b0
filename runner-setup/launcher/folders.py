"""The folders of one session that its programs write, which are gone with it.

sessions/plumbline-1a2b3c/           root's: nobody can put a link in the place of a folder
    database/                        the server's user alone
    work/                            a file system of its own in memory: for the application, which can't fill a disk
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from .config import Config, Refused

# An application's log files, its AOT cache, and what it extracts; its memory bound counts them.
_WORK_BYTES = 1 << 30


def database_folder(config: Config, place: str) -> Path:
    """What the database's user alone can write."""
    return config.sessions / place / "database"


def work_folder(config: Config, place: str) -> Path:
    """What the application and the harness write."""
    return config.sessions / place / "work"


def make_folders(config: Config, place: str) -> dict[str, str]:
    """Both folders of a connection, by their names; `place` is the name of the folder around them.

    Raises Refused when they can't be made.
    """
    database, work = database_folder(config, place), work_folder(config, place)
    config.sessions.mkdir(mode=0o711, exist_ok=True)
    database.parent.mkdir(mode=0o711)
    database.mkdir(mode=0o711)
    owner, user = pwd.getpwnam(config.database_user), pwd.getpwnam(config.user)
    os.chown(database, owner.pw_uid, owner.pw_gid)
    work.mkdir()
    options = f"size={_WORK_BYTES},mode=1777,uid={user.pw_uid},gid={user.pw_gid},nosuid,nodev"
    words = ["mount", "-t", "tmpfs", "-o", options, "plumbline", str(work)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        remove_folders(config, place)
        raise Refused(f"{work} can't be mounted: {done.stderr.strip() or 'failed'}")
    return {"database": str(database), "work": str(work)}


def remove_folders(config: Config, place: str) -> None:
    """Nothing happens where there are none. Links in them are removed, never followed."""
    work = work_folder(config, place)
    if work.is_mount():
        # Lazily: what was just killed may hold it for a moment more.
        subprocess.run(["umount", "--lazy", str(work)], capture_output=True, check=False)
    shutil.rmtree(work.parent, ignore_errors=True)
