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


def check(host: Host, asked: argparse.Namespace) -> int:
    """Every condition with its reading. Exit status 1 where one that a lab needs is not met or not known."""
    require_linux()
    roots = host.roots()
    found = [(measure, measure.check(roots)) for measure in measures_of(asked.only)]
    lacking = [m.ID for m, one in found if m.NEEDED_FOR != "extra" and one.verdict in ("unfit", "unknown")]
    if asked.json:
        conditions = [
            {"id": m.ID, "title": m.TITLE, "why": m.WHY, "source": m.SOURCE, "needed_for": m.NEEDED_FOR}
            | one._asdict()
            for m, one in found
        ]
        _print({"version": 1, "met": not lacking, "conditions": conditions})
        return int(bool(lacking))
    for measure, one in found:
        extra = " (only told)" if measure.NEEDED_FOR == "extra" else ""
        _say(f"{_MARKS[one.verdict]:8} {measure.ID:16} {measure.TITLE}{extra}: {one.reading}")
        if asked.only:
            _say(f"{'':25} {measure.WHY} ({measure.SOURCE})")
    _say("")
    _say(
        "Every condition of a lab is read and met."
        if not lacking
        else f"Not met or not known: {', '.join(lacking)}."
    )
    return int(bool(lacking))


def apply_(host: Host, asked: argparse.Namespace) -> int:
    """Make every change that is not there yet. Exit status 3 where the kernel refused one."""
    require_linux()
    if not asked.dry_run:
        require_root(host)
    if not asked.at_boot:
        require_host(host, anyway=asked.anyway)
    measures = measures_of(asked.only)
    if asked.dry_run:
        return _plan(list(steps(host, measures)), lacking(host, measures), asked)
    state = read_state(host.root, host.disk)
    if state.exists and not state.complete and not asked.resume:
        raise Refused(
            "An apply or a rollback was interrupted, so the host is half changed.",
            "Go on by `bench-host apply --resume`, or undo it by `bench-host rollback`.",
        )
    if asked.at_boot:
        return _at_boot(host, state)
    nothing_to_set = lacking(host, measures)
    left: list[str] = []

    def wanted(step: Step) -> bool:
        if not step.reboots or asked.yes or _agrees(step, asked):
            return True
        left.append(f"{step.measure}: {step.change}")
        return False

    done = apply(host, state, measures, wanted, lambda text: None if asked.json else _say(text))
    if asked.json:
        _print({"version": 1, **asdict(done), "left_out": left, "nothing_to_set": nothing_to_set})
    else:
        _tell_lacking(nothing_to_set)
        for one in done.refused:
            _say(f"refused: {one}")
        for one in done.not_run:
            _say(f"not run: {one}")
        for one in left:
            _say(f"left out, since it needs a reboot (--yes takes it in): {one}")
        _say(f"{len(done.made)} changes made, {len(done.refused)} refused.")
        if done.needs_reboot:
            _say("Reboot, so that the kernel's command line counts; then `bench-host check`.")
        if not host.is_installed:
            _say("Values of the kernel hold until the next boot: runner-setup/install.sh makes them last.")
    return 3 if done.refused else 0


def _at_boot(host: Host, state: State) -> int:
    """Set the values that were applied before, and nothing else. Exit status 3 where the kernel refused one."""
    done = apply_again(host, state)
    for one in done.refused:
        _say(f"refused: {one}")
    _say(f"{len(done.made)} values set again.")
    return 3 if done.refused else 0


def _agrees(step: Step, asked: argparse.Namespace) -> bool:
    if asked.json or not sys.stdin.isatty():
        return False
    sys.stderr.write(f"{step.measure}: {step.change}\nIt counts from the next boot on. Make it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _tell_lacking(nothing_to_set: list[str]) -> None:
    for one in nothing_to_set:
        _say(f"nothing to set here: {one}")


def _plan(found: list[Step], nothing_to_set: list[str], asked: argparse.Namespace) -> int:
    if asked.json:
        rows = [
            {
                "measure": step.measure,
                "change": str(step.change),
                "there": step.there,
                "needs_reboot": step.reboots,
                "now": _now(step),
            }
            for step in found
        ]
        _print({"version": 1, "steps": rows, "nothing_to_set": nothing_to_set})
        return 0
    for step in found:
        if not step.there:
            reboot = " (needs a reboot)" if step.reboots else ""
            now = _now(step)
            _say(f"{step.measure}: {step.change}{reboot}{'' if now is None else f', now {now!r}'}")
            if isinstance(step.change, File):
                for line in step.change.content.splitlines():
                    _say(f"    {line}")
    _tell_lacking(nothing_to_set)
    there = sum(step.there for step in found)
    _say(f"{len(found) - there} changes would be made, {there} are there already. Nothing was changed.")
    return 0


def _now(step: Step) -> str | None:
    if isinstance(step.change, Value):
        text = read(step.change.path)
        return None if text is None else chosen(text)
    return None


def rollback_(host: Host, asked: argparse.Namespace) -> int:
    """Put everything back. Exit status 1 where a file stays since somebody changed it, 3 where something failed."""
    require_linux()
    require_root(host)
    state = read_state(host.root, host.disk)
    done = rollback(host, state, force=asked.force, say=lambda text: None)
    if asked.json:
        _print({"version": 1, **asdict(done)})
    else:
        for one in done.restored:
            _say(f"put back {one}")
        for one in done.failed:
            _say(f"failed: {one}")
        for one in done.not_run:
            _say(f"not run: {one}")
        for one in done.kept:
            _say(f"left as it is: {one}; --force puts it back")
        nothing = not (done.restored or done.kept or done.failed)
        _say(
            "Nothing was applied." if nothing else f"{len(done.restored)} files and values are as they were."
        )
    return 3 if done.failed else int(bool(done.kept))


def status(host: Host, asked: argparse.Namespace) -> int:
    """What is applied. Exit status 1 where the host is half changed, or is no longer as it was set."""
    require_linux()
    state = read_state(host.root, host.disk)
    changed = [entry["name"] for entry in state.entries if differs(host, entry)]
    word = "not applied" if not state.exists else "applied" if state.complete else "half applied"
    if asked.json:
        names = [{"kind": one["kind"], "name": one["name"]} for one in state.entries]
        _print({"version": 1, "state": word, "entries": names, "no_longer_as_set": changed})
    else:
        _say(_word_of(state, word))
        for name in changed:
            _say(f"no longer as it was set: {name}")
    return int(word == "half applied" or bool(changed))


def _word_of(state: State, word: str) -> str:
    if word == "not applied":
        return "Nothing is applied."
    if word == "applied":
        return f"Applied: {len(state.entries)} entries in {state.path}."
    return f"Half applied: {len(state.entries)} entries; `bench-host apply --resume` goes on, `rollback` undoes them."


def fingerprint_(host: Host, asked: argparse.Namespace) -> int:
    """Always one document, whose keys are in a fixed order."""
    del asked
    require_linux()
    sys.stdout.write(json.dumps(fingerprint(host.roots()), indent=1) + "\n")
    return 0


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, indent=1) + "\n")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
