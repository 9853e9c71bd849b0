"""The journal of a running session: what `--resume` goes on from.

One JSON document a line, each flushed to the disk before the session goes on: first the plan, then what was prepared,
then every trial that ended. Each line carries the SHA-256 of the line before it and of itself, so that a line that was
changed, lost or inserted is noticed. A crash leaves a half-written last line: a reader skips it, and a resumed session
cuts it off before it writes on. From a damaged line on nothing is believed: `mend` puts those lines away, and their
trials are measured again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from plumbline.archive.record.files import read_plain, write_whole
from plumbline.model.base import Frozen, sparse
from plumbline.model.comparison import Side
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.host import HostReading
from plumbline.model.plan import Plan
from plumbline.model.record import Training
from plumbline.verdicts.judge.wording import counted

NAME = "journal.jsonl"
DAMAGED = "journal.damaged.jsonl"

# A plan of a thousand trials has a quarter of a megabyte, and a line of a trial 200 bytes.
_MOST_BYTES = 64 * 2**20
_SUM = re.compile(rb'(?P<start>\{.+),"sum":"(?P<sum>[0-9a-f]{64})"\}')


class ClusterOptions(Frozen):
    """The cluster that was asked for: `context` of the kubeconfig, None for its current one; the number of `generators`
    that a phase is divided over, None for as many as its rate takes; the registry of the applications' `images`.

    Once the cluster was found, the context is named, `uid` tells the cluster from others, and `nodes` are those of the
    application and of the database.
    """

    context: str | None = None
    generators: int | None = None
    images: str | None = None
    uid: str | None = None
    nodes: dict[Literal["app", "db", "load"], str] = {}


class SessionOptions(Frozen):
    """The options that a session was begun with, besides its plan."""

    apps: tuple[str, ...] = ()
    artifacts: dict[Side, str] = {}
    command_line: tuple[str, ...] = ()
    cluster: ClusterOptions | None = sparse(None)


class Origin(Frozen):
    """The checkout, the tools and the host that measure a session. `measuring` are the SHA-256 of folders of the
    checkout, `host` has the host's facts by their names in a sentence.
    """

    commit: str | None
    dirty: bool | None
    locks: dict[str, str]
    python: str
    jdk: str
    k6: str
    measuring: dict[str, str]
    host: dict[str, str] = {}

    @property
    def provenance(self) -> dict[str, Any]:
        """The fields that the provenance of a record has as well."""
        return self.model_dump(exclude={"measuring", "host"})


class _PlanLine(Frozen):
    kind: Literal["plan"]
    plan: Plan
    started_at: str
    options: SessionOptions


class _BuiltLine(Frozen):
    kind: Literal["built"]
    artifacts: dict[str, str]
    origin: Origin | None = None


class _ResumedLine(Frozen):
    kind: Literal["resumed"]
    at: str
    lost_from: int | None = None


class _HostLine(Frozen):
    kind: Literal["host"]
    reading: HostReading


class _TrainingLine(Frozen):
    kind: Literal["training"]
    contender: str
    training: Training


class _TrialLine(Frozen):
    kind: Literal["trial"]
    number: int
    cpu_s: dict[str, float]
    took_s: float


_Line = _PlanLine | _BuiltLine | _ResumedLine | _HostLine | _TrainingLine | _TrialLine
_LINE: TypeAdapter[_Line] = TypeAdapter(Annotated[_Line, Field(discriminator="kind")])


class Journal:
    """Appends lines to the journal of one session's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def write(self, kind: str, **data: Any) -> None:
        """Append one line and wait until it is on the disk."""
        start = json.dumps({"kind": kind, **data}, separators=(",", ":")).encode("utf-8")[:-1]
        with self.path.open("a+b") as file:
            file.seek(0)
            last_lines = file.read().splitlines()[-1:]
            match = _SUM.fullmatch(last_lines[0]) if last_lines else None
            checksum = _sum_of(start, match["sum"] if match else b"")
            file.write(b'%s,"sum":"%s"}\n' % (start, checksum))
            file.flush()
            os.fsync(file.fileno())

    def mend(self) -> None:
        """Cut off the unfinished last line that a crash or a full disk left, and put damaged lines away beside it."""
        content = read_plain(self.path, _MOST_BYTES)
        intact_bytes = sum(size for _, size in _intact_lines(content))
        remainder = content[intact_bytes:]
        if b"\n" in remainder:
            write_whole(self.path.with_name(DAMAGED), remainder)
        if remainder:
            write_whole(self.path, content[:intact_bytes])


