"""Housekeeping CPUs of an install without the harness are those that the harness plans."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from measures.face import Roots
from measures.files import format_mask
from measures.layout import planned

from plumbline.machine.host.kernel import read_topology
from plumbline.measuring.place.sets import plan_sets
from tests import machines
from tests.machines import Machine

MACHINES = {
    name: machine
    for name, machine in vars(machines).items()
    if isinstance(machine, Machine) and machine.allowed is None
}


@pytest.mark.parametrize("name", list(MACHINES))
def test_housekeeping_is_what_the_harness_plans(name: str, tmp_path: Path) -> None:
    machine = MACHINES[name]
    sys_root, proc = machine.write(tmp_path)
    sets = plan_sets(read_topology(sys_root, proc, machine.cpus))
    plan = planned(replace(Roots(), sys=sys_root, proc=proc))
    first = {core[0] for core in machine.cores}
    assert set(plan.housekeeping) == set(sets.housekeeping) & first
    assert not set(plan.app_cpus) & set(sets.housekeeping)
    assert set(plan.app_cpus) >= {cpu for cpu in (*sets.app, *sets.db) if cpu in first} - set(sets.housekeeping)


@pytest.mark.parametrize(
    ("cpus", "like", "mask"),
    [((0,), "3", "1"), ((0, 1), "ff", "03"), ((0, 33), "ffffffff,ffffffff", "00000002,00000001")],
)
def test_masks_have_the_kernels_own_shape(cpus: tuple[int, ...], like: str, mask: str) -> None:
    assert format_mask(cpus, like) == mask
