"""Damage one file of a session's folder, let every reader have its turn, and put the file back.

    number of a case -> what is damaged and how, by that number alone -> `read`, or `refused` in a sentence

A number stands for one damage as long as record and evidence have the same fields.

Anything else that a reader does is a failure: an error of another kind, a warning, more than two minutes, a file that
it keeps open. Record and evidence are damaged in a folder of one trial, a journal in a folder of a session that runs.
Both lie in memory where the host has a file system there. The evidence has the rows that figures are computed from, and
in one case of sixteen all rows.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Self

from plumbline.archive.history.collect import sessions
from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.evidence_file import FOLDER
from plumbline.archive.record.gate import opened
from plumbline.archive.record.write import NAME as MANIFEST
from plumbline.archive.record.write import RECORD, digest_of, manifest_bytes, write_record
from plumbline.measuring.run.journal import DAMAGED, Journal, read_journal
from plumbline.measuring.run.journal import NAME as JOURNAL
from plumbline.measuring.run.local import RUNNING, find_interrupted, finished_sessions, interrupted_sessions
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Usage
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.reading import read_record
from plumbline.reporting.report.terminal import render
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS
from tests.record.sessions import host_session

HANGS_AFTER_S = 120
# Most hosts have a file system in memory here; readers read it by the same calls.
IN_MEMORY = Path("/dev/shm")

Outcome = Literal["read", "refused"]

# Values as text that Python's writer of JSON would not write: each mark is replaced by its text.
RAW = {f"@raw{place}@": text for place, text in enumerate(
    ("1e400", "-1e400", "NaN", "Infinity", '"\\ud800"', "1" * 5000, "1e-400", "[" * 2000 + "]" * 2000, "-0.0", "01")
)}  # fmt: skip
NASTY: tuple[Any, ...] = (
    *RAW, None, True, 0, -1, 1, 5, 10**19, 10**400, 1.5, 5e-324, 1e-9, 1e15, 1e308, -1e308, "", "x", "@", "\x00",
    "R1", "../../x", "x" * 70_000, [], {}, [[]], [None], {"a": 1}, [5] * 50,
)  # fmt: skip


def nasty(draw: random.Random) -> Any:
    """A value that no session writes: in half of the cases one of `NASTY`, else a made-up one."""
    return draw.choice(NASTY) if draw.random() < 0.5 else made_up(draw)


def made_up(draw: random.Random, depth: int = 0) -> Any:
    match draw.randrange(6 if depth > 1 else 8):
        case 0:
            return draw.choice((None, True, False))
        case 1 | 2:
            return draw.randrange(-(2 ** draw.randrange(1, 70)), 2 ** draw.randrange(1, 70))
        case 3 | 4:
            return draw.uniform(-1, 1) * 10.0 ** draw.randrange(-300, 300)
        case 5:
            return text(draw, 8)
        case 6:
            return [made_up(draw, depth + 1) for _ in range(draw.randrange(4))]
        case _:
            return {text(draw, 4): made_up(draw, depth + 1) for _ in range(draw.randrange(4))}


def text(draw: random.Random, most: int) -> str:
    """Characters of ASCII, of the first plane without surrogates, and of all other planes."""
    ranges = ((0, 128), (0, 0xD800), (0x10000, 0x110000))
    return "".join(chr(draw.randrange(*draw.choice(ranges))) for _ in range(draw.randrange(most + 1)))


def near(value: Any, draw: random.Random) -> Any:
    """A value a little off and of the same type, so that no check of shapes refuses it; other types as they were."""
    match value:
        case bool():
            return not value
        case int() | float():
            return draw.choice((-value, value + 1, value * 2, value / 3, value * (1 + 1e-12), float(value)))
        case str():
            return scratched(value.encode(), draw).decode("utf-8", "replace")
        case list():
            return value[::-1]
        case _:
            return value


def changed(document: Any, draw: random.Random) -> Any:
    """The document with one place changed: another value, or a member removed, doubled or added."""
    at = document
    parts: list[tuple[Any, Any]] = []
    while isinstance(at, (dict, list)) and at and (not parts or draw.random() < 0.85):
        place = draw.choice(sorted(at)) if isinstance(at, dict) else draw.randrange(len(at))
        parts.append((at, place))
        at = at[place]
    if not parts:
        return nasty(draw)
    holder, place = parts[-1]
    match draw.randrange(7):
        case 0:
            del holder[place]
        case 1 if isinstance(holder, list):
            holder.insert(place, holder[place])
        case 1:
            holder["another"] = nasty(draw)
        case 2:
            holder[place] = near(holder[place], draw)
        case _:
            holder[place] = nasty(draw)
    return document


def dumped(document: Any) -> bytes:
    written = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    if "@raw" in written:
        for mark, raw in RAW.items():
            written = written.replace(json.dumps(mark), raw)
    return written.encode("utf-8", "surrogatepass") + b"\n"


def journal_of(rows: Iterable[Any]) -> bytes:
    """The lines of a journal with right sums, whatever its rows hold."""
    lines, before = [], b""
    for row in rows:
        start = dumped(row).removesuffix(b"}\n")
        before = hashlib.sha256(before + start).hexdigest().encode()
        lines.append(b'%s,"sum":"%s"}\n' % (start, before))
    return b"".join(lines)


def scratched(content: bytes, draw: random.Random) -> bytes:
    """The bytes with some of them changed, removed or added."""
    at = draw.randrange(len(content) + 1)
    match draw.randrange(4):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + draw.randbytes(draw.randrange(1, 9)) + content[at:]
        case 2:
            return content[:at] + content[at + draw.randrange(1, 40) :]
        case _:
            return content[:at] + bytes((draw.randrange(256),)) + content[at + 1 :]


def replaced(path: Path, draw: random.Random) -> None:
    """Put something else in the place of a file: a pipe, a folder, a link to somewhere or to nothing, or nothing."""
    path.unlink()
    kinds: tuple[Callable[[], object], ...] = (
        lambda: os.mkfifo(path),
        path.mkdir,
        lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to(path),
        lambda: None,
        lambda: path.write_bytes(b""),
    )
    draw.choice(kinds)()


def put_back(path: Path, content: bytes) -> None:
    """The file as it was, whatever lies in its place."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    path.write_bytes(content)


