"""A session's folder: written as a whole, never over another, read again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from laboratory.schemas import RECORD_SCHEMA, schema_bytes
from plumbline.archive.record import write
from plumbline.archive.record.read import in_current_schema, parse_record, read_record, read_session
from plumbline.archive.record.trim import trimmed
from plumbline.archive.record.write import write_record
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from tests.record.sessions import evidence_of, record, written


def test_written_and_read_again(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["session"]
    assert read_record(folder) == record()
    found, evidence = read_session(folder)
    assert found == record()
    assert evidence == {number: trimmed(trial_evidence) for number, trial_evidence in evidence_of().items()}


def test_sha256sum_reads_the_manifest(tmp_path: Path) -> None:
    folder = written(tmp_path)
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "MANIFEST.sha256"], cwd=folder, check=True)


def test_the_same_session_is_the_same_bytes(tmp_path: Path) -> None:
    first, second = written(tmp_path / "one"), written(tmp_path / "other")
    for path in sorted(first.rglob("*")):
        assert path.is_dir() or path.read_bytes() == (second / path.relative_to(first)).read_bytes()


@pytest.mark.parametrize("kind", ["folder", "empty", "file", "link"])
def test_never_written_over(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "session"
    if kind == "folder":
        written(tmp_path)
    elif kind == "empty":
        folder.mkdir()
    elif kind == "file":
        folder.write_text("mine")
    else:
        folder.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="never written over"):
        write_record(folder, record(), evidence_of())


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, "write_whole", full)
    with pytest.raises(CannotGoOn, match="No space left on device"):
        write_record(tmp_path / "session", record(), evidence_of())
    assert list(tmp_path.iterdir()) == []


def test_no_record(tmp_path: Path) -> None:
    with pytest.raises(AnswerIsNo, match=r"MANIFEST\.sha256 is missing"):
        read_record(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "no JSON document"),
        (b'{"host":{"memory_bytes":1' + b"0" * 400 + b"}}", "a number that is beyond all bounds"),
        (b"[]", "no version of a record's schema"),
        (b'{"versions":{"schema_version":true}}', "no version of a record's schema"),
        (b'{"versions":{"schema_version":4}}', "schema 4, and this program knows schemas up to 3"),
        (
            b'{"versions":{"schema_version":1}}',
            "does not have the shape of a record: versions.figures: Field required",
        ),
    ],
)
def test_what_is_no_record_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(AnswerIsNo) as caught:
        parse_record(content)
    assert words in caught.value.problem


def test_the_present_schema_is_not_lifted() -> None:
    document = record().model_dump(mode="json")
    assert in_current_schema(document) is document


def test_a_record_of_before_readings_has_none() -> None:
    document = record().model_dump(mode="json")
    document["versions"]["schema_version"] = 2
    del document["host"]["readings"]
    found = parse_record(json.dumps(document).encode())
    assert (found.versions.schema_version, found.host.readings) == (3, ())


def test_the_kept_schema_is_current() -> None:
    assert RECORD_SCHEMA.read_bytes() == schema_bytes(), "write it by `./bench python -m laboratory.schemas`"


def test_a_record_that_said_how_long_to_measure_is_still_read() -> None:
    ended = {"why": "decided", "blocks": 4, "orders": 1}
    document = {"versions": {"schema_version": 3}, "ended": {**ended, "lengths": [{"scenario": "fruits@2"}]}}
    assert in_current_schema(document)["ended"] == ended
