"""From records on the disk to series."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.archive.history.analysis import analyse
from plumbline.archive.history.collect import series_of, sessions
from plumbline.archive.history.extract import environment, extract
from plumbline.archive.history.points import differing
from plumbline.archive.history.series import segments
from plumbline.model.errors import UsageError
from plumbline.model.plan import Plan
from plumbline.model.record import Record, Trial
from tests.history.nights import keep, night_of
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.hosts import on, together_on
from tests.record.sessions import record

SLOWED = SUBJECTS[1]


def slowed_since(step: int) -> object:
    return lambda subject, night: 0.95 if subject == SLOWED and night >= step else 1.0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twenty-four nights; the second subject is 5 % slower from night 14 on."""
    for night in range(24):
        keep(tmp_path / "data", night_of(night, slowed_since(14)))  # type: ignore[arg-type]
    return tmp_path / "data"


def test_a_step_of_one_subject_is_found_with_its_commits(data: Path, tmp_path: Path) -> None:
    analysis = analyse(series_of(sessions(data, tmp_path / "cache")), (), {})
    assert [(change.series.subject, change.series.metric, change.index) for change in analysis.changes] == [
        (SLOWED, "throughput_per_s", 14)
    ]
    assert [alert.state for alert in analysis.alerts] == ["open"]
    assert analysis.candidates[0].command == (
        f"./bench compare {8:012x}{0:028x} {19:012x}{0:028x} --only '{SLOWED}' --scenario fruits"
    )


def test_series_are_on_the_ratio_to_the_control(data: Path, tmp_path: Path) -> None:
    all_series = series_of(sessions(data, tmp_path / "cache"))
    assert {one_series.subject for one_series in all_series} == {*SUBJECTS, CONTROL}
    assert {one_series.subject for one_series in all_series if one_series.control} == {CONTROL}
    for one_series in all_series:
        assert len(one_series.points) == 24
        assert all((point.control is None) == one_series.control for point in one_series.points)


def test_the_cache_answers_as_the_records_do(data: Path, tmp_path: Path) -> None:
    cold = sessions(data, tmp_path / "cache")
    cached = sorted((tmp_path / "cache").iterdir())
    assert len(cached) == 24
    assert sessions(data, tmp_path / "cache") == cold
    cached[0].write_text("{", encoding="utf-8")
    assert sessions(data, tmp_path / "cache") == cold
    assert sessions(data, tmp_path / "another") == cold