class Hang(BaseException):
    """A reader took too long. Not an `Exception`: readers turn any error of recomputing a record into a sentence."""


@contextmanager
def no_hang() -> Iterator[None]:
    def hangs(number: int, frame: FrameType | None) -> None:
        raise Hang(f"a reader hangs after {HANGS_AFTER_S} s")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(HANGS_AFTER_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_by_everybody(folder: Path, cache: Path) -> Outcome:
    """Every reader of a finished session has its turn; only sentences may be raised."""
    readers: tuple[Callable[[], object], ...] = (
        lambda: read_record(folder),
        lambda: sessions(folder.parent, cache),
    )
    for reader in readers:
        try:
            reader()
        except (AnswerIsNo, UsageError) as error:
            assert error.problem
    sentences: list[str] = []
    try:
        record, evidence = opened(folder, sentences.append)
    except AnswerIsNo as error:
        assert error.problem
        return "refused"
    if not sentences:
        assert render(record, evidence, 100, colour=False)
        digest(record)
    return "read"


def read_as_running(results: Path, folder: Path) -> Outcome:
    """Every reader of a running session has its turn, and its journal is mended, as when the session is resumed."""
    assert finished_sessions(results) == []
    listed = list(interrupted_sessions(results))
    for name in (None, folder.name):
        try:
            find_interrupted(results, name)
        except UsageError as error:
            assert error.problem
    outcome: Outcome = "read" if listed else "refused"
    for _, found in listed:
        if isinstance(found, UsageError):
            assert found.problem
            outcome = "refused"
            continue
        outcome = "refused" if found.damage else outcome
        Journal(folder).mend()
        assert read_journal(folder).damage is None
    return outcome


def edges_alone(whole: Evidence) -> Evidence:
    """The evidence with the rows before and after each edge of a window alone: figures are computed from these rows."""
    t_s = whole.series.t_s
    rows = {0, len(t_s) - 1}
    for window in whole.windows:
        for edge_s in (window.start_s, window.end_s):
            rows |= {bisect_left(t_s, edge_s) - 1, bisect_left(t_s, edge_s)}
    kept = sorted(rows)
    columns = {name: tuple(values[row] for row in kept) for name, values in whole.series.columns.items()}
    return whole.model_copy(
        update={"series": whole.series.model_copy(update={"t_s": tuple(t_s[row] for row in kept), "columns": columns})}
    )


def made(below: Path, *, all_rows: bool) -> Path:
    """A folder with one trial, as small as a record can be."""
    facts = session(blocks=1, subjects=SUBJECTS[:1])
    trial = next(trial for trial in facts.plan.trials if trial.role == "measured")
    evidence = facts.trials[trial.number].evidence
    kept = {trial.number: evidence if all_rows else edges_alone(evidence)}
    usage = Usage(session_cpu_s=1.5, sampler_cpu_s=0.5, harness_cpu_s=2.0)
    plan = facts.plan.model_copy(update={"trials": (trial,)})
    record = assemble(host_session(facts, plan=plan, usage=usage), kept, workload_version=1)
    folder = below / facts.plan.session
    write_record(folder, record, kept)
    return folder


@dataclass(frozen=True)
class Whole:
    """A folder of a finished session that nobody has damaged, and what its files hold; the evidence unpacked."""

    folder: Path
    contents: dict[str, bytes]
    evidence: str
    plain: bytes
    digest: str

    @classmethod
    def of(cls, folder: Path) -> Whole:
        (name,) = (f"{FOLDER}/{path.name}" for path in (folder / FOLDER).iterdir())
        contents = {part: (folder / part).read_bytes() for part in (RECORD, name, MANIFEST)}
        return cls(folder, contents, name, gzip.decompress(contents[name]), digest_of(folder / RECORD))


JOURNALED: tuple[dict[str, Any], ...] = (
    {
        "kind": "plan",
        "started_at": "2026-11-21T07:00:00Z",
        "options": {"apps": [], "artifacts": {}, "command_line": ["bench", "run"]},
    },
    {"kind": "built", "artifacts": {"a/jvm/pg": "ab"}},
    {"kind": "trial", "number": 1, "cpu_s": {"session": 2.0}, "took_s": 20.5},
    {"kind": "resumed", "at": "2026-11-21T08:00:00Z"},
)


class Folders:
    """The folders that one process damages, in a temporary folder that is removed at the end."""

    def __init__(self) -> None:
        self._below = Path(tempfile.mkdtemp(prefix="damaged-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
        self.wholes = tuple(Whole.of(made(self._below / rows, all_rows=rows == "all")) for rows in ("edges", "all"))
        self._cache = self._below / "cache"
        self._cache.mkdir()
        self._results = self._below / "results"
        self._running = self._results / RUNNING / "20261121T070000Z-box-0a1b2c"
        self._running.mkdir(parents=True)
        plan = session(blocks=1, subjects=SUBJECTS[:1]).plan.model_dump(mode="json")
        self._journaled = json.dumps([{**JOURNALED[0], "plan": plan}, *JOURNALED[1:]])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._below)

    def case(self, number: int) -> tuple[str, Outcome]:
        """The part that the case of this number damages, and its outcome. Raises whatever a reader must not raise."""
        draw = random.Random(number)
        if draw.random() < 0.3:
            return "journal", self._journal(draw)
        whole = self.wholes[draw.randrange(16) == 0]
        part = draw.choice(("record", "record", "evidence", "evidence", "manifest"))
        name = {"record": RECORD, "evidence": whole.evidence, "manifest": MANIFEST}[part]
        self._harm(whole, name, draw)
        try:
            with no_hang():
                return part, read_by_everybody(whole.folder, self._cache)
        finally:
            for touched in (name, MANIFEST):
                put_back(whole.folder / touched, whole.contents[touched])
            for kept in self._cache.iterdir():
                if kept.stem != whole.digest:
                    kept.unlink()

    def _harm(self, whole: Whole, name: str, draw: random.Random) -> None:
        """Damage one file in one way. In most cases the folder is sealed again, as somebody who tampers would do it."""
        path, before = whole.folder / name, whole.contents[name]
        how = draw.choice(("value", "value", "value", "value", "bytes", "other"))
        if how == "other":
            replaced(path, draw)
        elif how == "bytes" or name == MANIFEST:
            path.write_bytes(scratched(before, draw))
        elif name == RECORD:
            path.write_bytes(dumped(changed(json.loads(before), draw)))
        else:
            plain = dumped(changed(json.loads(whole.plain), draw))
            path.write_bytes(gzip.compress(plain, compresslevel=1, mtime=0))
        if name != MANIFEST and path.is_file() and not path.is_symlink() and draw.random() < 0.9:
            sums = {part: digest_of(whole.folder / part) for part in (RECORD, whole.evidence)}
            (whole.folder / MANIFEST).write_bytes(manifest_bytes(sums))

    def _journal(self, draw: random.Random) -> Outcome:
        path = self._running / JOURNAL
        how = draw.choice(("value", "value", "bytes", "other"))
        rows: list[Any] = json.loads(self._journaled)
        if how == "value":
            place = draw.randrange(len(rows))
            rows[place] = changed(rows[place], draw)
        content = journal_of(rows)
        path.write_bytes(scratched(content, draw) if how == "bytes" else content)
        if how == "other":
            replaced(path, draw)
        try:
            with no_hang():
                return read_as_running(self._results, self._running)
        finally:
            put_back(path, b"")
            (self._running / DAMAGED).unlink(missing_ok=True)


@dataclass
class Outcomes:
    """Counts of cases by part and outcome, the failed cases in words, and the CPU time of all cases."""

    counts: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    cpu_s: float = 0.0

    def add(self, other: Outcomes) -> None:
        """Add the outcomes of other cases."""
        self.counts += other.counts
        self.failures += other.failures
        self.cpu_s += other.cpu_s

    def total(self, outcome: Outcome) -> int:
        """How many cases had this outcome, whichever part was damaged."""
        return sum(count for (_, counted), count in self.counts.items() if counted == outcome)


def outcomes(folders: Folders, numbers: Iterable[int]) -> Outcomes:
    """Run the cases of these numbers, and return their outcomes and CPU time."""
    found, began_s = Outcomes(), time.process_time()
    for number in numbers:
        before = open_files()
        try:
            # As pytest does in all tests: a reader of a session gives its sentence and no warning.
            with warnings.catch_warnings(action="error"):
                outcome = folders.case(number)
            # Files that earlier tests forgot may be closed meanwhile.
            assert open_files() <= before, "a reader keeps a file open"
        except (Exception, Hang) as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            found.failures.append(f"case {number}: {error!r:.300} ({where.filename}:{where.lineno})")
        else:
            found.counts[outcome] += 1
    found.cpu_s = time.process_time() - began_s
    return found


def in_own_folders(numbers: range) -> Outcomes:
    """Run the cases of these numbers in folders of this process alone, and return their outcomes."""
    with Folders() as folders:
        return outcomes(folders, numbers)


def open_files() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))
