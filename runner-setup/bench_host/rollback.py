"""Undoes what was applied, from the last change to the first; after an end in the middle it begins again."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from measures import swap
from measures.changes import chosen

from .disk import new_of
from .host import Host
from .state import Entry, State, look, put_back


@dataclass
class Undone:
    """The outcome of a rollback: what was put back, what stays since somebody else changed it, and what failed."""

    restored: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)


def rollback(host: Host, state: State, *, force: bool, say: Callable[[str], None]) -> Undone:
    """Put everything back. Files that were changed since stay, with their entries, and so do entries that failed.

    `force` puts those files back as well, and forgets what failed.
    """
    undone = Undone()
    if state.exists and state.complete:
        state.complete = False
        state.save()
    not_restored: set[tuple[str, str]] = set()
    for entry in reversed(state.entries):
        if not _restore(host, entry, undone, force=force):
            not_restored.add((entry["kind"], entry["name"]))
        say(entry["name"])
    failed_commands = _run_commands(host, state.entries, undone)
    kept_entries = [
        entry
        for entry in state.entries
        if (entry["kind"], entry["name"]) in not_restored or _command_of(entry) in failed_commands
    ]
    if kept_entries and not force:
        state.entries, state.pending = kept_entries, []
        state.save()
    else:
        state.remove()
    return undone


def _restore(host: Host, entry: Entry, undone: Undone, *, force: bool) -> bool:
    """Put back a value or a file, or remove a folder; return whether nothing is left to put back."""
    if entry["kind"] == "value":
        return _restore_value(host, entry, undone)
    if entry["kind"] == "file":
        return _restore_file(host, entry, undone, force=force)
    if entry["kind"] == "folder":
        host.disk.remove_folder(host.at(entry["name"]))
    return True


def _run_commands(host: Host, entries: Sequence[Entry], undone: Undone) -> set[tuple[str, ...]]:
    """Make the restored files take effect, then undo the commands from the last one on; return those that failed."""
    follow_ups = dict.fromkeys(_command_of(entry) for entry in entries if entry.get("then"))
    undo_commands = [_command_of(entry) for entry in reversed(entries) if entry["kind"] == "command"]
    failed_commands = set()
    for words in (*follow_ups, *undo_commands):
        if not host.is_live:
            undone.not_run.append(f"run `{' '.join(words)}`")
        elif not _is_undone(host, words) and (problem := host.run(words)) is not None:
            undone.failed.append(f"run `{' '.join(words)}`: {problem}")
            failed_commands.add(words)
    return failed_commands


def _command_of(entry: Entry) -> tuple[str, ...]:
    """Return the command that a rollback runs for an entry: the follow-up of a file, the undoing of a command."""
    return tuple(entry.get("then") or entry.get("undo") or ())


def differs(host: Host, entry: Entry) -> bool:
    """Return whether a value or a file is no longer as it was set."""
    path = host.at(entry["name"])
    if entry["kind"] == "value":
        try:
            return chosen(path.read_text(encoding="utf-8")).split() != str(entry["set"]).split()
        except OSError:
            return True
    return bool(entry["kind"] == "file") and not _is_set(look(path), entry["set"])


def _is_set(present: Entry, target: Entry) -> bool:
    if target["type"] == "link" or present["type"] != "file":
        return bool(present == target)
    content: bytes = target["text"].encode()
    return base64.b64decode(present["content"]) == content


def _is_undone(host: Host, words: tuple[str, ...]) -> bool:
    """Return whether a command has nothing to undo: swapon would refuse an area of swap that is on already."""
    return words[0] == "swapon" and swap.is_on(host.roots(), words[-1])


def _restore_value(host: Host, entry: Entry, undone: Undone) -> bool:
    path, before = host.at(entry["name"]), entry["was"]
    try:
        if path.read_text(encoding="utf-8") == before:
            return True
        host.disk.value(path, chosen(before) if host.is_live else before)
    except FileNotFoundError:
        # A CPU that is gone, or a driver that is not loaded: there is nothing left to put back.
        return True
    except OSError as error:
        undone.failed.append(f"write '{chosen(before)}' to {entry['name']}: {error.strerror}")
        return False
    undone.restored.append(entry["name"])
    return True


def _restore_file(host: Host, entry: Entry, undone: Undone, *, force: bool) -> bool:
    path = host.at(entry["name"])
    present = look(path)
    # The program may have ended before it moved the new content to its place.
    host.disk.remove(new_of(path))
    if present == entry["was"]:
        return True
    if not force and not _is_set(present, entry["set"]):
        undone.kept.append(f"{entry['name']} was changed since by somebody else")
        return False
    put_back(host.disk, path, entry["was"])
    undone.restored.append(entry["name"])
    return True
