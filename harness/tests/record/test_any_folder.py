"""Whatever lies in a session's folder, every reader has one of three outcomes: fine, or a sentence; never a traceback.

10,000 folders in the ordinary run; `PLUMBLINE_FUZZ_CASES=1000000 ./bench test --only "unit tests"` makes a million.
A reader that waits for ever is ended by an alarm, and that is a failure.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plumbline.history.collect import sessions
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Usage
from plumbline.publish.digest import digest
from plumbline.publish.reading import read
from plumbline.record import gate
from plumbline.record.assemble import assemble
from plumbline.record.gate import Checked, check, opened
from plumbline.record.read import read_record
from plumbline.record.write import NAME as MANIFEST
from plumbline.record.write import RECORD, write_record
from plumbline.report.compose import compose
from plumbline.report.terminal import render
from plumbline.run.journal import NAME as JOURNAL
from plumbline.run.journal import Journal, read_journal
from plumbline.run.local import find_interrupted, finished_sessions, interrupted_sessions
from tests.judge.evidence import session
from tests.record.sessions import evidence_of, sealed_again

pytestmark = pytest.mark.slow

CASES = int(os.environ.get("PLUMBLINE_FUZZ_CASES", "10000"))
SHARDS = 20
HANGS_AFTER_S = 120

# What JSON text can hold and Python's writer would not write: each stands for itself in the text.
RAW = {f"@raw{place}@": text for place, text in enumerate(
    ("1e400", "-1e400", "NaN", "Infinity", '"\\ud800"', "1" * 5000, "1e-400", "[" * 2000 + "]" * 2000, "-0.0", "01")
)}  # fmt: skip
NASTY = st.sampled_from(
    (
        *RAW, None, True, 0, -1, 1, 5, 10**19, 10**400, 1.5, 5e-324, 1e-9, 1e15, 1e308, -1e308, "", "x", "@", "\x00",
        "R1", "../../x", "x" * 70_000, [], {}, [[]], [None], {"a": 1}, [5] * 50,
    )
) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=4), some, max_size=3),
    max_leaves=5,
)  # fmt: skip


@cache
def made(below: Path) -> Path:
    """A folder with one trial, as small as a record can be, and a journal beside it."""
    its = session(blocks=1)
    number = next(trial.number for trial in its.plan.trials if trial.role == "measured")
    evidence = {number: evidence_of(blocks=1)[number]}
    assert its.provenance is not None
    usage = Usage(session_cpu_s=1.5, sampler_cpu_s=0.5, harness_cpu_s=2.0)
    record = assemble(
        its.plan, its.host, its.provenance, evidence, usage, workload_version=1, builds=its.builds
    )
    folder = below / its.plan.session
    write_record(folder, record, evidence)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("whole"))


def changed(document: Any, draw: random.Random, value: Any) -> Any:
    """The document with one place changed: another value, a member less, one twice or one more."""
    at, parts = document, []
    while isinstance(at, (dict, list)) and at and (not parts or draw.random() < 0.85):
        place = draw.choice(sorted(at)) if isinstance(at, dict) else draw.randrange(len(at))
        parts.append((at, place))
        at = at[place]
    if not parts:
        return value
    holder, place = parts[-1]
    match draw.randrange(6):
        case 0:
            del holder[place]
        case 1 if isinstance(holder, list):
            holder.insert(place, holder[place])
        case 1:
            holder["another"] = value
        case _:
            holder[place] = value
    return document


def dumped(document: Any) -> bytes:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    for mark, raw in RAW.items():
        text = text.replace(json.dumps(mark), raw)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def scratched(content: bytes, draw: random.Random) -> bytes:
    """The bytes with some of them other, less or more."""
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
    """Something else in the place of a file: a pipe, a folder, a link to somewhere or to nothing, or nothing."""
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


def harmed(folder: Path, part: str, how: str, draw: random.Random, value: Any) -> None:
    """Do one harm to one file of a folder; what can be sealed is sealed again in most cases."""
    path = folder / part
    if how == "other":
        replaced(path, draw)
    elif how == "bytes" or part in (MANIFEST, JOURNAL):
        path.write_bytes(scratched(path.read_bytes(), draw))
    elif part == RECORD:
        path.write_bytes(dumped(changed(json.loads(path.read_bytes()), draw, value)))
    else:
        plain = json.loads(gzip.decompress(path.read_bytes()))
        path.write_bytes(gzip.compress(dumped(changed(plain, draw, value)), compresslevel=1, mtime=0))
    if part not in (MANIFEST, JOURNAL) and path.is_file() and not path.is_symlink() and draw.random() < 0.9:
        sealed_again(folder)


def journal_of(folder: Path, draw: random.Random, value: Any) -> None:
    """A journal with right sums, and one place of one line changed."""
    rows: list[Any] = [
        {
            "kind": "plan",
            "plan": session(blocks=1).plan.model_dump(mode="json"),
            "started_at": "2026-11-21T07:00:00Z",
            "options": {"apps": [], "artifacts": {}, "command_line": ["bench", "run"]},
        },
        {"kind": "built", "artifacts": {"a/jvm/pg": "ab"}},
        {"kind": "trial", "number": 1, "cpu_s": {"session": 2.0}, "took_s": 20.5},
        {"kind": "resumed", "at": "2026-11-21T08:00:00Z"},
    ]
    place = draw.randrange(len(rows))
    row = changed(rows[place], draw, value)
    rows[place] = row if isinstance(row, dict) else {"kind": row}
    for one in rows:
        Journal(folder).write(**{"kind": None, **one})


@contextmanager
def no_hang() -> Iterator[None]:
    def hangs(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"a reader hangs after {HANGS_AFTER_S} s")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(HANGS_AFTER_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_by_everybody(folder: Path, cache: Path) -> None:
    """Every reader of a finished session has its turn; only sentences may be raised."""
    readers: tuple[Callable[[], object], ...] = (
        lambda: read_record(folder),
        lambda: read(folder),
        lambda: sessions(folder.parent, cache),
    )
    for reader in readers:
        try:
            reader()
        except (AnswerIsNo, UsageError) as error:
            assert error.problem
    checked: list[Checked] = []

    def remembered(one: Path) -> Checked:
        checked.append(check(one))
        return checked[-1]

    # Whoever opens a folder has it checked first: once is enough to see both.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "check", remembered)
        try:
            record, evidence = opened(folder, lambda text: None)
        except AnswerIsNo as error:
            assert error.problem and checked[0].word != "as recorded"
            return
    (found,) = checked
    assert found.word != "changed"
    if found.word == "as recorded":
        compose(record, evidence)
        render(record, evidence, 100, colour=False)
        digest(record)


def read_as_running(results: Path, folder: Path) -> None:
    assert finished_sessions(results) == []
    listed = list(interrupted_sessions(results))
    for named in (None, folder.name):
        try:
            find_interrupted(results, named)
        except UsageError as error:
            assert error.problem
    for _, found in listed:
        if not isinstance(found, UsageError):
            Journal(folder).mend()
            assert read_journal(folder).damage is None


HARMS = st.tuples(
    st.sampled_from((RECORD, RECORD, "evidence", "evidence", MANIFEST)),
    st.sampled_from(("value", "value", "value", "value", "bytes", "other")),
)


def property_of(examples: int) -> Any:
    return settings(
        max_examples=max(1, examples),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_record_and_its_evidence(shard: int, whole: Path, tmp_path: Path) -> None:
    target = tmp_path / "data" / whole.name

    @property_of(CASES * 7 // 10 // SHARDS)
    @given(harm=HARMS, seed=st.integers(0, 2**64), value=NASTY)
    def one(harm: tuple[str, str], seed: int, value: Any) -> None:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(whole, target)
        part, how = harm
        name = part if part != "evidence" else next(target.glob("evidence/*")).relative_to(target).as_posix()
        harmed(target, name, how, random.Random(f"{shard} {seed}"), value)
        with no_hang():
            read_by_everybody(target, tmp_path / "cache")

    one()


@pytest.mark.parametrize("shard", range(SHARDS // 4))
def test_a_journal(shard: int, tmp_path: Path) -> None:
    folder = tmp_path / ".running" / "20261121T070000Z-box-0a1b2c"

    @property_of(CASES * 3 // 10 // (SHARDS // 4))
    @given(how=st.sampled_from(("value", "value", "bytes", "other")), seed=st.integers(0, 2**64), value=NASTY)
    def one(how: str, seed: int, value: Any) -> None:
        draw = random.Random(f"{shard} {seed}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        journal_of(folder, draw, value if how == "value" else 1)
        if how != "value":
            harmed(folder, JOURNAL, how, draw, value)
        with no_hang():
            read_as_running(tmp_path, folder)

    one()
