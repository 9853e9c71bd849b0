"""Programs without a server: what needs a load generator or HTTP does not apply, all else is judged as ever."""

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


def as_program(found: Evidence) -> Evidence:
    """What the trial would have left if its application were its own load, under closed load alone."""
    closed = [load for load in found.load if not load.phase.startswith("open")]
    columns = {
        name: rows
        for name, rows in found.series.columns.items()
        if not name.startswith("load.") or name == "load.requests"
    }
    return found.model_copy(
        update={
            "processes": tuple(one for one in found.processes if one.role != "load"),
            "affinity": tuple(one for one in found.affinity if one.role != "load"),
            "probes": (batch("batch-one", 1), batch("batch-hundred", 2)),
            "series": found.series.model_copy(update={"columns": columns}),
            "load": tuple(
                load.model_copy(update={"executor": "program", "received_bytes": 0, "statuses": {}}) for load in closed
            ),
            "windows": tuple(one for one in found.windows if one.kind != "open"),
        }
    )


def programs() -> SessionFacts:
    """The session in which one subject is a program, and nobody has an open phase."""
    whole = session()
    its = whole.plan.scenarios[0]
    its = its.model_copy(update={"phases": tuple(phase for phase in its.phases if phase.kind != "open")})
    for number, facts in whole.trials.items():
        change = as_program if facts.planned.subject == SUBJECT else (lambda found: found)
        whole = damaged(whole, number, change, its)
    return whole


def of(whole: SessionFacts, number: int, rule: str) -> list[Finding]:
    return list(findings(whole, number, rule).values())


@pytest.fixture(scope="module")
def number() -> int:
    """The first measured trial of the program."""
    trials = session().plan.trials
    return next(one.number for one in trials if one.subject == SUBJECT and one.role == "measured")


def test_a_program_is_valid_without_a_load_generator(number: int) -> None:
    found = judge(programs())[number]
    assert [one for one in found if one.rule in REQUIRED and one.outcome not in ("pass", "n/a")] == []
    assert {one.rule for one in found if one.outcome == "n/a"} >= {"R4"}
    assert [one.outcome for one in found if one.rule == "R16"] == ["pass", "n/a"]


def test_an_application_with_a_server_is_not_excused(number: int) -> None:
    whole = programs()
    other = next(n for n, facts in whole.trials.items() if facts.planned.subject == SUBJECTS[0])
    assert not whole.trials[other].loads_itself and whole.trials[number].loads_itself
    assert whole.trials[other].roles == ("app", "db", "load")
    assert whole.trials[number].roles == ("app", "db")
    without = damaged(whole, other, lambda found: found.model_copy(update={"affinity": ()}))
    assert [one.outcome for one in of(without, other, "R19") if one.phase is None] == ["unknown"]
    assert {one.outcome for one in of(whole, other, "R4")} == {"pass"}


def test_batches_that_read_something_else_are_broken(number: int) -> None:
    def changed(found: Evidence) -> Evidence:
        wrong = found.probes[0].model_copy(update={"problem": "another body from byte 3"})
        return found.model_copy(update={"probes": (wrong, *found.probes[1:])})

    (said, _) = of(damaged(programs(), number, changed), number, "R16")
    assert said.outcome == "invalid" and "RUN one 2000 was answered wrongly" in said.reading


def test_batches_are_held_against_those_of_other_trials(number: int) -> None:
    def changed(found: Evidence) -> Evidence:
        return found.model_copy(update={"probes": (batch("batch-one", 3), found.probes[1])})

    (said, _) = of(damaged(programs(), number, changed), number, "R16")
    assert said.outcome == "invalid" and "body sha256" in said.reading


def test_a_failed_check_of_a_batch_is_an_error(number: int) -> None:
    def changed(found: Evidence) -> Evidence:
        load = found.load[-1].model_copy(update={"checks_failed": 1})
        return found.model_copy(update={"load": (*found.load[:-1], load)})

    outcomes = {one.phase: one.outcome for one in of(damaged(programs(), number, changed), number, "R7")}
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
    again = damaged(whole, number, lambda found: served.evidence)
    assert of(again, number, "R16")[0].outcome == "unknown"
