"""Applies measures: the old state is written down first, then changed, and then the new state is read again."""

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
"""The outcome of a change. Below another root than / no command is run; a unit that does not run needs no stop."""


@dataclass(frozen=True)
class Step:
    """One change of a measure, and whether the host has it already."""

    measure: str
    change: Change
    there: bool

    @property
    def reboots(self) -> bool:
        """Whether the change takes effect only from the next boot on."""
        return isinstance(self.change, File) and self.change.reboot


@dataclass
class Applied:
    """The outcome of a plan: what was changed, what the kernel refused and why, and what was not run."""

    made: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    needs_reboot: bool = False


def steps(host: Host, measures: Sequence[Measure]) -> Iterator[Step]:
    """Yield the changes of each measure, which depend on the state of the host at the measure's turn.

    If there are values of the kernel among them, the last changes are those that set these values again at boot.
    """
    has_values = False
    for measure in measures:
        for change in measure.changes(host.roots()):
            has_values |= isinstance(change, Value)
            yield Step(measure.ID, change, _is_there(change))
    for change in at_boot(host) if has_values else ():
        yield Step("at-boot", change, _is_there(change))


def lacking(host: Host, measures: Sequence[Measure]) -> list[str]:
    """Return a sentence for each measure that is not met, and for which this host has nothing to set."""
    roots = host.roots()
    sentences = []
    for measure in measures:
        if measure.changes is not by_hand and not measure.changes(roots):
            reading = measure.check(roots)
            if reading.verdict != "fit":
                sentences.append(f"{measure.ID}: {reading.reading}")
    return sentences


def apply(
    host: Host,
    state: State,
    measures: Sequence[Measure],
    wanted: Callable[[Step], bool],
    say: Callable[[str], None],
) -> Applied:
    """Make every `wanted` change that the host lacks. After an end in the middle, a second call makes the rest."""
    applied = Applied()
    for step in steps(host, measures):
        if step.there or not wanted(step):
            if step.there:
                _keep(host, state, step.change)
            continue
        outcome, reason = _make(host, state, step.change)
        line = f"{step.measure}: {step.change}"
        if outcome == "made":
            applied.made.append(line)
            applied.needs_reboot |= step.reboots
            say(line)
        elif outcome == "refused":
            applied.refused.append(f"{line}: {reason}")
        elif outcome == "not run":
            applied.not_run.append(line)
    _run_pending(host, state, applied)
    if state.exists and not state.complete:
        state.complete = True
        state.save()
    return applied


def _keep(host: Host, state: State, change: Change) -> None:
    """Write down a value that is there already: the next boot may bring another, and `apply_again` sets it again."""
    if isinstance(change, Value) and state.find("value", name := host.shown(change.path)) is None:
        text = change.path.read_text(encoding="utf-8")
        _note(state, {"kind": "value", "name": name, "was": text, "set": change.value})


def apply_again(host: Host, state: State) -> Applied:
    """Set again the values that were applied and that a boot took away. The old values stay written down."""
    applied = Applied()
    for entry in state.entries:
        change = Value(host.at(entry["name"]), entry["set"]) if entry["kind"] == "value" else None
        if change is None or not change.path.exists() or _is_there(change):
            continue
        problem = _write_value(host, change, change.path.read_text(encoding="utf-8"))
        if problem is None:
            applied.made.append(entry["name"])
        else:
            applied.refused.append(f"{entry['name']}: {problem}")
    return applied


def _is_there(change: Change) -> bool:
    if isinstance(change, Value):
        return _words_of(change.path) == change.value.split()
    if isinstance(change, File):
        entry = look(change.path)
        return entry["type"] == "file" and change.path.read_bytes() == change.content.encode()
    if isinstance(change, Link):
        return look(change.path) == {"type": "link", "target": change.target}
    # Measures ask for a command only where the command has something to do.
    return False


def _words_of(path: Path) -> list[str]:
    try:
        return chosen(path.read_text(encoding="utf-8")).split()
    except OSError:
        return []


def _make(host: Host, state: State, change: Change) -> tuple[Became, str]:
    """Make a change; return its outcome, and the reason if it was refused."""
    if isinstance(change, Value):
        return _outcome(_make_value(host, state, change))
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
    return _outcome(problem)


def _outcome(problem: str | None) -> tuple[Became, str]:
    return ("made", "") if problem is None else ("refused", problem)


def _make_value(host: Host, state: State, change: Value) -> str | None:
    """Write down the old value, and set the new one; return the reason if the kernel refused it."""
    name, before = host.shown(change.path), change.path.read_text(encoding="utf-8")
    is_new = state.find("value", name) is None
    _note(state, {"kind": "value", "name": name, "was": before, "set": change.value})
    problem = _write_value(host, change, before)
    # A value that the kernel rounded is refused, but it has changed: its entry stays, so that a rollback puts it back.
    if problem is not None and is_new and change.path.read_text(encoding="utf-8") == before:
        _forget(state, "value", name)
    return problem


def _write_value(host: Host, change: Value, current_text: str) -> str | None:
    """Write a value and read it again; return the reason if the kernel refused it."""
    try:
        host.disk.value(change.path, change.value if host.is_live else as_shown(current_text, change.value))
    except OSError as error:
        return error.strerror or str(error)
    return None if _is_there(change) else f"the kernel keeps '{' '.join(_words_of(change.path))}'"


def _make_file(host: Host, state: State, change: File | Link) -> None:
    missing = [folder for folder in reversed(change.path.parents) if not folder.exists()]
    for folder in missing:
        _note(state, {"kind": "folder", "name": host.shown(folder)})
        host.disk.make_folder(folder)
    if change.then and list(change.then) not in state.pending:
        state.pending.append(list(change.then))
    before = look(change.path)
    if isinstance(change, Link):
        target: Entry = {"type": "link", "target": change.target}
    else:
        target = {"type": "file", "text": change.content}
    entry = {
        "kind": "file",
        "name": host.shown(change.path),
        "was": before,
        "set": target,
        "then": list(change.then),
    }
    _note(state, entry)
    if isinstance(change, Link):
        host.disk.link(change.path, change.target)
    else:
        host.disk.write(change.path, change.content.encode(), FILE_MODE)


def _run_pending(host: Host, state: State, applied: Applied) -> None:
    """Run the commands that make new files take effect: each once, however many files wait for it.

    A command that failed stays pending, so that the next apply runs it again.
    """
    for words in list(state.pending):
        if not host.is_live:
            applied.not_run.append(f"run `{' '.join(words)}`")
        elif (problem := host.run(words)) is not None:
            applied.refused.append(f"run `{' '.join(words)}`: {problem}")
            continue
        state.pending.remove(words)
        state.save()


def _note(state: State, entry: Entry) -> None:
    """Write an entry down before its change. The state before the first change is never overwritten."""
    state.complete = False
    earlier_entry = state.find(entry["kind"], entry["name"])
    if earlier_entry is None:
        state.entries.append(entry)
    elif "set" in entry:
        earlier_entry["set"] = entry["set"]
    state.save()


def _forget(state: State, kind: str, name: str) -> None:
    state.entries = [entry for entry in state.entries if (entry["kind"], entry["name"]) != (kind, name)]
    state.save()


def as_shown(text: str, value: str) -> str:
    """Return what the kernel would show after `value` was written to a file that shows `text`: brackets move."""
    current = chosen(text)
    if f"[{current}]" in text:
        return text.replace(f"[{current}]", current).replace(value, f"[{value}]", 1)
    return value + ("\n" if text.endswith("\n") else "")
