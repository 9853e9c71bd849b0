"""The journal of a running session: what `--resume` goes on from.

One JSON document a line, each flushed to the disk before the session goes on: first the plan, then what was prepared,
then every trial that ended. A half-written last line is what a crash leaves: it is left out when read, and cut off
before a resumed session writes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.model.comparison import Side
from plumbline.model.errors import UsageError
from plumbline.model.host import HostReading
from plumbline.model.plan import Plan

NAME = "journal.jsonl"


class Journal:
    """Appends lines to the journal of one session's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def write(self, kind: str, **data: Any) -> None:
        """Append one line and wait until it is on the disk."""
        line = json.dumps({"kind": kind, **data}, separators=(",", ":"))
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def mend(self) -> None:
        """Cut off what a crash or a full disk left of the last line."""
        with self.path.open("r+b") as file:
            content = file.read()
            file.truncate(content.rfind(b"\n") + 1)


@dataclass
class Journaled:
    """What a journal says: the plan, when the session began, how often it was resumed, and the trials that ended.

    `artifacts` are the digests of the inputs of what was built when it began, by contender. `readings` are those of the
    host, when the session began and whenever it was resumed. `took_s` is the time of all trials.
    """

    plan: Plan
    started_at: str
    options: dict[str, Any]
    resumed: int = 0
    artifacts: dict[str, str] = field(default_factory=dict)
    readings: list[HostReading] = field(default_factory=list)
    trials: set[int] = field(default_factory=set)
    cpu_s: dict[str, float] = field(default_factory=dict)
    took_s: float = 0.0

    @property
    def artifact_files(self) -> dict[Side, Path]:
        """The files of artifacts built elsewhere that it was begun with, by side of a comparison."""
        given: dict[Side, str] = self.options.get("artifacts", {})
        return {side: Path(path) for side, path in given.items()}

    @property
    def apps(self) -> list[Path]:
        """The folders of variants outside the tree (`--app`) that it was begun with."""
        return [Path(folder) for folder in self.options["apps"]]


def read_journal(folder: Path) -> Journaled:
    """Read the journal of a session's folder. Raises UsageError when there is none to go on from."""
    found: Journaled | None = None
    for row in _rows(folder / NAME):
        if row["kind"] == "plan":
            plan = Plan.model_validate(row["plan"])
            if found is None:
                found = Journaled(plan, row["started_at"], row["options"])
            else:
                found.plan = plan
        elif found is not None and row["kind"] == "resumed":
            found.resumed += 1
        elif found is not None and row["kind"] == "host":
            found.readings.append(HostReading.model_validate(row["reading"]))
        elif found is not None and row["kind"] == "built":
            found.artifacts = row["artifacts"]
        elif found is not None and row["kind"] == "trial":
            found.trials.add(row["number"])
            found.took_s += row["took_s"]
            for name, seconds in row["cpu_s"].items():
                found.cpu_s[name] = found.cpu_s.get(name, 0.0) + seconds
    if found is None:
        raise UsageError(f"There is nothing to resume in {folder.name}.", "Start a session by `./bench run`.")
    return found


def has_trials(folder: Path) -> bool:
    """Whether the journal of a session's folder holds a trial: else there is nothing to go on from."""
    try:
        return bool(read_journal(folder).trials)
    except UsageError:
        return False


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return
