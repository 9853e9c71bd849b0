from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.machine.host.kernel import allowed_cpus, format_cpulist, read_topology
from plumbline.measuring.place.sets import plan_sets
from plumbline.model.errors import UsageError
from plumbline.model.host import ROLES, Cpu, Topology
from tests import machines
from tests.machines import Machine


@pytest.mark.parametrize(
    ("machine", "app", "db", "load", "housekeeping"),
    [
        (machines.SMALL_GUEST, "1", "0", "0", "0"),
        (machines.HOSTED_FOUR, "1,3", "0,2", "0,2", "0,2"),
        (machines.uniform(3, smt=False, cache=3), "2", "1", "0", "0"),
        (machines.FOUR_CORES, "3", "2", "1", "0"),
        (machines.DESKTOP, "6-7,14-15", "4-5,12-13", "1-3,9-11", "0,8"),
        (machines.BIG_DESKTOP, "12-15,28-31", "7-11,23-27", "1-6,17-22", "0,16"),
        (machines.SERVER, "56-63,120-127", "18-31,82-95", "2-17,66-81", "0-1,64-65"),
        (machines.MONOLITHIC_SERVER, "54-63,118-127", "18-31,82-95", "2-17,66-81", "0-1,64-65"),
        (machines.CONTAINER, "6,70", "5,69", "4,68", "3,67"),
        (machines.LAPTOP, "6-11", "15-19", "0-5,13-14", "12"),
        (machines.HYBRID_WITHOUT_SMT, "1-3", "8-11", "0,5-7", "4"),
        (machines.BIG_LITTLE, "2-3", "6-7", "0-1,5", "4"),
    ],
)
def test_known_machines(machine: Machine, app: str, db: str, load: str, housekeeping: str, tmp_path: Path) -> None:
    sys_root, proc = machine.write(tmp_path)
    sets = plan_sets(read_topology(sys_root, proc, allowed_cpus(proc)))
    assert [format_cpulist(sets.of(role)) for role in ROLES] == [app, db, load, housekeeping]


def test_one_cpu_is_refused() -> None:
    with pytest.raises(UsageError, match="only one CPU"):
        plan_sets(Topology(cpus=(Cpu(number=0, core=0, package=0, node=0, cache=0),), hypervisor=True))


def test_the_only_core_is_split_for_want_of_another() -> None:
    cpus = tuple(Cpu(number=number, core=0, package=0, node=0, cache=0) for number in (0, 1))
    sets = plan_sets(Topology(cpus=cpus, hypervisor=True))
    assert (sets.app, sets.db, sets.load, sets.housekeeping) == ((1,), (0,), (0,), (0,))


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    """Machines of up to four nodes with caches and cores of any size, of which we may use any CPUs."""
    cpus: list[Cpu] = []
    for node in range(draw(st.integers(1, 4))):
        for _ in range(draw(st.integers(1, 3))):
            cache = len(cpus)
            for _ in range(draw(st.integers(2, 5))):
                core = len(cpus)
                for _ in range(draw(st.integers(1, 2))):
                    cpus.append(Cpu(number=len(cpus), core=core, package=node, node=node, cache=cache))
    allowed = draw(st.lists(st.sampled_from(cpus), min_size=2, unique=True))
    return Topology(cpus=tuple(sorted(allowed, key=lambda cpu: cpu.number)), hypervisor=False)


@given(topologies())
def test_what_holds_for_every_machine(topology: Topology) -> None:
    sets = plan_sets(topology)
    core_of = {cpu.number: cpu.core for cpu in topology.cpus}
    cores = len(set(core_of.values()))
    for role in ROLES:
        assert sets.of(role), "every role has a CPU"
        assert set(sets.of(role)) <= core_of.keys(), "nothing outside of what is allowed"
        assert sets.of(role) == tuple(sorted(set(sets.of(role))))
    for role_a, role_b in combinations(ROLES, 2):
        if cores >= 4 or role_a == "app":
            assert not set(sets.of(role_a)) & set(sets.of(role_b)), "disjoint"
        if cores > 1 and not set(sets.of(role_a)) & set(sets.of(role_b)):
            cores_of_a = {core_of[cpu] for cpu in sets.of(role_a)}
            assert not cores_of_a & {core_of[cpu] for cpu in sets.of(role_b)}, "no core is split"


@given(topologies())
def test_the_application_has_equal_cores_of_one_node_if_a_node_suffices(topology: Topology) -> None:
    sets = plan_sets(topology)
    by_number = {cpu.number: cpu for cpu in topology.cpus}
    threads: dict[int, int] = {}
    for cpu in topology.cpus:
        threads[cpu.core] = threads.get(cpu.core, 0) + 1
    if len(threads) > 1:
        assert len({threads[by_number[number].core] for number in sets.app}) == 1
    cores_of_node: dict[int, set[int]] = {}
    for cpu in topology.cpus:
        cores_of_node.setdefault(cpu.node, set()).add(cpu.core)
    if max(len(cores) for cores in cores_of_node.values()) >= 4:
        for role in ROLES:
            assert len({by_number[number].node for number in sets.of(role)}) == 1
