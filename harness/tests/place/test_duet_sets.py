"""Two places of equal size that share no CPU."""

from __future__ import annotations

import pytest

from plumbline.measuring.place.sets import duet_sets
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
