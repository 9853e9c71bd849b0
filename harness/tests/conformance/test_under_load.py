"""Which of the referee's findings on a few seconds of load are held against a variant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.conformance import under_load as module
from plumbline.measuring.conformance.under_load import falls_short, under_load
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan, PlannedTrial
from plumbline.model.record import Finding, Outcome
from plumbline.subjects.plan.phases import scenario_of
from tests.checkout import CATALOG
from tests.judge.damage import with_load
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, SMALL, host
from .served import spec


def finding(rule: str, outcome: Outcome) -> Finding:
    return Finding(rule=rule, phase="closed", outcome=outcome, reading="", value=None, unit=None, threshold=None)


@pytest.mark.parametrize(
    ("rule", "outcome", "of_a_program", "of_a_server"),
    [
        ("R10", "pass", False, False),
        ("R10", "warn", False, False),
        ("R10", "unknown", False, True),
        ("R10", "invalid", True, True),
        ("R14", "unknown", True, True),
        ("R34", "invalid", True, True),
        ("R34", "unknown", True, True),
        ("R34", "warn", False, False),
    ],
)
def test_what_the_whole_host_does_and_a_program_that_nobody_saw_at_work_are_not_held_against_a_variant(
    rule: str, outcome: Outcome, of_a_program: bool, of_a_server: bool
) -> None:
    result = finding(rule, outcome)
    server = spec()
    program = server.model_copy(update={"serves_on": "cli"})
    assert (falls_short(result, program), falls_short(result, server)) == (of_a_program, of_a_server)


def test_the_control_is_judged_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run_alone(testbed: Any, context: Any, plan: Plan, trial: PlannedTrial, job: Any) -> Evidence:
        ran.append(trial.subject)
        return with_load("closed", failed=3)(evidence(trial, plan.sets))

    monkeypatch.setattr(module, "run_alone", run_alone)
    testbed: Any = SimpleNamespace(sets=SMALL, placement=SimpleNamespace(name="taskset"), session="check")
    context: Any = SimpleNamespace(catalog=CATALOG, host=host("small"))
    subject, variant = CATALOG.subject(CONTROL), CATALOG.variant("control")
    settings = CATALOG.settings_of(subject)
    scenario = scenario_of("fruits", CATALOG.scenario("fruits"), CATALOG.bench.suites["smoke"])
    job: Any = SimpleNamespace(subject=subject, variant=variant, settings=settings, scenario=scenario)
    sentences = under_load(testbed, context, job)
    assert ran == [CONTROL]
    assert any(sentence.startswith("R7: 3 requests of") for sentence in sentences), sentences
