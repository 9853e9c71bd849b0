"""What each command of bench-host does and prints."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from measures.changes import File, Value, chosen
from measures.files import read
from measures.fingerprint import fingerprint

from .apply import Step, apply, apply_again, lacking, steps
from .guards import require_host, require_linux, require_root
from .host import Host, measures_of
from .refused import Refused
from .rollback import differs, rollback
from .state import State, read_state

_MARKS = {"fit": "fit", "unfit": "UNFIT", "unknown": "unknown", "n/a": "n/a"}


def check(host: Host, arguments: argparse.Namespace) -> int:
    """Print every condition with its reading. Exit status 1 if one that a lab needs is not met or not known."""
    require_linux()
    roots = host.roots()
    readings = [(measure, measure.check(roots)) for measure in measures_of(arguments.only)]
    unmet = [
        measure.ID
        for measure, reading in readings
        if measure.NEEDED_FOR != "extra" and reading.verdict in ("unfit", "unknown")
    ]
    if arguments.json:
        conditions = [
            {
                "id": measure.ID,
                "title": measure.TITLE,
                "why": measure.WHY,
                "source": measure.SOURCE,
                "needed_for": measure.NEEDED_FOR,
            }
            | reading._asdict()
            for measure, reading in readings
        ]
        _print({"version": 1, "met": not unmet, "conditions": conditions})
        return int(bool(unmet))
    for measure, reading in readings:
        extra = " (only told)" if measure.NEEDED_FOR == "extra" else ""
        _say(f"{_MARKS[reading.verdict]:8} {measure.ID:16} {measure.TITLE}{extra}: {reading.reading}")
        if arguments.only:
            _say(f"{'':25} {measure.WHY} ({measure.SOURCE})")
    _say("")
    _say("Every condition of a lab is read and met." if not unmet else f"Not met or not known: {', '.join(unmet)}.")
    return int(bool(unmet))


def apply_(host: Host, arguments: argparse.Namespace) -> int:
    """Make every change that the host lacks. Exit status 3 if the kernel refused one."""
    require_linux()
    if not arguments.dry_run:
        require_root(host)
    if not arguments.at_boot:
        require_host(host, anyway=arguments.anyway)
    measures = measures_of(arguments.only)
    if arguments.dry_run:
        return _plan(list(steps(host, measures)), lacking(host, measures), arguments)
    state = read_state(host.root, host.disk)
    if state.exists and not state.complete and not arguments.resume:
        raise Refused(
            "An apply or a rollback was interrupted, so the host is half changed.",
            "Go on by `bench-host apply --resume`, or undo it by `bench-host rollback`.",
        )
    if arguments.at_boot:
        return _at_boot(host, state)
    nothing_to_set = lacking(host, measures)
    left_out: list[str] = []

    def wanted(step: Step) -> bool:
        if not step.reboots or arguments.yes or _agrees(step, arguments):
            return True
        left_out.append(f"{step.measure}: {step.change}")
        return False

    applied = apply(host, state, measures, wanted, lambda text: None if arguments.json else _say(text))
    if arguments.json:
        _print({"version": 1, **asdict(applied), "left_out": left_out, "nothing_to_set": nothing_to_set})
    else:
        _say_nothing_to_set(nothing_to_set)
        for line in applied.refused:
            _say(f"refused: {line}")
        for line in applied.not_run:
            _say(f"not run: {line}")
        for line in left_out:
            _say(f"left out, since it needs a reboot (--yes takes it in): {line}")
        _say(f"{len(applied.made)} changes made, {len(applied.refused)} refused.")
        if applied.needs_reboot:
            _say("Reboot, so that the kernel's command line counts; then `bench-host check`.")
        if not host.is_installed:
            _say("Values of the kernel hold until the next boot: runner-setup/install.sh makes them last.")
    return 3 if applied.refused else 0


def _at_boot(host: Host, state: State) -> int:
    """Set again the values that were applied before, and nothing else. Exit status 3 if the kernel refused one."""
    applied = apply_again(host, state)
    for line in applied.refused:
        _say(f"refused: {line}")
    _say(f"{len(applied.made)} values set again.")
    return 3 if applied.refused else 0


def _agrees(step: Step, arguments: argparse.Namespace) -> bool:
    if arguments.json or not sys.stdin.isatty():
        return False
    sys.stderr.write(f"{step.measure}: {step.change}\nIt counts from the next boot on. Make it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say_nothing_to_set(nothing_to_set: list[str]) -> None:
    for sentence in nothing_to_set:
        _say(f"nothing to set here: {sentence}")


def _plan(planned_steps: list[Step], nothing_to_set: list[str], arguments: argparse.Namespace) -> int:
    if arguments.json:
        rows = [
            {
                "measure": step.measure,
                "change": str(step.change),
                "there": step.there,
                "needs_reboot": step.reboots,
                "now": _current_value(step),
            }
            for step in planned_steps
        ]
        _print({"version": 1, "steps": rows, "nothing_to_set": nothing_to_set})
        return 0
    for step in planned_steps:
        if not step.there:
            reboot = " (needs a reboot)" if step.reboots else ""
            value = _current_value(step)
            _say(f"{step.measure}: {step.change}{reboot}{'' if value is None else f', now {value!r}'}")
            if isinstance(step.change, File):
                for line in step.change.content.splitlines():
                    _say(f"    {line}")
    _say_nothing_to_set(nothing_to_set)
    present_count = sum(step.there for step in planned_steps)
    _say(
        f"{len(planned_steps) - present_count} changes would be made, {present_count} are there already. "
        "Nothing was changed."
    )
    return 0


def _current_value(step: Step) -> str | None:
    if isinstance(step.change, Value):
        text = read(step.change.path)
        return None if text is None else chosen(text)
    return None


def rollback_(host: Host, arguments: argparse.Namespace) -> int:
    """Put everything back. Exit status 1 if a file stays since somebody else changed it, 3 if something failed."""
    require_linux()
    require_root(host)
    state = read_state(host.root, host.disk)
    undone = rollback(host, state, force=arguments.force, say=lambda text: None)
    if arguments.json:
        _print({"version": 1, **asdict(undone)})
    else:
        for line in undone.restored:
            _say(f"put back {line}")
        for line in undone.failed:
            _say(f"failed: {line}{'' if arguments.force else '; call rollback again, or --force to forget it'}")
        for line in undone.not_run:
            _say(f"not run: {line}")
        for line in undone.kept:
            _say(f"left as it is: {line}; --force puts it back")
        is_empty = not (undone.restored or undone.kept or undone.failed)
        _say("Nothing was applied." if is_empty else f"{len(undone.restored)} files and values are as they were.")
    return 3 if undone.failed else int(bool(undone.kept))


def status(host: Host, arguments: argparse.Namespace) -> int:
    """Print what is applied. Exit status 1 if the host is half changed, or is not as it was set."""
    require_linux()
    state = read_state(host.root, host.disk)
    changed = [entry["name"] for entry in state.entries if differs(host, entry)]
    word = "not applied" if not state.exists else "applied" if state.complete else "half applied"
    if arguments.json:
        names = [{"kind": entry["kind"], "name": entry["name"]} for entry in state.entries]
        document = {"version": 1, "state": word, "entries": names, "no_longer_as_set": changed}
        _print({**document, "pending": state.pending})
    else:
        _say(_sentence_on(state, word))
        for name in changed:
            _say(f"no longer as it was set: {name}")
        for words in state.pending:
            _say(f"not done yet: run `{' '.join(words)}`; `bench-host apply` runs it again")
    return int(word == "half applied" or bool(changed or state.pending))


def _sentence_on(state: State, word: str) -> str:
    if word == "not applied":
        return "Nothing is applied."
    if word == "applied":
        return f"Applied: {len(state.entries)} entries in {state.path}."
    return f"Half applied: {len(state.entries)} entries; `bench-host apply --resume` goes on, `rollback` undoes them."


def fingerprint_(host: Host, arguments: argparse.Namespace) -> int:
    """Print the fingerprint: always one document, whose keys are in a fixed order."""
    del arguments
    require_linux()
    sys.stdout.write(json.dumps(fingerprint(host.roots()), indent=1) + "\n")
    return 0


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, indent=1) + "\n")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
