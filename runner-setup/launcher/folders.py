"""The folders that the programs of one session write; they are removed with the session.

sessions/plumbline-1a2b3c/           root's: nobody can put a link in the place of a folder
    database/                        the server's user alone
    work/                            a file system in memory, new for each application, which can't fill a disk
    tmp/                             the same, for its /tmp
    names                            the application's /etc/passwd
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import stat
from pathlib import Path

from .config import Config, Refused
from .on_host import run_on_host

# The work folder has an application's log files, the AOT cache that it trains, and what it extracts; its memory bound
# counts both folders.
_WORK_BYTES = 1 << 30
_TMP_BYTES = 1 << 29
# The harness looks at each file that is left.
_MOST_FILES = 1 << 16

# The users that systemd throws away (systemd.exec(5), DynamicUser=). HotSpot keeps its counters in a file only if its
# user has a name, and the sockets by which systemd tells these names are hidden from an application.
_THROW_AWAY = range(61184, 65520)
_NAME = "plumbline-app"
# A JVM keeps 32 KiB, unless -XX:PerfDataMemorySize says otherwise.
_COUNTERS_BYTES = 1 << 20


def database_folder(config: Config, place: str) -> Path:
    """Return the folder that the database's user alone can write."""
    return config.sessions / place / "database"


def work_folder(config: Config, place: str) -> Path:
    """Return the folder that the application writes, and that the harness may empty."""
    return config.sessions / place / "work"


def tmp_folder(config: Config, place: str) -> Path:
    """Return the folder that the application sees as /tmp and /var/tmp."""
    return config.sessions / place / "tmp"


def names_file(config: Config, place: str) -> Path:
    """Return the file that the application sees as /etc/passwd."""
    return config.sessions / place / "names"


def counters(config: Config, place: str, pid: int, uid: int) -> bytes | None:
    """Return the JVM counters that the process `pid` of the user `uid` keeps in its /tmp. Raises OSError without any.

    The application may put anything there: links are not followed, and only a regular file of its own is read.
    """
    folder = os.open(tmp_folder(config, place) / f"hsperfdata_{_NAME}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        # Opening a pipe must not wait for a writer.
        descriptor = os.open(str(pid), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        facts = os.fstat(descriptor)
        is_its_own = stat.S_ISREG(facts.st_mode) and facts.st_uid == uid
        return os.read(descriptor, _COUNTERS_BYTES) if is_its_own else None
    finally:
        os.close(descriptor)


def make_folders(config: Config, place: str) -> dict[str, str]:
    """Make the folders of a session, and return by name those that a client may know of.

    `place` is the name of the folder around them. Raises Refused if they can't be made.
    """
    database = database_folder(config, place)
    config.sessions.mkdir(mode=0o711, exist_ok=True)
    database.parent.mkdir(mode=0o711)
    database.mkdir(mode=0o711)
    owner = pwd.getpwnam(config.database_user)
    os.chown(database, owner.pw_uid, owner.pw_gid)
    names = names_file(config, place)
    names.write_text("".join(f"{_NAME}:x:{uid}:{uid}::/:/usr/sbin/nologin\n" for uid in _THROW_AWAY), encoding="ascii")
    names.chmod(0o444)
    try:
        empty_work(config, place)
    except Refused:
        remove_folders(config, place)
        raise
    return {"database": str(database), "work": str(work_folder(config, place))}


def empty_work(config: Config, place: str) -> None:
    """Make a new work folder for the next application; an application that still runs keeps its own. Raises Refused."""
    user = pwd.getpwnam(config.user)
    _mount(work_folder(config, place), _WORK_BYTES, f"uid={user.pw_uid},gid={user.pw_gid}")


def empty_tmp(config: Config, place: str) -> None:
    """Make a new /tmp for the next application; an application that still runs keeps its own. Raises Refused."""
    _mount(tmp_folder(config, place), _TMP_BYTES, "uid=0,gid=0")


def remove_folders(config: Config, place: str) -> None:
    """Remove the folders of a session, if there are any. Links in them are removed, never followed."""
    for path in (work_folder(config, place), tmp_folder(config, place)):
        _unmount(path)
    shutil.rmtree(config.sessions / place, ignore_errors=True)


def _mount(path: Path, size_bytes: int, owner: str) -> None:
    """Mount an empty file system, in the place of the one that is mounted there, if any."""
    _unmount(path)
    path.mkdir(exist_ok=True)
    options = f"size={size_bytes},nr_inodes={_MOST_FILES},mode=1777,{owner},nosuid,nodev"
    run_on_host("mount", "-t", "tmpfs", "-o", options, "plumbline", str(path))


def _unmount(path: Path) -> None:
    if path.is_mount():
        # Lazily: a process that was just killed may use the folder for a moment more.
        with contextlib.suppress(Refused):
            run_on_host("umount", "--lazy", str(path))