@dataclass
class Journaled:
    """The content of a journal: the plan, the time when the session began, how often it was resumed, and the trials
    that ended.

    `artifacts` are the digests of inputs and bytes of all builds when the session began, by contender; `origin` is
    what measured then. `trained` are the trainings of AOT caches by contender, in their order. `readings` are the
    readings of the host when the session began and whenever it was resumed. `took_s` is the time of all trials.
    `damage` is a sentence about the first line that is not as it was written; nothing behind that line counts.
    `lost_from` is the first trial that was lost since the journal was written; None without such a trial.
    """

    plan: Plan
    started_at: str
    options: SessionOptions
    resumed: int = 0
    artifacts: dict[str, str] = field(default_factory=dict)
    origin: Origin | None = None
    trained: dict[str, list[Training]] = field(default_factory=dict)
    readings: list[HostReading] = field(default_factory=list)
    trials: set[int] = field(default_factory=set)
    cpu_s: dict[str, float] = field(default_factory=dict)
    took_s: float = 0.0
    damage: str | None = None
    lost_from: int | None = None

    def lose(self, number: int | None) -> None:
        """Count no trial from this number on, since the evidence of the first of them can't be read; None loses none.

        Trials stay in the order of their numbers, as behind a damaged line.
        """
        self.trials = {trial for trial in self.trials if number is None or trial < number}

    @property
    def artifact_files(self) -> dict[Side, Path]:
        """The files of artifacts built elsewhere that the session was begun with, by side of a comparison."""
        return {side: Path(path) for side, path in self.options.artifacts.items()}

    @property
    def trainings(self) -> list[Training]:
        """All trainings of AOT caches; several of a subject where a resumed session could not use the kept cache."""
        return list(chain.from_iterable(self.trained.values()))

    @property
    def apps(self) -> list[Path]:
        """The folders of variants outside the tree (`--app`) that the session was begun with."""
        return [Path(folder) for folder in self.options.apps]


def read_journal(folder: Path) -> Journaled:
    """Read the journal of a session's folder. Raises UsageError if there is no journal to go on from."""
    next_step = "Start a session by `./bench run`."
    try:
        content = read_plain(folder / NAME, _MOST_BYTES)
    except AnswerIsNo as error:
        raise UsageError(f"There is nothing to resume in {folder.name}: {error.problem}", next_step) from None
    journaled: Journaled | None = None
    count = intact_bytes = 0
    for line, size in _intact_lines(content):
        count, intact_bytes = count + 1, intact_bytes + size
        if isinstance(line, _PlanLine):
            if journaled is None:
                journaled = Journaled(line.plan, line.started_at, line.options)
            else:
                journaled.plan = line.plan
        elif journaled is not None and isinstance(line, _ResumedLine):
            journaled.resumed += 1
            journaled.lose(line.lost_from)
        elif journaled is not None and isinstance(line, _HostLine):
            journaled.readings.append(line.reading)
        elif journaled is not None and isinstance(line, _BuiltLine):
            journaled.artifacts, journaled.origin = line.artifacts, line.origin
        elif journaled is not None and isinstance(line, _TrainingLine):
            journaled.trained.setdefault(line.contender, []).append(line.training)
        elif journaled is not None and isinstance(line, _TrialLine):
            journaled.trials.add(line.number)
            journaled.took_s += line.took_s
            for name, seconds in line.cpu_s.items():
                journaled.cpu_s[name] = journaled.cpu_s.get(name, 0.0) + seconds
    damage = f"Line {count + 1} of {NAME} is damaged" if b"\n" in content[intact_bytes:] else None
    if journaled is None:
        why = f"{damage}, and no plan stands before it." if damage else f"{NAME} holds no plan."
        raise UsageError(f"There is nothing to resume in {folder.name}: {why}", next_step)
    if damage is not None:
        after = content[intact_bytes:].count(b"\n") - 1
        journaled.damage = (
            f"{damage}: it is not as it was written. It and the {after} after it are put away in {DAMAGED}, and the "
            f"{counted(len(journaled.trials), 'trial before it counts', 'trials before it count')}; all others are "
            "measured again."
        )
    return journaled


def has_trials(folder: Path) -> bool:
    """Return whether the journal in a session's folder holds a trial: without one there is nothing to go on from."""
    try:
        return bool(read_journal(folder).trials)
    except UsageError:
        return False


def _intact_lines(content: bytes) -> Iterator[tuple[_Line, int]]:
    """Yield the lines before the first damaged or unfinished line, each with its bytes, the line break included."""
    previous_sum = b""
    for raw in content.split(b"\n")[:-1]:
        match = _SUM.fullmatch(raw)
        if match is None or match["sum"] != _sum_of(match["start"], previous_sum):
            return
        try:
            line = _LINE.validate_json(match["start"] + b"}")
        except ValidationError:
            return
        yield line, len(raw) + 1
        previous_sum = match["sum"]


def _sum_of(start: bytes, previous_sum: bytes) -> bytes:
    return hashlib.sha256(previous_sum + start).hexdigest().encode("ascii")
