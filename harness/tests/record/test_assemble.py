"""From evidence to a record."""

from __future__ import annotations

import pytest

from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.read import parse_record
from plumbline.archive.record.steadiness import drift_of, row_of
from plumbline.archive.record.trim import trimmed
from plumbline.model.record import Record
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.metrics import WARMING
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.sessions import evidence_of, record


def test_assembling_again_gives_the_same_bytes() -> None:
    found = record()
    parsed = parse_record(canonical_bytes(found))
    assert parsed == found
    stored = {number: trimmed(evidence) for number, evidence in evidence_of().items()}
    assert canonical_bytes(assembled_again(parsed, stored)) == canonical_bytes(found)


def test_every_trial_is_there_with_its_figures_findings_and_verdict() -> None:
    found = record()
    assert [trial.number for trial in found.trials] == [trial.number for trial in found.plan.trials]
    for trial in found.trials:
        evidence = trimmed(evidence_of()[trial.number])
        proven = {name.removeprefix("warming_") for phase_figures in trial.figures.values() for name in phase_figures}
        alone = figures(evidence, found.plan.scenario(trial.scenario), found.plan.sets)
        assert proven >= {name.removeprefix("warming_") for phase_figures in alone.values() for name in phase_figures}
        assert trial.figures["closed"]["throughput_per_s"] == alone["closed"]["warming_throughput_per_s"]
        assert trial.findings
        assert trial.verdict == "advisory"  # two blocks: fewer trials than R31 wants


def test_what_each_subject_proved_stands_beside_its_figures() -> None:
    found = record()
    rows = {(row.subject, row.phase, row.metric): row for row in found.steadiness}
    row = rows[SUBJECTS[0], "closed", "app_cpu_us_per_request"]
    assert row.proven
    assert row.bound is not None
    assert row.bound <= 0.02
    assert row.words.startswith("steady within ")
    drift = drift_of(row)
    assert drift is not None
    assert drift.bound == pytest.approx(row.bound)
    p99 = row_of(found.steadiness, SUBJECTS[0], row.scenario, "open@500", "latency_p99_ms")
    assert p99 == rows[SUBJECTS[0], "open@500", "latency_mean_ms"]
    assert row_of(found.steadiness, SUBJECTS[0], row.scenario, "start", "first_response_ms") is None


def test_a_short_phase_has_no_figure_that_could_stand_beside_steady_ones() -> None:
    evidence = {}
    for number, trial_evidence in evidence_of().items():
        windows = tuple(
            window.model_copy(update={"end_s": window.start_s + 9}) if window.phase == "closed" else window
            for window in trial_evidence.windows
        )
        evidence[number] = trial_evidence.model_copy(update={"windows": windows})
    found = assembled_again(record(), evidence)
    names = {metric for trial in found.trials for metric in trial.figures["closed"]}
    assert "warming_throughput_per_s" in names
    assert not names & set(WARMING)
    assert not [row for row in found.standings if row.phase == "closed"]
    words = {row.words for row in found.steadiness if row.phase == "closed"}
    assert words == {"too short to tell: 9 s measured, and it takes 15 s"}


def test_a_trial_without_evidence_is_left_out() -> None:
    evidence = evidence_of()
    del evidence[3]
    found = assembled_again(record(), evidence)
    assert 3 not in {trial.number for trial in found.trials}
    findings = [finding for finding in found.trials[0].findings if finding.rule == "R31"]
    assert "left no evidence" in findings[0].reading


def standing(found: Record, subject: str, metric: str = "throughput_per_s") -> tuple[int | None, int, int]:
    row = next(row for row in found.standings if (row.subject, row.metric) == (subject, metric))
    return row.rank, row.trials, row.invalid_trials


def test_standings_rank_subjects_and_leave_the_control_beside() -> None:
    found = record(blocks=5)
    rows = [row for row in found.standings if row.metric == "throughput_per_s"]
    # The two with an ORM are ranked against each other; a subject alone in its class has no rank.
    assert [row.subject for row in rows] == [*SUBJECTS, CONTROL]
    assert [row.rank for row in rows] == [1, 2, None, None]
    assert [row.data_access for row in rows] == ["orm", "orm", "sql", None]
    for row in rows:
        assert row.low is not None and row.mean is not None and row.high is not None
        assert row.low < row.mean < row.high
    start = [row for row in found.standings if row.metric == "first_response_ms" and row.data_access == "orm"]
    assert {row.rank for row in start} == {1}


def test_a_subject_that_was_slowed_on_purpose_stands_nowhere_and_its_trials_stay() -> None:
    slowed = "vertx-pg/jvm/pg+spin=40"
    text = canonical_bytes(record(blocks=5)).decode().replace(SUBJECTS[2], slowed)
    evidence = {
        number: trial_evidence.model_copy(update={"subject": trial_evidence.subject.replace(SUBJECTS[2], slowed)})
        for number, trial_evidence in evidence_of(blocks=5).items()
    }
    found = assembled_again(parse_record(text.encode()), evidence)
    assert sum(trial.subject == slowed for trial in found.trials) == 5
    assert {row.subject for row in found.standings} == {*SUBJECTS[:2], CONTROL}
    assert standing(found, SUBJECTS[0])[1:] == (5, 0)


def test_invalid_trials_are_left_out_and_counted() -> None:
    evidence = evidence_of(blocks=5)
    broken = next(trial for trial in record(blocks=5).trials if trial.subject == SUBJECTS[0])
    loads = tuple(load.model_copy(update={"failed": 3}) for load in evidence[broken.number].load)
    evidence[broken.number] = evidence[broken.number].model_copy(update={"load": loads})
    found = assembled_again(record(blocks=5), evidence)
    assert found.verdict == "invalid"
    assert standing(found, SUBJECTS[0])[1:] == (4, 1)
    assert standing(found, SUBJECTS[1])[1:] == (5, 0)


def test_a_subject_without_any_trial_is_still_shown() -> None:
    evidence = {
        number: trial_evidence
        for number, trial_evidence in evidence_of(blocks=5).items()
        if trial_evidence.subject != SUBJECTS[1]
    }
    found = assembled_again(record(blocks=5), evidence)
    assert standing(found, SUBJECTS[1]) == (None, 0, 0)
