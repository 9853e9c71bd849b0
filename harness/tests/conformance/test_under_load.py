"""Which of the referee's findings on a few seconds of load are held against a variant."""

from __future__ import annotations

import pytest

from plumbline.measuring.conformance.under_load import falls_short
from plumbline.model.record import Finding, Outcome
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
