"""The trials that prove R2 and R6, their CPUs, and the proofs that a host can't give."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.measuring.place.sets import plan_sets
from plumbline.model.host import Cpu, CpuSets, Topology
from plumbline.model.plan import Proof
from plumbline.subjects.plan.duration import session_s
from plumbline.subjects.plan.proofs import ALL_MEANS, Means, proofs, sets_for
from tests.judge.planned import LAB, SMALL, SUBJECTS, host, plan
from tests.machines import SERVER

MORE: tuple[Proof, ...] = ("more database CPU", "more load CPU")
NO_LIMIT = "Without control groups CPU time can't be limited."


def machine(cores: int, siblings: int = 1) -> Topology:
    return Topology(
        cpus=tuple(
            Cpu(number=core + sibling * cores, core=core, package=0, node=0, cache=0)
            for sibling in range(siblings)
            for core in range(cores)
        ),
        hypervisor=False,
    )


def test_each_subject_once_for_each_proof_behind_everything_else() -> None:
    session_plan = plan()
    added, unproven = proofs(
        ["R6", "R2"], session_plan.trials, session_plan.scenarios, session_plan.sets, host().topology, ALL_MEANS
    )
    assert [gap.proof for gap in unproven] == ["more database CPU"]
    assert [trial.number for trial in added] == list(
        range(session_plan.trials[-1].number + 1, session_plan.trials[-1].number + 1 + 9)
    )
    assert {trial.block for trial in added} == {session_plan.trials[-1].block + 1}
    assert {trial.role for trial in added} == {"proof"}
    for proof in ("less application CPU", "more load CPU", "twice the connections"):
        assert sorted(trial.subject for trial in added if trial.proof == proof) == sorted(SUBJECTS)


def test_only_what_was_asked_for() -> None:
    session_plan = plan()
    assert proofs([], session_plan.trials, session_plan.scenarios, session_plan.sets, host().topology, ALL_MEANS) == (
        (),
        (),
    )
    added, unproven = proofs(
        ["R6"], session_plan.trials, session_plan.scenarios, session_plan.sets, host().topology, ALL_MEANS
    )
    assert {trial.proof for trial in added} == {"twice the connections"} and not unproven


def test_what_loads_itself_is_not_asked_for_more_connections() -> None:
    session_plan = plan()
    added, _ = proofs(
        ["R2", "R6"],
        session_plan.trials,
        session_plan.scenarios,
        session_plan.sets,
        host().topology,
        ALL_MEANS,
        load_themselves=SUBJECTS[:1],
    )
    assert [trial.proof for trial in added if trial.subject == SUBJECTS[0]] == [
        "less application CPU",
        "more load CPU",
    ]


@pytest.mark.parametrize("setting", ["cpu-share=50", "cpus=1"])
def test_whose_setting_limits_its_cpu_time_is_not_limited_otherwise(setting: str) -> None:
    session_plan = plan(subjects=(SUBJECTS[0],))
    limited = f"{SUBJECTS[0]}+{setting}"
    trials = tuple(
        trial.model_copy(update={"subject": limited}) if trial.subject == SUBJECTS[0] else trial
        for trial in session_plan.trials
    )
    added, _ = proofs(["R2", "R6"], trials, session_plan.scenarios, SMALL, machine(2), ALL_MEANS)
    assert [trial.proof for trial in added] == ["twice the connections"]


def test_a_scenario_that_is_not_meant_to_saturate_proves_nothing() -> None:
    session_plan = plan()
    calm = session_plan.scenarios[0].model_copy(
        update={
            "phases": tuple(phase.model_copy(update={"saturates": False}) for phase in session_plan.scenarios[0].phases)
        }
    )
    assert proofs(["R6"], session_plan.trials, [calm], session_plan.sets, host().topology, ALL_MEANS)[0] == ()


def test_a_quarter_of_the_cores_less_with_their_siblings() -> None:
    sets = CpuSets(app=(4, 5, 6, 7, 12, 13, 14, 15), db=(2, 10), load=(1, 9), housekeeping=(0, 8))
    app_sets = sets_for("less application CPU", sets, machine(8, siblings=2), ALL_MEANS)
    assert isinstance(app_sets, CpuSets) and app_sets.app == (4, 5, 6, 12, 13, 14)
    assert (app_sets.db, app_sets.load) == (sets.db, sets.load)


def test_where_a_quarter_is_no_whole_core_the_time_is_limited_if_it_can() -> None:
    assert sets_for("less application CPU", SMALL, machine(2), ALL_MEANS) is None
    assert sets_for("less application CPU", SMALL, machine(2), Means(no_limit=NO_LIMIT)) == NO_LIMIT
    fixed = Means(fixed_sets="No other sets.")
    assert sets_for("less application CPU", LAB, machine(8), fixed) is None
    assert sets_for("more load CPU", LAB, machine(8), fixed) == "No other sets."


def test_the_other_lends_and_not_who_lies_idle() -> None:
    sets = CpuSets(app=(4, 5), db=(2, 3), load=(1,), housekeeping=(0,))
    load_sets = sets_for("more load CPU", sets, machine(8), ALL_MEANS)
    assert isinstance(load_sets, CpuSets) and (load_sets.db, load_sets.load) == ((2,), (1, 3))


@pytest.mark.parametrize("proof", MORE)
def test_nobody_comes_to_the_node_of_the_application(proof: Proof, tmp_path: Path) -> None:
    sys_root, proc = SERVER.write(tmp_path)
    topology = read_topology(sys_root, proc, allowed_cpus(proc))
    sets = plan_sets(topology)
    lent = sets_for(proof, sets, topology, ALL_MEANS)
    assert isinstance(lent, CpuSets) and lent != sets
    node_of = {cpu.number: cpu.node for cpu in topology.cpus}
    assert {role: {node_of[cpu] for cpu in lent.of(role)} for role in ("app", "db", "load")} == {
        "app": {1},
        "db": {0},
        "load": {0},
    }


def test_no_set_gets_cpus_of_another_node() -> None:
    cpus = tuple(Cpu(number=core, core=core, package=0, node=core // 4, cache=core // 4) for core in range(12))
    sets = CpuSets(app=(8, 9), db=(1, 2, 3), load=(4, 5, 6, 7), housekeeping=(0,))
    for proof in MORE:
        reason = sets_for(proof, sets, Topology(cpus=cpus, hypervisor=False), ALL_MEANS)
        assert isinstance(reason, str) and "no CPU to lend" in reason


def test_who_has_one_cpu_or_shares_it_lends_none() -> None:
    for sets, cores in ((SMALL, 2), (CpuSets(app=(2,), db=(1,), load=(0,), housekeeping=(0,)), 3)):
        for proof in MORE:
            reason = sets_for(proof, sets, machine(cores), ALL_MEANS)
            assert isinstance(reason, str) and "no CPU to lend" in reason


def test_a_proof_has_twice_the_connections_and_no_open_load() -> None:
    session_plan = plan()
    scenario = session_plan.scenarios[0]
    twice_connections, less_cpu = scenario.proving("twice the connections"), scenario.proving("less application CPU")
    assert [phase.kind for phase in twice_connections.phases] == ["start", "probe", "warm-up", "closed", "after"]
    assert {phase.connections for phase in twice_connections.phases if phase.connections} == {200}
    assert {phase.connections for phase in less_cpu.phases if phase.connections} == {100}
    assert twice_connections.id == scenario.id


def test_the_time_of_proofs_is_counted() -> None:
    session_plan = plan()
    added, _ = proofs(
        ["R6"], session_plan.trials, session_plan.scenarios, session_plan.sets, host().topology, ALL_MEANS
    )
    without_s = session_s(session_plan.trials, session_plan.scenarios)
    added_s = session_s((*session_plan.trials, *added), session_plan.scenarios) - without_s
    # Each proof takes warm-up, closed load and what is around them, without the 15 s of open load.
    assert 3 * (8 + 65) < added_s < 3 * (8 + 65 + 15)


def test_a_database_elsewhere_gets_no_cpu_of_this_host() -> None:
    elsewhere = Means(database_elsewhere="It is elsewhere.")
    assert sets_for("more database CPU", LAB, machine(8), elsewhere) == "It is elsewhere."
    assert isinstance(sets_for("more load CPU", LAB, machine(8), elsewhere), CpuSets)
