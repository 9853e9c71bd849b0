"""Evidence on the disk: small, the same every time, refused when it is not ours."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.model.errors import AnswerIsNo, CannotGoOn
from plumbline.model.evidence import Series
from plumbline.record import evidence_file
from plumbline.record.canonical import canonical_bytes
from plumbline.record.evidence_file import evidence_bytes, parse_evidence, read_evidence, write_evidence
from plumbline.record.trim import trimmed
from tests.record.sessions import evidence_of

EVIDENCE = evidence_of()[4]


def test_written_and_read_again(tmp_path: Path) -> None:
    path = write_evidence(tmp_path, EVIDENCE)
    assert path == tmp_path / "evidence" / "0004.json.gz"
    assert read_evidence(tmp_path, 4) == trimmed(EVIDENCE)
    assert [entry.name for entry in path.parent.iterdir()] == ["0004.json.gz"]


def test_the_same_bytes_every_time() -> None:
    content = evidence_bytes(EVIDENCE)
    assert content == evidence_bytes(trimmed(EVIDENCE))
    assert content[4:8] == bytes(4)  # no time in the header of gzip


def test_a_trial_of_a_minute_stays_small() -> None:
    rows = EVIDENCE.series
    minute = Series(t_s=rows.t_s[:60], columns={name: column[:60] for name, column in rows.columns.items()})
    assert len(minute.t_s) == 60
    assert len(evidence_bytes(EVIDENCE.model_copy(update={"series": minute}))) < 16_000


def test_trimming_keeps_what_was_measured_and_is_done_once() -> None:
    series = Series(
        t_s=(0.12345, 1.5), columns={"cpu.app.user_us": (1.6, None), "db.idle_s": (0.12349, -0.0)}
    )
    once = trimmed(EVIDENCE.model_copy(update={"series": series}))
    assert once.series == Series(
        t_s=(0.123, 1.5), columns={"cpu.app.user_us": (2.0, None), "db.idle_s": (0.123, 0.0)}
    )
    assert trimmed(once) == once


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(AnswerIsNo, match=r"evidence/0009.json.gz of .* cannot be read: No such file"):
        read_evidence(tmp_path, 9)


def changed(**fields: Any) -> bytes:
    return gzip.compress(canonical_bytes({**trimmed(EVIDENCE).model_dump(mode="json"), **fields}), mtime=0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no intact gzip file"),
        (b"not gzip at all", "no intact gzip file"),
        (evidence_bytes(EVIDENCE)[:-9], "no intact gzip file"),
        (evidence_bytes(EVIDENCE) + b"more", "something follows its end"),
        (gzip.compress(b"[1,"), "no JSON document"),
        (gzip.compress(b"[" * 100_000), "no JSON document"),
        (gzip.compress(b"[]"), "does not have the shape of evidence"),
        (changed(mood="good"), "mood: Extra inputs are not permitted"),
        (changed(trial="four"), "trial: Input should be a valid integer"),
        (gzip.compress(json.dumps(trimmed(EVIDENCE).model_dump(mode="json")).encode()), "not canonical"),
    ],
)
def test_what_is_not_ours_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(AnswerIsNo, match=r"evidence/0004\.json\.gz") as caught:
        parse_evidence(content, "evidence/0004.json.gz")
    assert words in caught.value.problem


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_file, "MOST_BYTES", 2**20)
    with pytest.raises(AnswerIsNo, match="more than 1 MiB"):
        parse_evidence(gzip.compress(bytes(2**22)), "evidence/0004.json.gz")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "0004.json.gz").mkdir()  # a rename onto a folder fails for everybody
    with pytest.raises(CannotGoOn, match=r"0004\.json\.gz could not be written"):
        write_evidence(tmp_path, EVIDENCE)
    assert [entry.name for entry in (tmp_path / "evidence").iterdir()] == ["0004.json.gz"]
