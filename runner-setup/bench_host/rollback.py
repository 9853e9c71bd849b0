"""Undoes what was applied, from the last change to the first; begun again after an end in the middle."""

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
    """What was put back, what somebody else changed since and therefore stays, and what failed."""

    restored: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)


def rollback(host: Host, state: State, *, force: bool, say: Callable[[str], None]) -> Undone:
    """Put everything back. With `force` also files that were changed since; else they stay, with their entries."""
    done = Undone()
    if state.exists and state.complete:
        state.complete = False
        state.save()
    kept: list[Entry] = []
    for entry in reversed(state.entries):
        if entry["kind"] == "value":
            _value(host, entry, done)
        elif entry["kind"] == "file" and not _file(host, entry, done, force=force):
            kept.insert(0, entry)
        elif entry["kind"] == "folder":
            host.disk.remove_folder(host.at(entry["name"]))
        say(entry["name"])
    thens = dict.fromkeys(tuple(entry["then"]) for entry in state.entries if entry.get("then"))
    undo = [tuple(entry["undo"]) for entry in reversed(state.entries) if entry["kind"] == "command"]
    for words in (*thens, *undo):
        if not host.is_live:
            done.not_run.append(f"run `{' '.join(words)}`")
        elif not _holds(host, words) and (problem := host.run(words)) is not None:
            done.failed.append(f"run `{' '.join(words)}`: {problem}")
    if kept:
        state.entries, state.pending = kept, []
        state.save()
    else:
        state.remove()
    return done


def differs(host: Host, entry: Entry) -> bool:
    """Whether a value or a file is no longer as it was set."""
    path = host.at(entry["name"])
    if entry["kind"] == "value":
        try:
            return chosen(path.read_text(encoding="utf-8")).split() != str(entry["set"]).split()
        except OSError:
            return True
    return bool(entry["kind"] == "file") and not _is_set(look(path), entry["set"])


def _is_set(now: Entry, wanted: Entry) -> bool:
    if wanted["type"] == "link" or now["type"] != "file":
        return bool(now == wanted)
    content: bytes = wanted["text"].encode()
    return base64.b64decode(now["content"]) == content


def _holds(host: Host, words: tuple[str, ...]) -> bool:
    """Whether a command has nothing to undo: somebody switched the area of swap on already, which it would refuse."""
    return words[0] == "swapon" and swap.is_on(host.roots(), words[-1])


def _value(host: Host, entry: Entry, done: Undone) -> None:
    path, was = host.at(entry["name"]), entry["was"]
    try:
        if path.read_text(encoding="utf-8") == was:
            return
        host.disk.value(path, chosen(was) if host.is_live else was)
    except FileNotFoundError:
        # A CPU that is gone, or a driver that is not loaded: there is nothing left to put back.
        return
    except OSError as error:
        done.failed.append(f"write '{chosen(was)}' to {entry['name']}: {error.strerror}")
        return
    done.restored.append(entry["name"])


def _file(host: Host, entry: Entry, done: Undone, *, force: bool) -> bool:
    path = host.at(entry["name"])
    now = look(path)
    # What an end between the new content and its place has left.
    host.disk.remove(new_of(path))
    if now == entry["was"]:
        return True
    if not force and not _is_set(now, entry["set"]):
        done.kept.append(f"{entry['name']} was changed since by somebody else")
        return False
    put_back(host.disk, path, entry["was"])
    done.restored.append(entry["name"])
    return True
