from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.model.errors import UsageError
from plumbline.model.host import Topology
from tests import machines
from tests.machines import Machine


def read(machine: Machine, root: Path) -> Topology:
    sys_root, proc = machine.write(root)
    return read_topology(sys_root, proc, allowed_cpus(proc))


def test_siblings_share_a_core_and_cores_a_cache(tmp_path: Path) -> None:
    topology = read(machines.DESKTOP, tmp_path)
    assert [cpu.core for cpu in topology.cpus] == list(range(8)) * 2
    assert [cpu.cache for cpu in topology.cpus] == ([0] * 4 + [4] * 4) * 2
    assert not topology.hypervisor


def test_a_server_has_nodes_and_packages(tmp_path: Path) -> None:
    topology = read(machines.SERVER, tmp_path)
    assert len(topology.cpus) == 128
    by_number = {cpu.number: cpu for cpu in topology.cpus}
    assert (by_number[31].node, by_number[31].package) == (0, 0)
    assert (by_number[32].node, by_number[96].package) == (1, 1)


def test_a_container_sees_only_its_cpus(tmp_path: Path) -> None:
    topology = read(machines.CONTAINER, tmp_path)
    assert tuple(cpu.number for cpu in topology.cpus) == machines.CONTAINER.allowed


def test_cores_of_two_kinds(tmp_path: Path) -> None:
    topology = read(machines.LAPTOP, tmp_path)
    assert [cpu.core for cpu in topology.cpus] == [0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, *range(12, 20)]


def test_a_guest_is_told_by_its_flag(tmp_path: Path) -> None:
    assert read(machines.SMALL_GUEST, tmp_path).hypervisor


def test_an_arm_guest_is_told_by_its_device_tree(tmp_path: Path) -> None:
    sys_root, proc = machines.FOUR_CORES.write(tmp_path)
    (proc / "cpuinfo").write_text("processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n")
    assert not read_topology(sys_root, proc, (0, 1)).hypervisor
    (proc / "device-tree/hypervisor").mkdir(parents=True)
    assert read_topology(sys_root, proc, (0, 1)).hypervisor


def test_without_caches_the_package_stands_for_them(tmp_path: Path) -> None:
    sys_root, proc = machines.FOUR_CORES.write(tmp_path)
    for number in range(4):
        folder = sys_root / f"devices/system/cpu/cpu{number}"
        for file in folder.glob("cache/index*/*"):
            file.unlink()
        for index in folder.glob("cache/index*"):
            index.rmdir()
        (folder / "topology/package_cpus_list").write_text("0-3\n")
    assert {cpu.cache for cpu in read_topology(sys_root, proc, (1, 2, 3)).cpus} == {0}


def test_a_proc_without_the_list_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self/status").write_text("Name:\tx\n")
    with pytest.raises(UsageError):
        allowed_cpus(tmp_path)


def test_this_machine_can_be_read() -> None:
    allowed = allowed_cpus(Path("/proc"))
    topology = read_topology(Path("/sys"), Path("/proc"), allowed)
    assert tuple(cpu.number for cpu in topology.cpus) == allowed
