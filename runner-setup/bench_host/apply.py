"""Applies measures: what is there is written down first, then changed, then read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from measures.changes import Change, Command, File, Link, Stop, Value, by_hand, chosen
from measures.face import Measure

from .host import Host, at_boot
from .state import Entry, State, look

FILE_MODE = 0o644

Became = Literal["made", "refused", "not run", "not needed"]
"""Below another root than / no command is run; a unit that does not run needs no stop."""


@dataclass(frozen=True)
class Step:
    """One change of a measure, and whether it is there already."""

    measure: str
    change: Change
    there: bool

    @property
    def reboots(self) -> bool:
        """Whether it counts from the next boot on."""
        return isinstance(self.change, File) and self.change.reboot


@dataclass
class Applied:
    """What became of a plan: what was changed, what the kernel refused and why, and what was left out."""

    made: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    needs_reboot: bool = False


def steps(host: Host, measures: Sequence[Measure]) -> Iterator[Step]:
    """The changes of each measure in turn, by the host as it is when its turn comes.

    Last comes what sets values of the kernel again at boot, where there are such values.
    """
    has_values = False
    for measure in measures:
        for change in measure.changes(host.roots()):
            has_values |= isinstance(change, Value)
            yield Step(measure.ID, change, _is_there(change))
    for change in at_boot(host) if has_values else ():
        yield Step("at-boot", change, _is_there(change))


def lacking(host: Host, measures: Sequence[Measure]) -> list[str]:
    """A sentence for each measure that is not met and that this host has nothing to set for."""
    roots = host.roots()
    found = []
    for measure in measures:
        if measure.changes is not by_hand and not measure.changes(roots):
            reading = measure.check(roots)
            if reading.verdict != "fit":
                found.append(f"{measure.ID}: {reading.reading}")
    return found


def apply(
    host: Host,
    state: State,
    measures: Sequence[Measure],
    wanted: Callable[[Step], bool],
    say: Callable[[str], None],
) -> Applied:
    """Make every change that is not there yet and that is `wanted`. Taken up again after an end in the middle."""
    done = Applied()
    for step in steps(host, measures):
        if step.there or not wanted(step):
            continue
        became, why = _make(host, state, step.change)
        line = f"{step.measure}: {step.change}"
        if became == "made":
            done.made.append(line)
            done.needs_reboot |= step.reboots
            say(line)
        elif became == "refused":
            done.refused.append(f"{line}: {why}")
        elif became == "not run":
            done.not_run.append(line)
    _make_count(host, state, done)
    if state.exists and not state.complete:
        state.complete = True
        state.save()
    return done


def apply_again(host: Host, state: State) -> Applied:
    """Set the values that were applied and that a boot took away. What was there before them stays written down."""
    done = Applied()
    for entry in state.entries:
        change = Value(host.at(entry["name"]), entry["set"]) if entry["kind"] == "value" else None
        if change is None or not change.path.exists() or _is_there(change):
            continue
        problem = _set(host, change, change.path.read_text(encoding="utf-8"))
        if problem is None:
            done.made.append(entry["name"])
        else:
            done.refused.append(f"{entry['name']}: {problem}")
    return done


def _is_there(change: Change) -> bool:
    if isinstance(change, Value):
        return _value(change.path) == change.value.split()
    if isinstance(change, File):
        found = look(change.path)
        return found["type"] == "file" and change.path.read_bytes() == change.content.encode()
    if isinstance(change, Link):
        return look(change.path) == {"type": "link", "target": change.target}
    # Measures ask for a command only where it has something to do.
    return False


def _value(path: Path) -> list[str]:
    try:
        return chosen(path.read_text(encoding="utf-8")).split()
    except OSError:
        return []


def _make(host: Host, state: State, change: Change) -> tuple[Became, str]:
    """What became of a change, with the reason where it was refused."""
    if isinstance(change, Value):
        return _became(_make_value(host, state, change))
    if isinstance(change, File | Link):
        _make_file(host, state, change)
        return "made", ""
    if not host.is_live:
        return "not run", ""
    if isinstance(change, Stop):
        if host.run(("systemctl", "is-active", "--quiet", change.unit)) is not None:
            return "not needed", ""
        change = Command(("systemctl", "stop", change.unit), ("systemctl", "start", change.unit))
    name = " ".join(change.do)
    is_new = state.find("command", name) is None
    _note(state, {"kind": "command", "name": name, "undo": list(change.undo)})
    problem = host.run(change.do)
    if problem is not None and is_new:
        _forget(state, "command", name)
    return _became(problem)


def _became(problem: str | None) -> tuple[Became, str]:
    return ("made", "") if problem is None else ("refused", problem)


def _make_value(host: Host, state: State, change: Value) -> str | None:
    """None, or why the kernel refused it."""
    name, was = host.shown(change.path), change.path.read_text(encoding="utf-8")
    is_new = state.find("value", name) is None
    _note(state, {"kind": "value", "name": name, "was": was, "set": change.value})
    problem = _set(host, change, was)
    # What the kernel rounded is refused, and put back like all that was changed.
    if problem is not None and is_new and change.path.read_text(encoding="utf-8") == was:
        _forget(state, "value", name)
    return problem


def _set(host: Host, change: Value, now: str) -> str | None:
    """Write a value and read it again; the reason where the kernel refused it."""
    try:
        host.disk.value(change.path, change.value if host.is_live else as_shown(now, change.value))
    except OSError as error:
        return error.strerror or str(error)
    return None if _is_there(change) else f"the kernel keeps '{' '.join(_value(change.path))}'"


def _make_file(host: Host, state: State, change: File | Link) -> None:
    missing = [folder for folder in reversed(change.path.parents) if not folder.exists()]
    for folder in missing:
        _note(state, {"kind": "folder", "name": host.shown(folder)})
        host.disk.make_folder(folder)
    if change.then and list(change.then) not in state.pending:
        state.pending.append(list(change.then))
    was = look(change.path)
    if isinstance(change, Link):
        wanted: Entry = {"type": "link", "target": change.target}
    else:
        wanted = {"type": "file", "text": change.content}
    entry = {
        "kind": "file",
        "name": host.shown(change.path),
        "was": was,
        "set": wanted,
        "then": list(change.then),
    }
    _note(state, entry)
    if isinstance(change, Link):
        host.disk.link(change.path, change.target)
    else:
        host.disk.write(change.path, change.content.encode(), FILE_MODE)


def _make_count(host: Host, state: State, done: Applied) -> None:
    """The commands that make new files count: once each, however many files wait for them."""
    for words in list(state.pending):
        if not host.is_live:
            done.not_run.append(f"run `{' '.join(words)}`")
        elif (problem := host.run(words)) is not None:
            done.refused.append(f"run `{' '.join(words)}`: {problem}")
        state.pending.remove(words)
        state.save()


def _note(state: State, entry: Entry) -> None:
    """Write an entry down before its change. What was there before the first change is never forgotten."""
    state.complete = False
    known = state.find(entry["kind"], entry["name"])
    if known is None:
        state.entries.append(entry)
    elif "set" in entry:
        known["set"] = entry["set"]
    state.save()


def _forget(state: State, kind: str, name: str) -> None:
    state.entries = [one for one in state.entries if (one["kind"], one["name"]) != (kind, name)]
    state.save()


def as_shown(text: str, value: str) -> str:
    """What the kernel would show after `value` was written to a file that shows `text`: brackets move."""
    now = chosen(text)
    if f"[{now}]" in text:
        return text.replace(f"[{now}]", now).replace(value, f"[{value}]", 1)
    return value + ("\n" if text.endswith("\n") else "")
