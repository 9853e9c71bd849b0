from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from plumbline.host.facts import public_command_line, read_host_facts
from plumbline.host.topology import allowed_cpus, read_topology
from plumbline.model.host import HostClass, HostFacts
from tests import machines
from tests.machines import Machine

HOSTED = {"GITHUB_ACTIONS": "true", "RUNNER_ENVIRONMENT": "github-hosted"}
OWN_RUNNER = {"GITHUB_ACTIONS": "true", "RUNNER_ENVIRONMENT": "self-hosted"}


def facts(
    machine: Machine, root: Path, environ: Mapping[str, str] | None = None, stated: HostClass | None = None
) -> HostFacts:
    sys_root, proc = machine.write(root)
    topology = read_topology(sys_root, proc, allowed_cpus(proc))
    return read_host_facts(
        name="bench-1",
        topology=topology,
        proc=proc,
        sys_root=sys_root,
        etc=root / "etc",
        environ=environ or {},
        stated=stated,
    )


def test_components(tmp_path: Path) -> None:
    found = facts(machines.DESKTOP, tmp_path)
    assert (found.name, found.cpu_model, found.microcode, found.cpus) == ("bench-1", "Test CPU", "0x1", 16)
    assert found.memory_bytes == 16_000_000 * 1024
    assert found.operating_system == "Debian GNU/Linux 13 (trixie)"
    assert found.kernel == "6.12.0-test"


def test_a_public_record_holds_no_values_of_private_parameters() -> None:
    line = "BOOT_IMAGE=/vmlinuz root=UUID=1-2 ro quiet mitigations=off token=secret -- init=/x"
    assert public_command_line(line) == "BOOT_IMAGE= root= ro quiet mitigations=off token="


@pytest.mark.parametrize(
    ("machine", "environ", "host_class", "why"),
    [
        (machines.SMALL_GUEST, {}, "small", "2 cores"),
        (machines.HOSTED_FOUR, HOSTED, "small", "2 cores"),
        (machines.FOUR_CORES, {}, "lab", "bare metal"),
        (machines.FOUR_CORES, HOSTED, "shared", "hosted runner"),
        (machines.FOUR_CORES, OWN_RUNNER, "lab", "bare metal"),
        (dataclasses.replace(machines.DESKTOP, hypervisor=True), {}, "shared", "virtual machine"),
        (dataclasses.replace(machines.DESKTOP, governor=None), {}, "lab", "bare metal"),
        (dataclasses.replace(machines.DESKTOP, swap=True), {}, "shared", "swap is on"),
        (machines.SERVER, {}, "lab", "bare metal"),
        (machines.CONTAINER, {}, "shared", "only 8 of 128 CPUs are ours"),
        (machines.LAPTOP, {}, "shared", "the governor is powersave; swap is on"),
    ],
)
def test_class(
    machine: Machine, environ: Mapping[str, str], host_class: str, why: str, tmp_path: Path
) -> None:
    found = facts(machine, tmp_path, environ)
    assert found.host_class == host_class
    assert why in found.why_class


def test_a_stated_class_may_lower(tmp_path: Path) -> None:
    found = facts(machines.SERVER, tmp_path, stated="shared")
    assert found.host_class == "shared"
    assert "stated in bench.toml" in found.why_class


def test_a_stated_class_never_raises(tmp_path: Path) -> None:
    found = facts(machines.SMALL_GUEST, tmp_path, stated="lab")
    assert found.host_class == "small"
    assert "do not bear out" in found.why_class
