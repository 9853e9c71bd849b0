"""A clean twin that is refused fails the test of its fault."""

from __future__ import annotations

import pytest

from plumbline.model.record import Finding, Outcome
from tests.record.sessions import record
from .bench import FAULTY, Fault, Found, phases
from .conftest import said_of_twin


def twin(rule: str, outcome: Outcome) -> Found:
    # Every trial of a plan of two has this finding.
    design = Finding(rule="R31", outcome="invalid", reading="The first trial was not thrown away.")
    finding = Finding(rule=rule, outcome=outcome, reading="so it is")
    return Found(record().trials[0].model_copy(update={"findings": (design, finding)}), Fault())


def test_what_is_said_of_a_clean_twin() -> None:
    words = " Clean twin (fruits, warm-up 3 s, closed 4 s): "
    assert said_of_twin(twin("R14", "pass"), "R14") == f"{words}pass."
    assert said_of_twin(twin("R18", "warn"), "R18") == f"{words}warn."
    assert said_of_twin(twin("R19", "warn"), "R19") == f"{words}warn."


@pytest.mark.parametrize(("rule", "outcome"), [("R14", "invalid"), ("R18", "invalid")])
def test_a_twin_that_is_not_clean_is_a_failure(rule: str, outcome: Outcome) -> None:
    with pytest.raises(AssertionError, match="so it is"):
        said_of_twin(twin(rule, outcome), rule)


def test_what_a_testbed_trips_is_not_asked_of_a_twin() -> None:
    assert said_of_twin(twin("R19", "invalid"), "R3", frozenset({"R19"})).endswith(": .")


def test_the_twin_of_a_fault_has_nothing_of_it() -> None:
    load = phases(closed_s=7)
    fault = Fault(flags=("-Xint",), altered=("CHECKPOINT",), load=load, scenario="zipcode-fresh", grows=())
    assert fault.without() == Fault(scenario="zipcode-fresh", load=load)
    cold = Fault(load=phases(warm_up_s=0, closed_s=7))
    assert cold.without() == Fault(load=load)
    another = Fault(program=FAULTY)
    assert Fault(load=load, twin=another).without() is another
