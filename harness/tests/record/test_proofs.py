"""Trials that prove a limit lie in the record like any other trial, and none of their figures counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.archive.history.extract import extract
from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import write_record
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import Record
from plumbline.subjects.plan.proofs import ALL_MEANS, proofs
from tests.judge.evidence import evidence, session
from tests.record.sessions import evidence_of, host_session
from tests.record.sessions import record as without_proofs

pytestmark = pytest.mark.slow


def proven_plan() -> Plan:
    whole = session("lab", 5)
    plan = whole.plan
    added, unproven = proofs(["R6"], plan.trials, plan.scenarios, plan.sets, whole.host.topology, ALL_MEANS)
    return plan.model_copy(update={"trials": (*plan.trials, *added), "unproven": unproven})


def proven() -> tuple[Record, dict[int, Evidence]]:
    whole, plan = session("lab", 5), proven_plan()
    evidence_by_number = {
        **evidence_of("lab", 5),
        **{trial.number: evidence(trial, plan.sets_of(trial)) for trial in plan.trials if trial.role == "proof"},
    }
    return assemble(host_session(whole, plan=plan), evidence_by_number, workload_version=1), evidence_by_number


def test_they_change_no_standing_and_no_series() -> None:
    record, _ = proven()
    plain = without_proofs("lab", 5)
    assert record.standings == plain.standings
    assert extract(record).values == extract(plain).values
    assert {trial.number for trial in record.trials} == {trial.number for trial in record.plan.trials}


def test_a_record_with_proofs_verifies(tmp_path: Path) -> None:
    record, evidence_by_number = proven()
    write_record(tmp_path / "session", record, evidence_by_number)
    assert verify(tmp_path / "session").difference is None