def test_a_cache_that_cannot_be_written_is_no_harm(data: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert len(sessions(data, blocked / "cache")) == 24


def test_a_stated_change_of_the_host_starts_a_segment(data: Path, tmp_path: Path) -> None:
    for night in range(24, 30):
        keep(data, night_of(night, slowed_since(14), kernel="6.18.0"))  # type: ignore[arg-type]
    for one_series in series_of(sessions(data, tmp_path / "cache")):
        assert [len(part.indices) for part in segments(one_series)] == [24, 6]


def test_waiting_longer_at_a_higher_rate_is_no_change_of_a_subject(tmp_path: Path) -> None:
    for night in range(34):
        session = night_of(night, lambda *_: 1.0)
        keep(tmp_path / "data", waiting_longer(session) if 14 <= night < 28 else session)
    all_series = series_of(sessions(tmp_path / "data", tmp_path / "cache"))
    of_phase = {
        phase: [[len(part.indices) for part in segments(series)] for series in all_series if series.phase == phase]
        for phase in ("closed", "open@500")
    }
    assert of_phase["closed"] and all(lengths == [34] for lengths in of_phase["closed"])
    # The rate of old comes back, and its segment goes on.
    assert of_phase["open@500"] and all(lengths == [20, 14] for lengths in of_phase["open@500"])
    assert not analyse(all_series, (), {}).changes


def at_rate(plan: Plan, rate_per_s: int) -> Plan:
    """The plan with another rate of open load."""
    (scenario,) = plan.scenarios
    phases = tuple(
        phase.model_copy(update={"rate_per_s": rate_per_s}) if phase.kind == "open" else phase
        for phase in scenario.phases
    )
    return plan.model_copy(update={"scenarios": (scenario.model_copy(update={"phases": phases}),)})


def waiting_longer(session: Record) -> Record:
    """The session at a higher rate, where requests take longer, but those of the control."""

    def longer(trial: Trial) -> Trial:
        figures = {
            phase: {name: value * (1.15 if "latency" in name else 1) for name, value in values.items()}
            for phase, values in trial.figures.items()
        }
        return trial if trial.subject == CONTROL else trial.model_copy(update={"figures": figures})

    trials = tuple(longer(trial) for trial in session.trials)
    return session.model_copy(update={"plan": at_rate(session.plan, 525), "trials": trials})


def test_rates_of_hosts_that_found_capacities_of_their_own_are_all_named() -> None:
    whole, _ = together_on(on("lab-a", 2), on("lab-b", 2))
    first, second = whole.parts
    other = second.model_copy(update={"plan": at_rate(second.plan, 525)})
    joined = whole.model_copy(update={"parts": (first, other)})
    (scenario,) = extract(joined).rates
    rate = extract(joined).environment_of(scenario, "open@500")["rate_of_open_load"]
    assert rate == "500 or 525 requests/s"
    assert "rate_of_open_load" not in extract(joined).environment_of(scenario, "closed")


def test_other_phases_start_a_segment_of_every_series_and_other_rates_do_not() -> None:
    base = record()

    def with_phase(kind: str, **fields: float) -> Record:
        (scenario,) = base.plan.scenarios
        phases = tuple(phase.model_copy(update=fields) if phase.kind == kind else phase for phase in scenario.phases)
        plan = base.plan.model_copy(update={"scenarios": (scenario.model_copy(update={"phases": phases}),)})
        return base.model_copy(update={"plan": plan})

    assert environment(with_phase("open", rate_per_s=777)) == environment(base)
    for changed in (
        with_phase("closed", duration_s=20),
        with_phase("warm-up", cycles=7),
        with_phase("warm-up", pause_s=3),
        with_phase("closed", connections=50),
    ):
        assert differing(environment(changed), environment(base)) == ("phases",)


def test_a_session_against_itself_is_in_no_series(data: Path, tmp_path: Path) -> None:
    monday = night_of(24, slowed_since(14))  # type: ignore[arg-type]
    plan = monday.plan.model_copy(update={"suite": "aa", "subjects": SUBJECTS[:1]})
    monday = monday.model_copy(update={"plan": plan})
    keep(data, monday)
    assert {len(series.points) for series in series_of(sessions(data, tmp_path / "cache"))} == {24}
    assert extract(monday).left_out["throughput_per_s"] == "sessions of one subject against itself are in no series"


def test_jdk_is_a_label_and_no_part_of_the_environment() -> None:
    older = record()
    newer = older.model_copy(update={"provenance": older.provenance.model_copy(update={"jdk": "26+35"})})
    assert environment(older) == environment(newer)
    assert extract(newer).labels[SUBJECTS[0]]["jdk"] == "26+35"


def test_a_default_under_its_older_name_is_no_change() -> None:
    base = record()
    older = base.plan.model_copy(update={"defaults": {**base.plan.defaults, "profile": "out-of-the-box"}})
    newer = base.plan.model_copy(update={"defaults": {**base.plan.defaults, "profile": "parity"}})
    older_extract, newer_extract = (extract(base.model_copy(update={"plan": plan})) for plan in (older, newer))
    assert older_extract.labels == newer_extract.labels
    assert newer_extract.labels[SUBJECTS[0]]["default profile"] == "parity"


def test_invalid_and_discarded_trials_do_not_count() -> None:
    base = record()
    number = next(trial.number for trial in base.trials if trial.subject == SUBJECTS[0] and trial.role == "measured")
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid"}) if trial.number == number else trial for trial in base.trials
    )
    extracted = extract(base.model_copy(update={"trials": trials}))
    counted = [
        trial.figures["closed"]["throughput_per_s"]
        for trial in base.trials
        if trial.subject == SUBJECTS[0] and trial.number != number and trial.role != "discarded"
    ]
    assert len(counted) == 1
    value = extracted.values[SUBJECTS[0]]["fruits@1"]["closed"]["throughput_per_s"]
    assert value == pytest.approx(counted[0])


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
