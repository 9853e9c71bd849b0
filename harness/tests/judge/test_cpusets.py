"""R19 and R20 in a cluster: which CPUs the containers of the roles had on each node, and when a quota stopped them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import Cpuset
from plumbline.model.host import Cpu, HostClass
from plumbline.model.record import Finding
from plumbline.verdicts.judge.facts import SessionFacts
from tests.judge.damage import NUMBER, damaged, findings, with_column, with_fields
from tests.judge.evidence import session
from tests.judge.phase_faults import grown
from tests.judge.planned import OPEN_RATE

PHASES = ("warm-up", "closed", f"open@{OPEN_RATE}")
ROLES = ("app", "db", "load")
# Role -> node -> numbers of the CPUs that the role had there.
Had = dict[str, dict[str, tuple[int, ...]]]
APART: Had = {"app": {"a": (0, 1)}, "db": {"a": (2,)}, "load": {"a": (3,)}}


def cpu(number: int) -> Cpu:
    """One of sixteen CPUs: the SMT sibling of n is n + 8; 0 to 3 and their siblings lie on NUMA node 0, others on 1."""
    return Cpu(number=number, core=number % 8, package=0, node=number // 4 % 2, cache=0)


def cpusets(had: Had, **of_phase: Had) -> dict[str, tuple[Cpuset, ...]]:
    by_node: dict[str, list[Cpuset]] = {}
    for phase in PHASES:
        role_sets = {**had, **of_phase.get(phase.partition("@")[0], {})}
        for role in ROLES:
            for node, numbers in role_sets[role].items():
                row = {"phase": phase, "role": role, "cpus": tuple(map(cpu, numbers))}
                by_node.setdefault(node, []).append(Cpuset.model_validate(row))
    return {node: tuple(rows) for node, rows in by_node.items()}


def in_a_cluster(host_class: HostClass = "lab") -> SessionFacts:
    whole = session(host_class)
    topology = whole.host.topology.model_copy(update={"cpus": ()})
    return replace(
        whole,
        plan=whole.plan.model_copy(update={"network": "cluster"}),
        host=whole.host.model_copy(update={"topology": topology}),
    )


def sets_finding(cpusets_of_nodes: dict[str, tuple[Cpuset, ...]], whole: SessionFacts | None = None) -> Finding:
    return findings(damaged(whole or in_a_cluster(), NUMBER, with_fields(cpusets=cpusets_of_nodes)), NUMBER, "R19")[
        None
    ]


@pytest.mark.parametrize(
    "had",
    [
        APART,
        # Each node numbers its CPUs from 0.
        {"app": {"a": (0, 1)}, "db": {"b": (0,)}, "load": {"c": (0, 1)}},
        # A generator on the application's node, and another generator elsewhere; each node has CPUs of its own.
        {"app": {"a": (0, 1)}, "db": {"b": (0,)}, "load": {"a": (2,), "b": (5,)}},
    ],
    ids=["on one node", "on nodes of their own", "over nodes"],
)
def test_roles_that_have_cpus_of_their_own_pass(had: Had) -> None:
    found = sets_finding(cpusets(had))
    assert (found.outcome, found.reading) == ("pass", "The roles had no CPU and no core in common.")


@pytest.mark.parametrize(
    ("had", "reading"),
    [
        # A kubelet without the static policy: every pod may run on all CPUs of its node.
        ({role: {"a": (0, 1, 2, 3)} for role in ROLES}, "Application and database share CPUs."),
        ({**APART, "load": {"a": (2,)}}, "Database and load generator share CPUs."),
        ({**APART, "load": {"b": (0,), "a": (1,)}}, "Application and load generator share CPUs."),
        ({**APART, "load": {"a": (9,)}}, "Application and load generator share cores by their SMT siblings."),
        ({**APART, "app": {"a": (0, 4)}}, "The CPUs of the application lie on 2 NUMA nodes."),
    ],
)
def test_what_roles_share_is_named_and_is_isolation(had: Had, reading: str) -> None:
    found = sets_finding(cpusets(had))
    assert (found.outcome, found.reading) == ("invalid", reading)
    assert sets_finding(cpusets(had), in_a_cluster("shared")).outcome == "warn"


def test_generators_of_each_phase_have_cpus_of_their_own() -> None:
    assert sets_finding(cpusets(APART, closed={"load": {"b": (0,)}}, open={"load": {"a": (6,)}})).outcome == "pass"
    found = sets_finding(cpusets(APART, open={"load": {"a": (1,)}}))
    assert found.reading == "Application and load generator share CPUs."


@pytest.mark.parametrize(
    ("found", "reading"),
    [
        ({}, "Which CPUs the application had in the phase warm-up was not read."),
        (
            {"a": tuple(row for row in cpusets(APART)["a"] if (row.phase, row.role) != ("closed", "load"))},
            "Which CPUs the load generator had in the phase closed was not read.",
        ),
        (
            # Other CPUs than in the phase before.
            cpusets(APART, closed={"db": {"a": (5,)}}),
            "The CPUs of the database on a changed while it ran: who shared them is not known.",
        ),
        (
            # Two readings in one phase: the second one alone would show shared CPUs.
            {"a": (*cpusets(APART)["a"], Cpuset(phase="closed", role="load", cpus=(cpu(0),)))},
            "The CPUs of the load generator on a changed while it ran: who shared them is not known.",
        ),
    ],
    ids=["nothing", "a role in a phase", "changed between phases", "changed in a phase"],
)
def test_what_was_not_seen_or_changed_is_unknown(found: dict[str, tuple[Cpuset, ...]], reading: str) -> None:
    finding = sets_finding(found)
    assert (finding.outcome, finding.reading) == ("unknown", reading)


def test_what_is_not_known_of_a_role_hides_nothing_of_the_others() -> None:
    found = sets_finding(cpusets({**APART, "load": {"a": (2,)}}, closed={"app": {"a": (5,)}}))
    assert found.reading == "Database and load generator share CPUs."


def test_a_scenario_without_load_is_unknown() -> None:
    whole = damaged(in_a_cluster(), NUMBER, with_fields(cpusets=cpusets(APART)))
    facts = whole.trials[NUMBER]
    idle = tuple(phase for phase in facts.scenario.phases if phase.name not in PHASES)
    without = replace(facts, scenario=facts.scenario.model_copy(update={"phases": idle}))
    found = findings(replace(whole, trials={**whole.trials, NUMBER: without}), NUMBER, "R19")[None]
    assert found.outcome == "unknown" and "Without a phase of load" in found.reading


def test_a_host_is_judged_by_its_plan_whatever_its_evidence_says() -> None:
    shared: Had = {role: {"a": (0,)} for role in ROLES}
    assert sets_finding(cpusets(shared), session()).outcome == "pass"


def test_generators_that_a_quota_stopped_are_named_in_their_phase() -> None:
    whole = in_a_cluster()
    found = findings(damaged(whole, NUMBER, grown("load.throttled_us", 2_500)), NUMBER, "R20")
    assert found["closed"].outcome == "invalid"
    assert "The load generator was stopped by a CPU quota for" in found["closed"].reading
    unread = findings(damaged(whole, NUMBER, with_column("load.throttled_us", None)), NUMBER, "R20")
    assert unread["closed"].outcome == "unknown"
