"""Two places of equal size that share no CPU."""

from __future__ import annotations

from collections import Counter

import pytest

from plumbline.measuring.place.sets import duet_sets, plan_sets
from plumbline.model.errors import UsageError
from plumbline.model.host import Cpu, Topology


def topology(cores: int, siblings: int = 1) -> Topology:
    return Topology(
        cpus=tuple(
            Cpu(number=core * siblings + thread, core=core, package=0, node=0, cache=0)
            for core in range(cores)
            for thread in range(siblings)
        ),
        hypervisor=True,
    )


@pytest.mark.parametrize(("cores", "siblings"), [(1, 2), (2, 1), (2, 2), (3, 1), (4, 1), (5, 2), (8, 1), (9, 1)])
def test_the_places_are_alike_and_apart(cores: int, siblings: int) -> None:
    first, second = duet_sets(topology(cores, siblings))
    cpus = [{*place.app, *place.db, *place.load} for place in (first, second)]
    assert not cpus[0] & cpus[1]
    assert [len(place.app) for place in (first, second)] == [len(first.app)] * 2
    assert len(cpus[0]) == len(cpus[1]) and first.housekeeping == second.housekeeping
    if cores > 2:
        assert not set(first.housekeeping) & (cpus[0] | cpus[1])
    if cores > 1:
        core_of = {cpu.number: cpu.core for cpu in topology(cores, siblings).cpus}
        assert not {core_of[cpu] for cpu in cpus[0]} & {core_of[cpu] for cpu in cpus[1]}


@pytest.mark.parametrize("cores", [4, 5, 8, 9, 16])
def test_the_application_shares_no_core_with_its_own_database_and_load(cores: int) -> None:
    """Bare metal numbers the first siblings of all cores before the second ones."""
    cpus = tuple(
        Cpu(number=thread * cores + core, core=core, package=0, node=0, cache=0)
        for core in range(cores)
        for thread in range(2)
    )
    core_of = {cpu.number: cpu.core for cpu in cpus}
    for place in duet_sets(Topology(cpus=cpus, hypervisor=False)):
        app, other = ({core_of[cpu] for cpu in role} for role in (place.app, place.db))
        # A place of one core has to divide that core.
        assert not app & other or len(app | other) == 1


def test_places_have_as_many_cores_of_each_kind() -> None:
    """Six cores with two siblings each, then eight without."""
    core_of = {number: number // 2 if number < 12 else number - 6 for number in range(20)}
    cpus = tuple(Cpu(number=number, core=core, package=0, node=0, cache=0) for number, core in core_of.items())
    size = Counter(core_of.values())
    first, second = (
        [sorted(size[core_of[cpu]] for cpu in role) for role in (place.app, place.db)]
        for place in duet_sets(Topology(cpus=cpus, hypervisor=False))
    )
    assert first == second and 2 in first[0]


@pytest.mark.parametrize("cores", [3, 8, 32, 64])
def test_no_place_has_a_cpu_that_does_the_housekeeping_of_a_usual_session(cores: int) -> None:
    planned = plan_sets(topology(cores))
    for place in duet_sets(topology(cores)):
        assert place.housekeeping == planned.housekeeping
        assert not {*place.app, *place.db, *place.load} & {*planned.housekeeping}


def test_two_cpus_hold_a_side_each_and_the_harness_on_both() -> None:
    first, second = duet_sets(topology(2))
    assert (first.app, first.db, first.load, first.housekeeping) == ((0,), (0,), (0,), (0, 1))
    assert second.app == (1,)


def test_with_more_the_application_has_its_own() -> None:
    first, _ = duet_sets(topology(5))
    assert not set(first.app) & set(first.db) and first.db == first.load


def test_one_cpu_is_refused() -> None:
    with pytest.raises(UsageError, match="only one CPU"):
        duet_sets(topology(1))
