"""A component of a host's fingerprint that changes begins a new segment of history, whatever component it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from measures.face import Roots
from measures.fingerprint import as_words, fingerprint

from plumbline.archive.history.extract import environment
from plumbline.machine.host.facts import read_components, read_host_facts
from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.model.host import HostFacts
from tests import machines
from tests.bench_host.conftest import RUNNER_SETUP
from tests.doctor.trees import CLOCK, CPU, put
from tests.record.sessions import record

CPUINFO = "processor : 0\nvendor_id : Of\nmodel name : A\nstepping : {}\nmicrocode : {}\nflags : fpu"
BEFORE = {
    "proc/cpuinfo": CPUINFO.format(1, "0x1"),
    "sys/class/dmi/id/board_name": "A board",
    "sys/class/dmi/id/bios_version": "1.0",
    "sys/block/nvme0n1/device/model": "A disk",
    f"{CPU}/cpu0/cpufreq/scaling_driver": "acpi-cpufreq",
    f"{CPU}/cpuidle/current_driver": "acpi_idle",
    f"{CPU}/vulnerabilities/meltdown": "Not affected",
    f"{CPU}/cpu0/cache/index2/size": "32768K",
    f"{CLOCK}/current_clocksource": "tsc",
    "sys/fs/cgroup/cpuset/cpuset.cpus": "0-3",
}
CHANGES = {
    "stepping": ("proc/cpuinfo", CPUINFO.format(2, "0x1")),
    "microcode": ("proc/cpuinfo", CPUINFO.format(1, "0x2")),
    "CPUs": (f"{CPU}/online", "0-2"),
    "caches": (f"{CPU}/cpu0/cache/index2/size", "16384K"),
    "memory": ("proc/meminfo", "MemTotal: 32000000 kB"),
    "board": ("sys/class/dmi/id/board_name", "Another"),
    "firmware": ("sys/class/dmi/id/bios_version", "1.1"),
    "another disk": ("sys/block/nvme0n1/device/model", "Another"),
    "one disk more": ("sys/block/sda/device/model", "Another"),
    "kernel": ("proc/sys/kernel/osrelease", "6.12.1"),
    "command line": ("proc/cmdline", "quiet mitigations=auto"),
    "operating system": ("etc/os-release", "PRETTY_NAME=Another"),
    "frequency driver": (f"{CPU}/cpu0/cpufreq/scaling_driver", "amd-pstate"),
    "idle driver": (f"{CPU}/cpuidle/current_driver", "intel_idle"),
    "clock": (f"{CLOCK}/current_clocksource", "hpet"),
    "control groups": ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu"),
    "a mitigation": (f"{CPU}/vulnerabilities/meltdown", "Mitigation: PTI"),
}


def facts(root: Path) -> HostFacts:
    proc, sys_root, etc = root / "proc", root / "sys", root / "etc"
    return read_host_facts(
        name="lab-1",
        topology=read_topology(sys_root, proc, allowed_cpus(proc)),
        proc=proc,
        etc=etc,
        environ={},
        stated=None,
        components=read_components(RUNNER_SETUP / "measures", proc=proc, sys_root=sys_root, etc=etc),
        readings=(),
    )


def words(root: Path) -> dict[str, str]:
    return dict(as_words(fingerprint(Roots(proc=root / "proc", sys=root / "sys", etc=root / "etc"))))


@pytest.mark.parametrize(("path", "text"), CHANGES.values(), ids=CHANGES)
def test_a_change_begins_a_segment(path: str, text: str, tmp_path: Path) -> None:
    machines.FOUR_CORES.write(tmp_path)
    put(tmp_path, BEFORE)
    recorded = record()
    printed, before = words(tmp_path), environment(recorded.model_copy(update={"host": facts(tmp_path)}))
    put(tmp_path, {path: text})
    assert words(tmp_path) != printed
    assert environment(recorded.model_copy(update={"host": facts(tmp_path)})) != before


def test_what_is_printed_is_kept_once(tmp_path: Path) -> None:
    machines.FOUR_CORES.write(tmp_path)
    put(tmp_path, BEFORE)
    components = facts(tmp_path).components
    assert components["board bios_version"] == "1.0" and components["disks"] == "A disk"
    assert components["vulnerabilities meltdown"] == "Not affected" and components["cpu stepping"] == "1"
    not_compared = {"version", "memory_kb", "kernel", "kernel_command_line", "operating_system"}
    not_compared |= {"cpu model name", "cpu microcode"} | {
        f"cpus {name}" for name in ("online", "cores", "packages", "nodes")
    }
    assert words(tmp_path).keys() - components.keys() == not_compared
    assert HostFacts.model_validate_json(facts(tmp_path).model_dump_json()) == facts(tmp_path)


def test_a_host_that_shows_nothing_more_has_nothing_to_keep(tmp_path: Path) -> None:
    machines.SMALL_GUEST.write(tmp_path)
    bare = facts(tmp_path).model_copy(update={"components": {}})
    assert "components" not in bare.model_dump()
