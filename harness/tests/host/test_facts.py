from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from plumbline.machine.host.classify import bears_out_its_class
from plumbline.machine.host.facts import public_command_line, read_host_facts
from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.model.host import Condition, HostClass, HostFacts, HostReading, Met
from tests import machines
from tests.host.readings import condition, of_session, reading
from tests.machines import Machine

HOSTED = {"GITHUB_ACTIONS": "true", "RUNNER_ENVIRONMENT": "github-hosted"}
OWN_RUNNER = {"GITHUB_ACTIONS": "true", "RUNNER_ENVIRONMENT": "self-hosted"}


def facts(
    machine: Machine,
    root: Path,
    environ: Mapping[str, str] | None = None,
    stated: HostClass | None = None,
    readings: Sequence[HostReading] = of_session(),
) -> HostFacts:
    sys_root, proc = machine.write(root)
    topology = read_topology(sys_root, proc, allowed_cpus(proc))
    return read_host_facts(
        name="bench-1",
        topology=topology,
        proc=proc,
        etc=root / "etc",
        environ=environ or {},
        stated=stated,
        components={},
        readings=readings,
    )


def test_components(tmp_path: Path) -> None:
    host = facts(machines.DESKTOP, tmp_path)
    assert (host.name, host.cpu_model, host.microcode, host.cpus) == ("bench-1", "Test CPU", "0x1", 16)
    assert host.memory_bytes == 16_000_000 * 1024
    assert host.operating_system == "Debian GNU/Linux 13 (trixie)"
    assert host.kernel == "6.12.0-test"


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
        (machines.SERVER, {}, "lab", "bare metal"),
    ],
)
def test_class(machine: Machine, environ: Mapping[str, str], host_class: str, why: str, tmp_path: Path) -> None:
    host = facts(machine, tmp_path, environ)
    assert host.host_class == host_class
    assert why in host.why_class
    assert bears_out_its_class(host)


def test_a_stated_class_may_lower(tmp_path: Path) -> None:
    host = facts(machines.DESKTOP, tmp_path, stated="shared")
    assert host.host_class == "shared"
    assert "stated in bench.toml" in host.why_class
    assert bears_out_its_class(host)


def test_a_stated_class_never_raises(tmp_path: Path) -> None:
    host = facts(machines.SMALL_GUEST, tmp_path, stated="lab")
    assert host.host_class == "small"
    assert "do not bear out" in host.why_class


def reading_of(*conditions: Condition) -> HostReading:
    return reading(*conditions)


@pytest.mark.parametrize("verdict", ["unfit", "unknown"])
@pytest.mark.parametrize("place", [0, 1])
def test_one_condition_not_met_before_or_after_is_no_lab(tmp_path: Path, verdict: Met, place: int) -> None:
    readings = [reading_of(condition("turbo")), reading_of(condition("turbo"))]
    readings[place] = reading_of(condition("turbo", verdict, "no switch of turbo is shown"))
    host = facts(machines.DESKTOP, tmp_path, readings=readings)
    assert host.host_class == "shared"
    assert "no switch of turbo is shown (wanted: Turbo)" in host.why_class


def test_what_has_no_meaning_here_is_met_and_extras_ask_nothing(tmp_path: Path) -> None:
    extra = condition("load", "unfit").model_copy(update={"needed_for": "extra"})
    host_reading = reading_of(condition("turbo", "n/a"), extra)
    assert facts(machines.DESKTOP, tmp_path, readings=[host_reading, host_reading]).host_class == "lab"


@pytest.mark.parametrize("readings", [(), (of_session()[0].model_copy(update={"conditions": ()}),)])
def test_a_host_that_nobody_read_is_no_lab(tmp_path: Path, readings: Sequence[HostReading]) -> None:
    host = facts(machines.DESKTOP, tmp_path, readings=readings)
    assert (host.host_class, host.why_class) == ("shared", "its conditions were not read")


def test_a_session_without_a_reading_after_it_is_of_no_lab(tmp_path: Path) -> None:
    lab = facts(machines.DESKTOP, tmp_path)
    assert bears_out_its_class(lab)
    assert not bears_out_its_class(lab.model_copy(update={"readings": lab.readings[:1]}))


@pytest.mark.parametrize(
    ("machine", "forged"),
    [
        (machines.SMALL_GUEST, "shared"),
        (machines.SMALL_GUEST, "lab"),
        (dataclasses.replace(machines.DESKTOP, hypervisor=True), "lab"),
    ],
)
def test_no_readings_make_up_for_the_cpus_of_a_host(tmp_path: Path, machine: Machine, forged: HostClass) -> None:
    assert not bears_out_its_class(facts(machine, tmp_path).model_copy(update={"host_class": forged}))


def test_a_host_that_hides_its_cpus_is_a_cluster_and_no_lab(tmp_path: Path) -> None:
    hidden = facts(machines.SERVER, tmp_path)
    hidden = hidden.model_copy(update={"topology": hidden.topology.model_copy(update={"cpus": ()})})
    assert not bears_out_its_class(hidden)
    assert bears_out_its_class(hidden.model_copy(update={"host_class": "shared"}))


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    lacking = reading_of(*(condition(f"c{number}", "unknown", "hidden") for number in range(5)))
    assert facts(machines.DESKTOP, tmp_path, readings=[lacking]).why_class.endswith("hidden (wanted: C2); and 2 more)")
