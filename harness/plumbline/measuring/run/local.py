"""Find sessions in results/local: the finished ones, the interrupted ones, and one by its name; and clear them up."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from plumbline.archive.record.layout import LIFECYCLE
from plumbline.machine.host.foreign import remove_tree
from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.reading import nearest
from .journal import NAME, Journaled, read_journal
from .room import says_full
from .testbed import RemoteTestbed, Testbed

RUNNING = ".running"
LIFECYCLE_FOLDER = "lifecycle"
# An upload of the session fails for a name with other characters, and an application chooses names as it likes.
_LOG_NAME = re.compile(r"[\w.@%+=-]{1,100}", re.ASCII)
_MOST_LOGS, _MOST_LOG_BYTES = 100, 64 * 2**20
LEFT_OUT = "left-out.txt"
# The name of the folder that `write_record` writes in, before the folder is renamed into its place.
_HALF_WRITTEN = re.compile(r"\.(?P<session>[0-9]{8}T[0-9]{6}Z-[a-z0-9-]+)\.[0-9]+")


def finished_sessions(results: Path) -> list[Path]:
    """Return the folders with a record, the newest first; hidden folders are half-written."""
    return sorted((path.parent for path in results.glob("[!.]*/record.json")), reverse=True)


def lifecycle_sessions(results: Path) -> list[Path]:
    """Return the folders with a document of `./bench lifecycle`, the newest first."""
    return sorted((path.parent for path in (results / LIFECYCLE_FOLDER).glob(f"*/{LIFECYCLE}")), reverse=True)


def interrupted_sessions(results: Path) -> Iterator[tuple[Path, Journaled | UsageError]]:
    """Yield the folders with a journal and no record, newest first, each with its journal or its error."""
    for path in sorted((results / RUNNING).glob(f"*/{NAME}"), reverse=True):
        if not (results / path.parent.name / "record.json").is_file():
            try:
                yield path.parent, read_journal(path.parent)
            except UsageError as error:
                yield path.parent, error


def find_interrupted(results: Path, name: str | None) -> tuple[Path, Journaled]:
    """Return an interrupted session by its name, or the newest that can go on. Raises UsageError."""
    waiting = {folder.name: (folder, journal) for folder, journal in interrupted_sessions(results)}
    if name is not None and name not in waiting:
        next_step = nearest(name, waiting) if waiting else "No session waits for it; start one by `./bench run`."
        raise UsageError(f"No interrupted session is called '{name}'.", next_step)
    for folder, journal in [waiting[name]] if name is not None else waiting.values():
        if isinstance(journal, Journaled):
            return folder, journal
        if name is not None:
            raise journal
    raise UsageError("There is no interrupted session to resume.", "Start one by `./bench run`.")


def clear_finished(results: Path) -> None:
    """Complete the sessions that were killed after they wrote their record: move their logs, remove the rest.

    Call this only while the machine's lock is held, since a session that is just ending looks the same.
    """
    for running in (results / RUNNING).glob("*"):
        folder = results / running.name
        if (folder / "record.json").is_file():
            put_away(running, folder)


def remove_half_written(results: Path) -> tuple[str, ...]:
    """Remove the folders of records that were killed before they were renamed into their place, and return their
    sessions.

    Call this only while the machine's lock is held. The journal and the evidence of such a record are still there.
    """
    matches = [(path, match) for path in results.glob(".*") if (match := _HALF_WRITTEN.fullmatch(path.name))]
    for path, _ in matches:
        shutil.rmtree(path, ignore_errors=True)
    return tuple(sorted(match["session"] for _, match in matches))


def remove_running(folder: Path) -> None:
    """Remove all traces of a session that measured nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()


