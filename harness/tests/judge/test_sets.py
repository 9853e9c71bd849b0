"""R19 and R28: threads inside their sets, and sets that share no core and no node."""

from __future__ import annotations

from dataclasses import replace

from plumbline.model.evidence import Evidence
from tests.judge.damage import (
    NUMBER,
    damaged,
    findings,
)
from tests.judge.evidence import session


def test_a_thread_of_the_application_outside_its_set() -> None:
    whole = session()

    def change(evidence: Evidence) -> Evidence:
        rows = (evidence.affinity[0].model_copy(update={"outside": 2}), *evidence.affinity[1:])
        return evidence.model_copy(update={"affinity": rows})

    found = findings(damaged(whole, NUMBER, change), NUMBER, "R19")[None]
    assert found.outcome == "invalid"
    assert "2 threads of app (application) may run outside its set" in found.reading


def test_smt_siblings_and_nodes_count() -> None:
    whole = session()
    cpus = whole.host.topology.cpus
    siblings = tuple(cpu.model_copy(update={"core": cpu.number // 2 * 2 % 6}) for cpu in cpus)
    topology = whole.host.topology.model_copy(update={"cpus": siblings})
    host = whole.host.model_copy(update={"topology": topology})
    found = findings(replace(whole, host=host), NUMBER, "R19")[None]
    assert (found.outcome, found.reading) == (
        "invalid",
        "Application and load generator share cores by their SMT siblings.",
    )
    nodes = tuple(cpu.model_copy(update={"node": cpu.number % 2}) for cpu in cpus)
    topology = whole.host.topology.model_copy(update={"cpus": nodes})
    host = whole.host.model_copy(update={"topology": topology})
    found = findings(replace(whole, host=host), NUMBER, "R19")[None]
    assert (found.outcome, found.value) == ("invalid", 2)


def test_a_database_on_a_machine_that_is_not_recorded() -> None:
    whole = session()
    remote = replace(whole, plan=whole.plan.model_copy(update={"network": "remote database"}))
    assert findings(remote, NUMBER, "R28")[None].outcome == "unknown"


def test_topology_that_is_not_recorded() -> None:
    whole = session()
    topology = whole.host.topology.model_copy(update={"cpus": ()})
    without = replace(whole, host=whole.host.model_copy(update={"topology": topology}))
    assert findings(without, NUMBER, "R28")[None].outcome == "unknown"
    assert findings(without, NUMBER, "R19")[None].outcome == "unknown"


def test_a_set_that_its_process_may_leave_though_no_thread_does() -> None:
    whole = session()

    def change(evidence: Evidence) -> Evidence:
        allowed = (*evidence.affinity[0].allowed, whole.plan.sets.load[0])
        rows = (evidence.affinity[0].model_copy(update={"allowed": allowed}), *evidence.affinity[1:])
        return evidence.model_copy(update={"affinity": rows})

    found = findings(damaged(whole, NUMBER, change), NUMBER, "R19")[None]
    assert (found.outcome, "and yet they may run on CPU 6" in found.reading) == ("invalid", True), found.reading
