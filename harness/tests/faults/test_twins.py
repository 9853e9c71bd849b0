"""A clean twin that is refused, or named by a rule that no machine can trip, fails the test of its fault."""

from __future__ import annotations

import pytest

from plumbline.model.record import Finding, Outcome, Trial, Verdict
from tests.record.sessions import record
from .bench import FAULTY, Fault, Found, phases
from .conftest import said_of_twin


def twin(rule: str, outcome: Outcome, verdict: Verdict = "advisory") -> Found:
    measured: Trial = record().trials[0]
    finding = Finding(rule=rule, outcome=outcome, reading="so it is")
    return Found(measured.model_copy(update={"findings": (finding,), "verdict": verdict}), Fault())


def test_what_is_said_of_a_clean_twin() -> None:
    words = " Clean twin (fruits, warm-up 3 s, closed 4 s): "
    assert said_of_twin(twin("R14", "pass"), "R14") == f"{words}pass."
    assert said_of_twin(twin("R18", "warn"), "R18") == f"{words}warn."


@pytest.mark.parametrize(
    ("rule", "outcome", "verdict"), [("R14", "warn", "advisory"), ("R18", "invalid", "invalid")]
)
def test_a_twin_that_is_not_clean_is_a_failure(rule: str, outcome: Outcome, verdict: Verdict) -> None:
    with pytest.raises(AssertionError, match="so it is"):
        said_of_twin(twin(rule, outcome, verdict), rule)


def test_the_twin_of_a_fault_has_nothing_of_it() -> None:
    load = phases(closed_s=7)
    fault = Fault(run=("-Xint",), altered=("CHECKPOINT",), load=load, scenario="zipcode-fresh", grows=())
    assert fault.without() == Fault(scenario="zipcode-fresh", load=load)
    another = Fault(program=FAULTY)
    assert Fault(load=load, twin=another).without() is another
