"""Programs without a server: rules about a load generator or HTTP do not apply, all others judge as usual."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence, Probe
from plumbline.model.record import Finding
from plumbline.verdicts.judge.facts import SessionFacts
from plumbline.verdicts.judge.referee import judge
from plumbline.verdicts.judge.rules import REQUIRED
from tests.judge.damage import damaged, findings
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS

SUBJECT = SUBJECTS[2]
OF_A_SERVER = ("R4", "R16")


def batch(name: str, digest: int) -> Probe:
    return Probe(name=name, method="RUN", path="one 2000", status=None, body_bytes=64, body_sha256=f"{digest:064x}")


def as_program(evidence: Evidence) -> Evidence:
    """The evidence as if the application of the trial were its own load, under closed load alone."""
    closed = [load for load in evidence.load if not load.phase.startswith("open")]
    columns = {
        name: rows
        for name, rows in evidence.series.columns.items()
        if not name.startswith("load.") or name == "load.requests"
    }
    return evidence.model_copy(
        update={
            "processes": tuple(process for process in evidence.processes if process.role != "load"),
            "affinity": tuple(row for row in evidence.affinity if row.role != "load"),
            "probes": (batch("batch-one", 1), batch("batch-hundred", 2)),
            "series": evidence.series.model_copy(update={"columns": columns}),
            "load": tuple(
                load.model_copy(update={"executor": "program", "received_bytes": 0, "statuses": {}}) for load in closed
            ),
            "windows": tuple(window for window in evidence.windows if window.kind != "open"),
        }
    )


def programs() -> SessionFacts:
    """The session in which one subject is a program, and nobody has an open phase."""
    whole = session()
    scenario = whole.plan.scenarios[0]
    scenario = scenario.model_copy(update={"phases": tuple(phase for phase in scenario.phases if phase.kind != "open")})
    for number, facts in whole.trials.items():
        change = as_program if facts.planned.subject == SUBJECT else (lambda evidence: evidence)
        whole = damaged(whole, number, change, scenario)
    return whole


def rule_findings(whole: SessionFacts, number: int, rule: str) -> list[Finding]:
    return list(findings(whole, number, rule).values())


@pytest.fixture(scope="module")
def number() -> int:
    """The first measured trial of the program."""
    trials = session().plan.trials
    return next(trial.number for trial in trials if trial.subject == SUBJECT and trial.role == "measured")


def test_a_program_is_valid_without_a_load_generator(number: int) -> None:
    judged = judge(programs())[number]
    assert [finding for finding in judged if finding.rule in REQUIRED and finding.outcome not in ("pass", "n/a")] == []
    assert {finding.rule for finding in judged if finding.outcome == "n/a"} >= {"R4"}
    assert [finding.outcome for finding in judged if finding.rule == "R16"] == ["pass", "n/a"]


def test_an_application_with_a_server_is_not_excused(number: int) -> None:
    whole = programs()
    other = next(n for n, facts in whole.trials.items() if facts.planned.subject == SUBJECTS[0])
    assert not whole.trials[other].loads_itself and whole.trials[number].loads_itself
    assert whole.trials[other].roles == ("app", "db", "load")
    assert whole.trials[number].roles == ("app", "db")
    without = damaged(whole, other, lambda evidence: evidence.model_copy(update={"affinity": ()}))
    assert [finding.outcome for finding in rule_findings(without, other, "R19") if finding.phase is None] == ["unknown"]
    assert {finding.outcome for finding in rule_findings(whole, other, "R4")} == {"pass"}


def test_batches_that_read_something_else_are_broken(number: int) -> None:
    def changed(evidence: Evidence) -> Evidence:
        wrong = evidence.probes[0].model_copy(update={"problem": "another body from byte 3"})
        return evidence.model_copy(update={"probes": (wrong, *evidence.probes[1:])})

    (finding, _) = rule_findings(damaged(programs(), number, changed), number, "R16")
    assert finding.outcome == "invalid" and "RUN one 2000 was answered wrongly" in finding.reading


def test_batches_are_held_against_those_of_other_trials(number: int) -> None:
    def changed(evidence: Evidence) -> Evidence:
        return evidence.model_copy(update={"probes": (batch("batch-one", 3), evidence.probes[1])})

    (finding, _) = rule_findings(damaged(programs(), number, changed), number, "R16")
    assert finding.outcome == "invalid" and "body sha256" in finding.reading


def test_a_failed_check_of_a_batch_is_an_error(number: int) -> None:
    def changed(evidence: Evidence) -> Evidence:
        load = evidence.load[-1].model_copy(update={"checks_failed": 1})
        return evidence.model_copy(update={"load": (*evidence.load[:-1], load)})

    outcomes = {
        finding.phase: finding.outcome for finding in rule_findings(damaged(programs(), number, changed), number, "R7")
    }
    assert outcomes["closed"] == "invalid"


def test_only_programs_have_probes_without_a_status(number: int) -> None:
    whole = programs()
    trial = whole.trials[number]
    served = replace(
        trial,
        evidence=trial.evidence.model_copy(
            update={"load": tuple(load.model_copy(update={"executor": "constant-vus"}) for load in trial.evidence.load)}
        ),
    )
    changed = damaged(whole, number, lambda evidence: served.evidence)
    assert rule_findings(changed, number, "R16")[0].outcome == "unknown"