def keep_logs(testbed: Testbed | RemoteTestbed, target: Path) -> None:
    """Move the files of a trial's folders to the logs of its session, in place of older ones.

    Foreign applications write into `testbed.work`: links, pipes and folders are not logs, and are removed unread. So
    are files under names that not every file system takes, or that a file of `testbed.private` has, files that can't be
    read, and the largest files where there are too many or too large ones; LEFT_OUT names these.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    own = None if isinstance(testbed, RemoteTestbed) else testbed.private
    kept, kept_bytes, left_out = 0, 0, []
    for size, path in sorted(_files_of(testbed)):
        fits = _LOG_NAME.fullmatch(path.name) and kept < _MOST_LOGS and kept_bytes + size <= _MOST_LOG_BYTES
        is_taken = own is not None and path.parent != own and (own / path.name).exists()
        if fits and not is_taken and _is_copied(path, target):
            kept, kept_bytes = kept + 1, kept_bytes + size
        else:
            left_out.append(f"{path.name[:100]!a} of {size:,} bytes\n")
    if left_out:
        more = [f"{len(left_out) - _MOST_LOGS} more\n"] if len(left_out) > _MOST_LOGS else []
        (target / LEFT_OUT).write_text("".join([*left_out[:_MOST_LOGS], *more]), encoding="ascii")
    empty_folders(testbed)


def _files_of(testbed: Testbed | RemoteTestbed) -> list[tuple[int, Path]]:
    """Return the size and the path of each file of a trial; none of a folder that its application closed."""
    folders = [testbed.work] if isinstance(testbed, RemoteTestbed) else [testbed.private, testbed.work]
    facts: list[tuple[os.stat_result, Path]] = []
    for folder in folders:
        with contextlib.suppress(PermissionError):
            facts += [(path.lstat(), path) for path in folder.iterdir()]
    return [(fact.st_size, path) for fact, path in facts if stat.S_ISREG(fact.st_mode)]


def _is_copied(path: Path, target: Path) -> bool:
    """Copy a file, if it can be read: in a sandbox the application is another user. Raises OSError on a full disk."""
    try:
        shutil.copy2(path, target, follow_symlinks=False)
    except OSError as error:
        if says_full(error):
            raise
        return False
    return True


def empty_folders(testbed: Testbed | RemoteTestbed) -> None:
    """Put new folders in the place of a trial's folders; in the sandbox the launcher does so with the application's."""
    if isinstance(testbed, RemoteTestbed):
        _renew(testbed.work)
        return
    _renew(testbed.private, 0o700)
    if isinstance(testbed.placement, Sandbox):
        testbed.placement.empty_work()
    else:
        _renew(testbed.work)


def _renew(folder: Path, mode: int = 0o755) -> None:
    """Make a folder anew. Where something can't be removed, such as files in a closed folder, it is moved aside."""
    remove_tree(folder)
    if folder.exists():
        folder.rename(folder.with_name(f"{folder.name}-left-{time.monotonic_ns()}"))
    folder.mkdir(mode)


def put_away(running: Path, folder: Path) -> None:
    """Move the logs of a session beside its record, and remove the rest of the folder it ran in."""
    if (running / "logs").is_dir() and not (folder / "logs").exists():
        shutil.move(running / "logs", folder / "logs")
    shutil.rmtree(running, ignore_errors=True)


def find_record(results: Path, name: str | None) -> Path:
    """Return the folder of a record: a path to it or to its record.json, a session's name, or the newest for None.

    Raises UsageError with the nearest name.
    """
    sessions = finished_sessions(results)
    next_step = "Make one by `./bench run`, or name a folder with a record."
    if name is None:
        if not sessions:
            raise UsageError("There is no record here yet.", next_step)
        return sessions[0]
    path = Path(name)
    folder = path.parent if path.name == "record.json" else path
    if (folder / "record.json").is_file():
        return folder
    if (results / name / "record.json").is_file():
        return results / name
    raise UsageError(
        f"There is no record at or called '{name}'.",
        nearest(name, (session.name for session in sessions)) if sessions else next_step,
    )
