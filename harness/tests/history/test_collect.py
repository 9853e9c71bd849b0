"""From records on the disk to series."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.archive.history.analysis import analyse
from plumbline.archive.history.collect import series_of, sessions
from plumbline.archive.history.extract import environment, extract
from plumbline.archive.history.series import segments
from plumbline.model.errors import UsageError
from tests.history.nights import keep, night_of
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.sessions import record

SLOWED = SUBJECTS[1]


def slowed_since(step: int) -> object:
    return lambda subject, night: 0.95 if subject == SLOWED and night >= step else 1.0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twenty-four nights; the second subject is 5 % slower from the fourteenth on."""
    for night in range(24):
        keep(tmp_path / "data", night_of(night, slowed_since(14)))  # type: ignore[arg-type]
    return tmp_path / "data"


def test_a_step_of_one_subject_is_found_with_its_commits(data: Path, tmp_path: Path) -> None:
    seen = analyse(series_of(sessions(data, tmp_path / "cache")), (), {})
    assert [(one.series.subject, one.series.metric, one.index) for one in seen.found] == [
        (SLOWED, "throughput_per_s", 14)
    ]
    assert [alert.state for alert in seen.alerts] == ["open"]
    assert seen.candidates[0].command == (f"./bench compare {13:012x} {14:012x} --only '{SLOWED}' --scenario fruits")


def test_series_are_on_the_ratio_to_the_control(data: Path, tmp_path: Path) -> None:
    found = series_of(sessions(data, tmp_path / "cache"))
    assert {one.subject for one in found} == {*SUBJECTS, CONTROL}
    assert {one.subject for one in found if one.control} == {CONTROL}
    for one in found:
        assert len(one.points) == 24
        assert all((point.control is None) == one.control for point in one.points)


def test_the_cache_answers_as_the_records_do(data: Path, tmp_path: Path) -> None:
    cold = sessions(data, tmp_path / "cache")
    kept = sorted((tmp_path / "cache").iterdir())
    assert len(kept) == 24
    assert sessions(data, tmp_path / "cache") == cold
    kept[0].write_text("{", encoding="utf-8")
    assert sessions(data, tmp_path / "cache") == cold
    assert sessions(data, tmp_path / "another") == cold


def test_a_cache_that_cannot_be_written_is_no_harm(data: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert len(sessions(data, blocked / "cache")) == 24


def test_a_stated_change_of_the_host_starts_a_segment(data: Path, tmp_path: Path) -> None:
    for night in range(24, 30):
        keep(data, night_of(night, slowed_since(14), kernel="6.18.0"))  # type: ignore[arg-type]
    for one in series_of(sessions(data, tmp_path / "cache")):
        assert [len(part.indices) for part in segments(one)] == [24, 6]


def test_jdk_is_a_label_and_no_part_of_the_environment() -> None:
    before = record()
    after = before.model_copy(update={"provenance": before.provenance.model_copy(update={"jdk": "26+35"})})
    assert environment(before) == environment(after)
    assert extract(after).labels[SUBJECTS[0]]["jdk"] == "26+35"


def test_a_default_under_its_older_name_is_no_change() -> None:
    now = record()
    older = now.plan.model_copy(update={"defaults": {**now.plan.defaults, "profile": "out-of-the-box"}})
    newer = now.plan.model_copy(update={"defaults": {**now.plan.defaults, "profile": "parity"}})
    before, after = (extract(now.model_copy(update={"plan": plan})) for plan in (older, newer))
    assert before.labels == after.labels
    assert after.labels[SUBJECTS[0]]["default profile"] == "parity"


def test_invalid_and_discarded_trials_do_not_count() -> None:
    before = record()
    number = next(trial.number for trial in before.trials if trial.subject == SUBJECTS[0] and trial.role == "measured")
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid"}) if trial.number == number else trial for trial in before.trials
    )
    after = extract(before.model_copy(update={"trials": trials}))
    rest = [
        trial.figures["closed"]["throughput_per_s"]
        for trial in before.trials
        if trial.subject == SUBJECTS[0] and trial.number != number and trial.role != "discarded"
    ]
    assert len(rest) == 1
    value = after.values[SUBJECTS[0]]["fruits@1"]["closed"]["throughput_per_s"]
    assert value == pytest.approx(rest[0])


def test_a_record_that_was_changed_is_refused(data: Path, tmp_path: Path) -> None:
    folder = next(data.rglob("record.json")).parent
    (folder / "record.json").write_bytes((folder / "record.json").read_bytes() + b" ")
    with pytest.raises(UsageError, match=r"record\.json has changed"):
        sessions(data, tmp_path / "cache")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_broken_record_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "data" / "one").mkdir(parents=True)
    (tmp_path / "data" / "one" / "record.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"record\.json"):
        sessions(tmp_path / "data", tmp_path / "cache")


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no record below"):
        sessions(tmp_path, tmp_path / "cache")
    with pytest.raises(UsageError, match="is no folder"):
        sessions(tmp_path / "missing", tmp_path / "cache")


def test_a_record_that_can_not_be_read_is_refused_or_left_out(data: Path, tmp_path: Path) -> None:
    broken = next(data.rglob("record.json"))
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match="take it out"):
        sessions(data, tmp_path / "cache")
    unreadable: list[str] = []
    assert len(sessions(data, tmp_path / "cache", unreadable=unreadable)) == 23
    assert [text.partition(": ")[0] for text in unreadable] == [str(broken)]
    (tmp_path / "empty").mkdir()
    assert sessions(tmp_path / "empty", tmp_path / "cache", unreadable=[]) == []
