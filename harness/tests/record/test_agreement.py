"""The ratios of a session, and how they agree with the ratios of another session."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.archive.record.agreement import agreements, ratios_of
from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import write_record
from plumbline.model.comparison import Agreement, Reproduces
from plumbline.model.record import Record
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.comparisons import FAST, SLOW, comparison_plan, record_of
from tests.record.sessions import evidence_of, record

pytestmark = pytest.mark.slow


def again(original: Record, repeat: Record, factor: float = 0.0) -> Record:
    """`repeat` as a session that repeats `original`, where the ratios of `original` are off by a log `factor`."""
    ratios = tuple(
        ratio.model_copy(update={"log_ratio": ratio.log_ratio + factor})
        for ratio in ratios_of(original.plan, original.trials, original.steadiness)
    )
    plan = repeat.plan.model_copy(
        update={
            "reproduces": Reproduces(
                session=original.plan.session,
                record_sha256="1" * 64,
                commit="2" * 40,
                host="there",
                ratios=ratios,
            )
        }
    )
    repeated = repeat.host_session.model_copy(update={"plan": plan})
    return assemble(repeated, evidence_of("lab", 5), workload_version=1)


def agreements_of(repetition: Record, metric: str) -> dict[tuple[str, str], Agreement]:
    return {(row.subject, row.against): row for row in repetition.agreements if row.metric == metric}


def test_a_suite_has_ratios_to_the_control_and_between_subjects() -> None:
    session = record("lab", 5)
    sides = {(ratio.subject, ratio.against) for ratio in ratios_of(session.plan, session.trials, session.steadiness)}
    assert sides == {(subject, CONTROL) for subject in SUBJECTS} | {(subject, SUBJECTS[0]) for subject in SUBJECTS[1:]}


def test_a_comparison_has_the_ratio_of_its_sides() -> None:
    session, _ = record_of(comparison_plan(FAST, SLOW))
    sides = {(ratio.subject, ratio.against) for ratio in ratios_of(session.plan, session.trials, session.steadiness)}
    assert sides == {(f"head {SLOW}", f"base {FAST}")}


def test_the_same_again_agrees() -> None:
    repetition = again(record("lab", 5), record("lab", 5))
    assert {row.word for row in agreements_of(repetition, "throughput_per_s").values()} == {"agrees"}
    assert all(row.difference == pytest.approx(1) for row in repetition.agreements)


def test_another_ratio_disagrees() -> None:
    repetition = again(record("lab", 5), record("lab", 5), factor=0.5)
    rows = agreements_of(repetition, "throughput_per_s").values()
    assert {row.word for row in rows} == {"disagrees"}
    assert all(row.high is not None and row.high < 1 for row in rows)


def test_the_ratios_of_a_session_share_the_level() -> None:
    session = record("lab", 5)
    repetition = again(session, session)
    reproduces = repetition.plan.reproduces
    assert reproduces is not None
    of_one = reproduces.model_copy(update={"ratios": reproduces.ratios[:1]})
    plan = repetition.plan.model_copy(update={"reproduces": of_one})
    (alone,) = agreements(plan, session.trials, session.steadiness)
    among_others = repetition.agreements[0]
    assert alone.detectable is not None and among_others.detectable is not None
    assert alone.detectable < among_others.detectable


def test_too_little_there_is_nothing_told() -> None:
    thin = record("lab", 5)
    plan = thin.plan
    noisy = tuple(
        ratio.model_copy(update={"error": 0.2, "degrees": 2.0})
        for ratio in ratios_of(plan, thin.trials, thin.steadiness)
    )
    original = Reproduces(session="s", record_sha256="1" * 64, commit=None, host="h", ratios=noisy)
    repeated = thin.host_session.model_copy(update={"plan": plan.model_copy(update={"reproduces": original})})
    repetition = assemble(repeated, evidence_of("lab", 5), workload_version=1)
    assert {row.word for row in repetition.agreements} == {"can't tell"}


def drifting(session: Record, **fields: float | None) -> Record:
    """The session as if its phases had left the drift of their figures open by `estimate` and `error`."""
    rows = tuple(row if row.estimate is None else row.model_copy(update=fields) for row in session.steadiness)
    return session.model_copy(update={"steadiness": rows})


def test_a_drift_there_or_here_takes_a_word_back() -> None:
    session = record("lab", 5)
    start = "first_response_ms"
    for factor, word in ((0.0, "agrees"), (0.5, "disagrees")):
        settled, open_there = (
            again(drifting(session, estimate=0.0, error=error), session, factor) for error in (0.0, 1.0)
        )
        plan = settled.plan
        open_here = agreements(plan, settled.trials, drifting(settled, estimate=0.0, error=1.0).steadiness)
        for repetition in (open_there, settled.model_copy(update={"agreements": open_here})):
            rows = agreements_of(repetition, "throughput_per_s").values()
            assert {(row.word, row.undone_by_drift) for row in rows} == {("can't tell", True)}
            # Start needs no steady state.
            assert agreements_of(repetition, start) == agreements_of(settled, start) != {}
        assert {row.word for row in agreements_of(settled, "throughput_per_s").values()} == {word}


def test_a_figure_of_which_nobody_knows_the_drift_is_held_to_nothing() -> None:
    session = drifting(record("lab", 5), estimate=None, error=None)
    metrics = {ratio.metric for ratio in ratios_of(session.plan, session.trials, session.steadiness)}
    assert "first_response_ms" in metrics and "throughput_per_s" not in metrics


def test_verify_repeats_it_and_finds_a_changed_word(tmp_path: Path) -> None:
    repetition = again(record("lab", 5), record("lab", 5))
    write_record(tmp_path / "good", repetition, evidence_of("lab", 5))
    assert verify(tmp_path / "good").difference is None
    wrong = repetition.agreements[0].model_copy(update={"word": "disagrees"})
    changed = repetition.model_copy(update={"agreements": (wrong, *repetition.agreements[1:])})
    write_record(tmp_path / "bad", changed, evidence_of("lab", 5))
    difference = verify(tmp_path / "bad").difference
    assert difference is not None and "agreements" in difference.problem
