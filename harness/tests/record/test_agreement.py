"""Ratios of a session, and a session held to those of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.archive.record.agreement import agreements, ratios_of
from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import write_record
from plumbline.model.comparison import Agreement, Reproduces
from plumbline.model.record import Record, Usage
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.comparisons import FAST, SLOW, comparison_plan, record_of
from tests.record.sessions import evidence_of, record

pytestmark = pytest.mark.slow


def again(there: Record, here: Record, factor: float = 0.0) -> Record:
    """`here` as a session that repeats `there`, whose ratios are off by a log `factor`."""
    ratios = tuple(
        one.model_copy(update={"log_ratio": one.log_ratio + factor})
        for one in ratios_of(there.plan, there.trials, there.steadiness)
    )
    plan = here.plan.model_copy(
        update={
            "reproduces": Reproduces(
                session=there.plan.session,
                record_sha256="1" * 64,
                commit="2" * 40,
                host="there",
                ratios=ratios,
            )
        }
    )
    return assemble(
        plan,
        here.host,
        here.provenance,
        evidence_of("lab", 5),
        Usage(session_cpu_s=1.0, sampler_cpu_s=0.0, harness_cpu_s=0.0),
        workload_version=1,
        builds=here.builds,
    )


def of(found: Record, metric: str) -> dict[tuple[str, str], Agreement]:
    return {(one.subject, one.against): one for one in found.agreements if one.metric == metric}


def test_a_suite_has_ratios_to_the_control_and_between_subjects() -> None:
    its = record("lab", 5)
    found = {(one.subject, one.against) for one in ratios_of(its.plan, its.trials, its.steadiness)}
    assert found == {(one, CONTROL) for one in SUBJECTS} | {(one, SUBJECTS[0]) for one in SUBJECTS[1:]}


def test_a_comparison_has_the_ratio_of_its_sides() -> None:
    its, _ = record_of(comparison_plan(FAST, SLOW))
    found = {(one.subject, one.against) for one in ratios_of(its.plan, its.trials, its.steadiness)}
    assert found == {(f"head {SLOW}", f"base {FAST}")}


def test_the_same_again_agrees() -> None:
    found = again(record("lab", 5), record("lab", 5))
    assert {one.word for one in of(found, "throughput_per_s").values()} == {"agrees"}
    assert all(one.difference == pytest.approx(1) for one in found.agreements)


def test_another_ratio_disagrees() -> None:
    found = again(record("lab", 5), record("lab", 5), factor=0.5)
    rows = of(found, "throughput_per_s").values()
    assert {one.word for one in rows} == {"disagrees"}
    assert all(one.high is not None and one.high < 1 for one in rows)


def test_too_little_there_is_nothing_told() -> None:
    thin = record("lab", 5)
    plan = thin.plan
    noisy = tuple(
        one.model_copy(update={"error": 0.2, "degrees": 2.0}) for one in ratios_of(plan, thin.trials, thin.steadiness)
    )
    held = Reproduces(session="s", record_sha256="1" * 64, commit=None, host="h", ratios=noisy)
    found = assemble(
        plan.model_copy(update={"reproduces": held}),
        thin.host,
        thin.provenance,
        evidence_of("lab", 5),
        thin.usage,
        workload_version=1,
    )
    assert {one.word for one in found.agreements} == {"can't tell"}


def drifting(its: Record, **fields: float | None) -> Record:
    """The session, had its phases left the drift of their figures so far open."""
    rows = tuple(row if row.estimate is None else row.model_copy(update=fields) for row in its.steadiness)
    return its.model_copy(update={"steadiness": rows})


def test_a_drift_there_or_here_takes_a_word_back() -> None:
    its = record("lab", 5)
    start = "first_response_ms"
    for factor, word in ((0.0, "agrees"), (0.5, "disagrees")):
        settled, open_there = (again(drifting(its, estimate=0.0, error=error), its, factor) for error in (0.0, 1.0))
        plan = settled.plan
        open_here = agreements(plan, settled.trials, drifting(settled, estimate=0.0, error=1.0).steadiness)
        for found in (open_there, settled.model_copy(update={"agreements": open_here})):
            rows = of(found, "throughput_per_s").values()
            assert {(one.word, one.undone_by_drift) for one in rows} == {("can't tell", True)}
            # Start needs no steady state.
            assert of(found, start) == of(settled, start) != {}
        assert {one.word for one in of(settled, "throughput_per_s").values()} == {word}


def test_a_figure_of_which_nobody_knows_the_drift_is_held_to_nothing() -> None:
    its = drifting(record("lab", 5), estimate=None, error=None)
    metrics = {one.metric for one in ratios_of(its.plan, its.trials, its.steadiness)}
    assert "first_response_ms" in metrics and "throughput_per_s" not in metrics


def test_verify_repeats_it_and_finds_a_changed_word(tmp_path: Path) -> None:
    found = again(record("lab", 5), record("lab", 5))
    write_record(tmp_path / "good", found, evidence_of("lab", 5))
    assert verify(tmp_path / "good").difference is None
    other = found.agreements[0].model_copy(update={"word": "disagrees"})
    lied = found.model_copy(update={"agreements": (other, *found.agreements[1:])})
    write_record(tmp_path / "bad", lied, evidence_of("lab", 5))
    difference = verify(tmp_path / "bad").difference
    assert difference is not None and "agreements" in difference.problem
