"""Rules that do not apply, and what is unknown: neither is a pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence
from tests.judge.damage import (
    as_native,
    both,
    damaged,
    findings,
    measured,
    with_column,
    with_fields,
    with_load,
)
from tests.judge.evidence import session
from tests.judge.phase_faults import (
    END_S,
    OPEN_S,
    START_S,
    grown,
    idle_app,
    stopped_around,
)
from tests.judge.planned import SUBJECTS, scenario


@pytest.mark.parametrize("rule", ["R8", "R9", "R10", "R11", "R13", "R17"])
def test_rules_of_the_database_do_not_apply_without_one(rule: str) -> None:
    whole = session()
    number = measured(whole)[1]
    without = damaged(whole, number, lambda evidence: evidence, scenario(uses_database=False))
    assert {finding.outcome for finding in findings(without, number, rule).values()} == {"n/a"}


def test_a_share_of_the_cpus_that_a_setting_declares_is_no_fault_and_is_named() -> None:
    whole = session()
    number = measured(whole)[1]
    change = both(idle_app(0.49), grown("app.throttled_us", 30_000_000))
    undeclared = damaged(whole, number, change)
    assert findings(undeclared, number, "R20")["closed"].outcome == "invalid"
    assert findings(undeclared, number, "R1")["closed"].outcome == "invalid"
    planned = whole.trials[number].planned
    subject = f"{planned.subject}+cpu-share=50"
    declared = replace(
        undeclared,
        trials={
            **undeclared.trials,
            number: replace(undeclared.trials[number], planned=planned.model_copy(update={"subject": subject})),
        },
    )
    quota = findings(declared, number, "R20")["closed"]
    assert quota.outcome == "pass" and "50 % of its CPU time, as the setting cpu-share declares" in quota.reading
    blind = damaged(declared, number, with_column("db.throttled_us", None))
    around = findings(damaged(declared, number, stopped_around(40_000)), number, "R20")["closed"]
    assert around.outcome == "invalid" and "slice or container around our processes was stopped" in around.reading
    partly_known = findings(blind, number, "R20")["closed"]
    assert partly_known.outcome == "unknown"
    assert "as the setting cpu-share declares" in partly_known.reading
    assert "Whether a CPU quota stopped the database is not known" in partly_known.reading
    saturation = findings(declared, number, "R1")["closed"]
    assert saturation.outcome == "pass" and "of the 50 % of its CPUs" in saturation.reading


@pytest.mark.parametrize(
    ("operation", "outcome"),
    [
        ("GET /fruits", "invalid"),
        ("POST /orders (mix)", "n/a"),
        ("GET /benchmark?query=one&count=50", "n/a"),
    ],
)
def test_bytes_an_answer_are_compared_where_answers_are_alike(operation: str, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    changed_scenario = scenario().model_copy(update={"operation": operation})
    received = whole.trials[number].evidence.load[1].received_bytes
    longer = damaged(whole, number, with_load("closed", received_bytes=round(received * 1.003)), changed_scenario)
    assert findings(longer, number, "R16")["closed"].outcome == outcome


@pytest.mark.parametrize("rule", ["R1", "R5"])
def test_saturation_is_asked_only_of_phases_that_saturate(rule: str) -> None:
    whole = session()
    number = measured(whole)[1]
    phases = tuple(phase.model_copy(update={"saturates": False}) for phase in scenario().phases)
    calm = damaged(whole, number, idle_app(0.3), scenario().model_copy(update={"phases": phases}))
    found = findings(calm, number, rule)
    assert {finding.outcome for finding in found.values()} == {"n/a"}


def test_writes_within_those_in_flight_tally() -> None:
    whole = session()
    number = measured(whole)[1]
    work = tuple(
        phase_work.model_copy(update={"rows_inserted": {"fruits": 960}})
        for phase_work in whole.trials[number].evidence.database
    )
    change = both(with_load("closed", writes=900), with_fields(database=work))
    found = findings(damaged(whole, number, change), number, "R8")
    assert found["closed"].outcome == "pass"
    assert found["open@500"].outcome == "invalid"  # 960 rows that nobody asked for


def test_a_trial_that_did_not_get_far_is_unknown_there() -> None:
    whole = session()
    number = measured(whole)[1]
    evidence = whole.trials[number].evidence
    change = with_fields(windows=evidence.windows[:1], load=evidence.load[:1], database=())
    after = damaged(whole, number, change)
    for rule in ("R1", "R4", "R8", "R9", "R18", "R24"):
        assert findings(after, number, rule)["closed"].outcome == "unknown", rule


def test_a_virtual_machine_is_no_lab() -> None:
    whole = session()
    host = whole.host.model_copy(update={"hypervisor": True})
    found = findings(replace(whole, host=host), 1, "R21")[None]
    assert found.outcome == "invalid"


def test_a_load_generator_that_starts_with_its_phase_is_known() -> None:
    whole = session()
    number = measured(whole)[1]

    def change(evidence: Evidence) -> Evidence:
        columns = dict(evidence.series.columns)
        rows = zip(evidence.series.t_s, columns["load.major_faults"], strict=True)
        alive = ((START_S, END_S + 1), (OPEN_S, OPEN_S + 16))
        columns["load.major_faults"] = tuple(
            value if any(start <= t_s <= end for start, end in alive) else None for t_s, value in rows
        )
        return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})

    found = findings(damaged(whole, number, change), number, "R24")
    assert {finding.outcome for finding in found.values()} == {"pass"}


def test_a_native_image_has_neither_compiler_nor_counters_of_a_heap() -> None:
    whole = session()
    number = measured(whole)[0]

    def native(evidence: Evidence) -> Evidence:
        columns = {name: rows for name, rows in evidence.series.columns.items() if not name.startswith("jvm.")}
        return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})

    without = damaged(whole, number, native)
    assert findings(without, number, "R29")["closed"].outcome == "unknown"
    assert findings(as_native(without, SUBJECTS[0]), number, "R29")["closed"].outcome == "pass"


@pytest.mark.parametrize(("rows", "outcome"), [(900, "pass"), (960, "pass"), (899, "invalid"), (0, "invalid")])
def test_no_row_of_a_successful_write_may_be_missing(rows: int, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    work = tuple(
        phase_work.model_copy(update={"rows_inserted": {"fruits": rows} if rows else {}})
        for phase_work in whole.trials[number].evidence.database
    )
    change = both(with_load("closed", writes=900), with_fields(database=work))
    found = findings(damaged(whole, number, change), number, "R8")["closed"]
    assert found.outcome == outcome, found.reading
