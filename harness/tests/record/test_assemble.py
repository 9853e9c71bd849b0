"""From evidence to a record."""

from __future__ import annotations

from plumbline.figures.compute import figures
from plumbline.model.record import Record
from plumbline.record.assemble import assembled_again
from plumbline.record.canonical import canonical_bytes
from plumbline.record.read import parse_record
from plumbline.record.trim import trimmed
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.sessions import evidence_of, record


def test_assembling_again_gives_the_same_bytes() -> None:
    found = record()
    read = parse_record(canonical_bytes(found))
    assert read == found
    stored = {number: trimmed(evidence) for number, evidence in evidence_of().items()}
    assert canonical_bytes(assembled_again(read, stored)) == canonical_bytes(found)


def test_every_trial_is_there_with_its_figures_findings_and_verdict() -> None:
    found = record()
    assert [trial.number for trial in found.trials] == [trial.number for trial in found.plan.trials]
    for trial in found.trials:
        evidence = trimmed(evidence_of()[trial.number])
        assert trial.figures == figures(evidence, found.plan.scenario(trial.scenario), found.plan.sets)
        assert trial.findings
        assert trial.verdict == "advisory"  # two blocks: fewer trials than R31 wants


def test_a_trial_without_evidence_is_left_out() -> None:
    evidence = evidence_of()
    del evidence[3]
    found = assembled_again(record(), evidence)
    assert 3 not in {trial.number for trial in found.trials}
    said = [finding for finding in found.trials[0].findings if finding.rule == "R31"]
    assert "left no evidence" in said[0].reading


def standing(found: Record, subject: str, metric: str = "throughput_per_s") -> tuple[int | None, int, int]:
    row = next(row for row in found.standings if (row.subject, row.metric) == (subject, metric))
    return row.rank, row.trials, row.invalid_trials


def test_standings_rank_subjects_and_leave_the_control_beside() -> None:
    found = record(blocks=5)
    rows = [row for row in found.standings if row.metric == "throughput_per_s"]
    assert [row.subject for row in rows] == [SUBJECTS[2], SUBJECTS[0], SUBJECTS[1], CONTROL]
    assert [row.rank for row in rows] == [1, 2, 3, None]
    for row in rows:
        assert row.low is not None and row.mean is not None and row.high is not None
        assert row.low < row.mean < row.high
    start = [row for row in found.standings if row.metric == "first_response_ms" and row.subject != CONTROL]
    assert {row.rank for row in start} == {1}


def test_a_subject_that_was_slowed_on_purpose_stands_nowhere_and_its_trials_stay() -> None:
    slowed = "vertx-pg/jvm/pg+spin=40"
    text = canonical_bytes(record(blocks=5)).decode().replace(SUBJECTS[2], slowed)
    evidence = {
        number: one.model_copy(update={"subject": one.subject.replace(SUBJECTS[2], slowed)})
        for number, one in evidence_of(blocks=5).items()
    }
    found = assembled_again(parse_record(text.encode()), evidence)
    assert sum(trial.subject == slowed for trial in found.trials) == 5
    assert {row.subject for row in found.standings} == {*SUBJECTS[:2], CONTROL}
    assert standing(found, SUBJECTS[0]) == (1, 5, 0)


def test_invalid_trials_are_left_out_and_counted() -> None:
    evidence = evidence_of(blocks=5)
    broken = next(trial for trial in record(blocks=5).trials if trial.subject == SUBJECTS[0])
    loads = tuple(load.model_copy(update={"failed": 3}) for load in evidence[broken.number].load)
    evidence[broken.number] = evidence[broken.number].model_copy(update={"load": loads})
    found = assembled_again(record(blocks=5), evidence)
    assert found.verdict == "invalid"
    assert standing(found, SUBJECTS[0]) == (2, 4, 1)
    assert standing(found, SUBJECTS[1]) == (3, 5, 0)


def test_a_subject_without_any_trial_is_still_shown() -> None:
    evidence = {number: one for number, one in evidence_of(blocks=5).items() if one.subject != SUBJECTS[1]}
    found = assembled_again(record(blocks=5), evidence)
    assert standing(found, SUBJECTS[1]) == (None, 0, 0)
