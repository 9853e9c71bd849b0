"""Undoes what was applied, from the last change to the first; after an end in the middle it begins again."""

from __future__ import annotations

import base64
from collections.abc import Callable
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
    """Put everything back. Files that were changed since stay, with their entries; `force` puts them back as well."""
    undone = Undone()
    if state.exists and state.complete:
        state.complete = False
        state.save()
    kept_entries: list[Entry] = []
    for entry in reversed(state.entries):
        if entry["kind"] == "value":
            _restore_value(host, entry, undone)
        elif entry["kind"] == "file" and not _restore_file(host, entry, undone, force=force):
            kept_entries.insert(0, entry)
        elif entry["kind"] == "folder":
            host.disk.remove_folder(host.at(entry["name"]))
        say(entry["name"])
    follow_ups = dict.fromkeys(tuple(entry["then"]) for entry in state.entries if entry.get("then"))
    undo_commands = [tuple(entry["undo"]) for entry in reversed(state.entries) if entry["kind"] == "command"]
    for words in (*follow_ups, *undo_commands):
        if not host.is_live:
            undone.not_run.append(f"run `{' '.join(words)}`")
        elif not _is_undone(host, words) and (problem := host.run(words)) is not None:
            undone.failed.append(f"run `{' '.join(words)}`: {problem}")
    if kept_entries:
        state.entries, state.pending = kept_entries, []
        state.save()
    else:
        state.remove()
    return undone


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


def _restore_value(host: Host, entry: Entry, undone: Undone) -> None:
    path, before = host.at(entry["name"]), entry["was"]
    try:
        if path.read_text(encoding="utf-8") == before:
            return
        host.disk.value(path, chosen(before) if host.is_live else before)
    except FileNotFoundError:
        # A CPU that is gone, or a driver that is not loaded: there is nothing left to put back.
        return
    except OSError as error:
        undone.failed.append(f"write '{chosen(before)}' to {entry['name']}: {error.strerror}")
        return
    undone.restored.append(entry["name"])


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
