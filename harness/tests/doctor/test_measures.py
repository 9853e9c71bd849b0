"""Every condition on recorded hosts, and its verdict when the host shows less."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.machine.host.reading import read_host
from tests.doctor import trees
from tests.doctor.trees import BY_ID, CHECKOUT, MEASURES, put, verdicts

FOLDER = CHECKOUT / "runner-setup" / "measures"
GB = 10**9


@pytest.fixture(autouse=True)
def roomy_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of the machine that runs the tests must not decide a verdict."""
    disk_usage = shutil.disk_usage
    usage = namedtuple("usage", "total used free")

    def with_room(path: Path) -> Any:
        disk_usage(path)
        return usage(100 * GB, 50 * GB, 50 * GB)

    monkeypatch.setattr(shutil, "disk_usage", with_room)


def test_a_tuned_host_is_fit_in_everything(tmp_path: Path) -> None:
    assert set(verdicts(trees.tuned(tmp_path)).values()) == {"fit"}


def test_a_laptop_as_it_comes(tmp_path: Path) -> None:
    verdict_of = verdicts(trees.laptop(tmp_path))
    assert {id_ for id_, verdict in verdict_of.items() if verdict != "unfit"} == {
        "four-sets",
        "hypervisor",
        "disk-space",
        "microcode",
        "database-writes",
    }
    assert (verdict_of["four-sets"], verdict_of["hypervisor"]) == ("fit", "fit")


def test_what_is_unfit_on_a_laptop_names_the_command_that_mends_it(tmp_path: Path) -> None:
    host_roots = trees.laptop(tmp_path)
    without_command = {
        id_
        for id_, measure in BY_ID.items()
        if (reading := measure.check(host_roots)).verdict == "unfit" and reading.command is None
    }
    # A busy host has to wait, a clock to find its server, and a kernel without cpuset needs another one.
    assert without_command == {"load", "time-sync", "cpusets", "database-disk"}


def test_a_small_guest(tmp_path: Path) -> None:
    verdict_of = verdicts(trees.guest(tmp_path))
    assert {id_ for id_, verdict in verdict_of.items() if verdict == "unfit"} == {
        "four-sets",
        "hypervisor",
        "interrupts",
        "kernel-line",
    }
    assert {id_ for id_, verdict in verdict_of.items() if verdict == "unknown"} == {
        "governor",
        "frequency",
        "turbo",
        "time-sync",
    }
    without_meaning = {id_ for id_, verdict in verdict_of.items() if verdict == "n/a"}
    assert without_meaning == {"timers", "kernel-held", "system-slice", "watchdog"}


def test_timers_that_systemd_does_not_show_are_not_met(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    shutil.rmtree(tmp_path / "run/systemd")
    assert BY_ID["timers"].check(host_roots).verdict == "unknown"
    put(tmp_path, trees.processes("init"))
    assert BY_ID["timers"].check(host_roots).verdict == "n/a"


def test_a_bare_container_is_unknown_in_everything(tmp_path: Path) -> None:
    assert set(verdicts(trees.bare(tmp_path)).values()) == {"unknown"}


@pytest.mark.parametrize("id_", list(BY_ID))
def test_a_file_that_was_read_and_is_missing_makes_it_unknown(
    id_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host_roots, measure = trees.tuned(tmp_path), BY_ID[id_]
    files: list[Path] = []
    if hasattr(measure, "read"):
        read = measure.read

        def recorded(path: Path) -> str | None:
            text: str | None = read(path)
            if text is not None:
                files.append(path)
            return text

        monkeypatch.setattr(measure, "read", recorded)
    assert measure.check(host_roots).verdict == "fit"
    read_when_fit = list(dict.fromkeys(files))
    assert bool(read_when_fit) == hasattr(measure, "read")
    for path in read_when_fit:
        # The text of this file only fills the sentence, or names the next file; no verdict rests on it.
        if path.name == "name" or (id_, path.name) == ("smt", "control"):
            continue
        content = path.read_text()
        path.unlink()
        verdict = measure.check(host_roots).verdict
        path.write_text(content)
        # If a folder can be listed, the kernel lacks each file that the folder lacks. Cores show siblings as well.
        exceptions = {"numa-balancing": "n/a", "watchdog": "n/a", "smt": "fit"}
        assert verdict == exceptions.get(id_, "unknown"), f"{path} is missing"


@pytest.mark.parametrize(
    ("id_", "folder"), [("ksm", "sys/kernel/mm/ksm"), ("thp", "sys/kernel/mm/transparent_hugepage")]
)
def test_a_kernel_that_lacks_it_needs_no_measure(id_: str, folder: str, tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    shutil.rmtree(tmp_path / folder)
    assert BY_ID[id_].check(host_roots).verdict == "n/a"
    shutil.rmtree(tmp_path / "sys/kernel")
    assert BY_ID[id_].check(host_roots).verdict == "unknown"


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(data=st.data(), host=st.sampled_from([trees.laptop, trees.guest, trees.bare]))
def test_files_that_go_missing_make_nothing_fit(data: st.DataObject, host: Callable[[Path], Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        host_roots = host(Path(folder))
        before = verdicts(host_roots)
        # A process that ended and a timer that was taken away are good news, not missing knowledge.
        files = sorted(
            path
            for path in Path(folder).rglob("*")
            if path.is_file() and path.name != "comm" and path.suffix != ".timer"
        )
        for path in data.draw(st.lists(st.sampled_from(files), max_size=20, unique=True)) if files else []:
            path.unlink()
        after = verdicts(host_roots)
    assert [id_ for id_ in after if after[id_] == "fit" and before[id_] != "fit"] == []


def test_nothing_on_the_host_is_changed(tmp_path: Path) -> None:
    host_roots = trees.laptop(tmp_path)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    verdicts(host_roots)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_amd_and_older_drivers_switch_turbo_elsewhere(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    (tmp_path / trees.CPU / "intel_pstate/no_turbo").unlink()
    put(tmp_path, {f"{trees.CPU}/cpufreq/boost": "1"})
    reading = BY_ID["turbo"].check(host_roots)
    assert (reading.verdict, reading.command) == (
        "unfit",
        f"echo 0 | sudo tee {tmp_path / trees.CPU}/cpufreq/boost",
    )
    put(tmp_path, {f"{trees.CPU}/cpufreq/boost": "0"})
    assert BY_ID["turbo"].check(host_roots).verdict == "fit"
    (tmp_path / trees.CPU / "cpufreq/boost").unlink()
    put(tmp_path, {f"{trees.CPU}/amd_pstate/status": "active"})
    assert BY_ID["turbo"].check(host_roots).verdict == "unknown"


def test_one_governor_of_eight(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {f"{trees.CPU}/cpu5/cpufreq/scaling_governor": "schedutil"})
    assert BY_ID["governor"].check(host_roots)[:2] == ("unfit", "schedutil on 1 of 8 CPUs")


def test_one_frequency_is_the_same_for_all(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    assert BY_ID["frequency"].check(host_roots)[:2] == ("fit", "2600 MHz on all 8 CPUs")
    put(tmp_path, {f"{trees.CPU}/cpu5/cpufreq/scaling_max_freq": "3900000"})
    assert BY_ID["frequency"].check(host_roots)[:2] == ("unfit", "from 2600 to 3900 MHz")
    put(tmp_path, {f"{trees.CPU}/cpu5/cpufreq/scaling_max_freq": "<unknown>"})
    assert BY_ID["frequency"].check(host_roots)[:2] == ("unknown", "1 of 8 CPUs do not show their frequencies")


def test_a_kernel_that_an_upgrade_may_replace(tmp_path: Path) -> None:
    reading = BY_ID["kernel-held"].check(trees.laptop(tmp_path))
    assert reading == (
        "unfit",
        "linux-generic, linux-image-generic may be upgraded",
        "sudo apt-mark hold linux-generic linux-image-generic",
    )


def test_a_kernel_that_was_removed_is_none(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(
        tmp_path,
        {"var/lib/dpkg/status": "Package: linux-image-6.1\nStatus: deinstall ok config-files\n\nPackage: bash"},
    )
    assert BY_ID["kernel-held"].check(host_roots).verdict == "n/a"


def test_only_an_idle_state_that_is_on_and_deep_counts(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {f"{trees.CPU}/cpu3/cpuidle/state2/disable": "0"})
    reading = BY_ID["cstates"].check(host_roots)
    assert reading.verdict == "unfit"
    assert "C6 (133 us)" in reading.reading


def test_a_kernel_that_ignores_its_command_line(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"proc/105/comm": "rcuop/5"})
    reading = BY_ID["kernel-line"].check(host_roots)
    assert reading.verdict == "unfit" and "built without rcu_nocbs" in reading.reading
    # A kernel without preemption gives these threads other names.
    put(tmp_path, {"proc/104/comm": "rcuos/6", "proc/105/comm": "rcuos/7"})
    assert BY_ID["kernel-line"].check(host_roots)[:2] == ("fit", "rcu_nocbs=1-7")
    (tmp_path / "proc/103/comm").unlink()
    assert BY_ID["kernel-line"].check(host_roots).verdict == "unknown"


def test_a_network_card_on_the_applications_cpu(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"proc/interrupts": trees.QUIET_INTERRUPTS.replace("         50  PCI", "     500000  PCI")})
    reading = BY_ID["interrupts"].check(host_roots)
    assert reading.verdict == "unfit"
    assert "nvme0q8" in reading.reading and "eth0" not in reading.reading
    assert "echo 0-5 |" in reading.command
    # As often as rule R27 allows, however long ago the host booted.
    put(tmp_path, {"proc/interrupts": trees.QUIET_INTERRUPTS.replace("         50  PCI", "      99000  PCI")})
    assert BY_ID["interrupts"].check(host_roots).verdict == "fit"
    put(tmp_path, {"proc/interrupts": trees.QUIET_INTERRUPTS.replace("         50  PCI", "     500000  PCI")})
    # Once the interrupt has moved away, its count since boot does not matter any more.
    put(tmp_path, {"proc/irq/25/effective_affinity_list": "0"})
    assert BY_ID["interrupts"].check(host_roots).verdict == "fit"


@pytest.mark.parametrize(
    "row",
    [
        "  GICv3  30 Level     arch_timer",
        "  GICv2  27 Level     kvm guest vtimer",
        "  GICv3  23 Level     arm-pmu",
        "  xen-percpu    -virq      timer0",
        "  xen-percpu    -ipi       resched0",
        "  RISC-V INTC   5 Edge      riscv-timer",
    ],
)
def test_a_cpus_own_timer_is_no_device(row: str, tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    counts = "  ".join(["5000000"] * 8)
    put(
        tmp_path,
        {"proc/interrupts": f"{trees.QUIET_INTERRUPTS} 11: {counts}{row}", "proc/irq/11/smp_affinity_list": "0-7"},
    )
    assert BY_ID["interrupts"].check(host_roots).verdict == "fit"
    put(tmp_path, {"proc/interrupts": f"{trees.QUIET_INTERRUPTS} 11: {counts}  GICv3 104 Edge eth0"})
    assert BY_ID["interrupts"].check(host_roots).verdict == "unfit"


def test_a_reading_counts_devices_alone(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    timer = f" 11: {'  '.join(['5000000'] * 8)}  GICv3  30 Level     arch_timer"
    put(tmp_path, {"proc/interrupts": f"{trees.QUIET_INTERRUPTS}{timer}"})
    folders = {name: getattr(host_roots, name) for name in ("proc", "etc", "run", "var", "scratch")}
    reading = read_host(FOLDER, sys_root=host_roots.sys, sets=None, **folders)
    assert reading.interrupts == {0: 99000, **dict.fromkeys(range(1, 7), 0), 7: 50}


@pytest.mark.parametrize("id_", ["interrupts", "package-managers", "timers"])
def test_hidden_processes_make_it_unknown(id_: str, tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    assert BY_ID[id_].check(host_roots).verdict == "fit"
    (tmp_path / "proc/103/comm").unlink()  # kthreadd
    assert BY_ID[id_].check(host_roots).verdict == "unknown"


def test_timers_that_other_units_want_and_cron_count(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"etc/systemd/system/mdmonitor.service.wants/mdcheck_start.timer": ""})
    assert BY_ID["timers"].check(host_roots)[:2] == ("unfit", "1: mdcheck_start")
    assert BY_ID["timers"].changes(host_roots) == []  # This host has no such unit.
    put(tmp_path, {"proc/110/comm": "cron", "etc/systemd/system/cron.service": ""})
    command = "sudo systemctl disable --now mdcheck_start.timer cron.service"
    assert BY_ID["timers"].check(host_roots) == ("unfit", "2: mdcheck_start, cron", command)
    assert [change.target for change in BY_ID["timers"].changes(host_roots)[:1]] == ["/dev/null"]


def test_a_guest_on_arm_is_not_called_bare_metal(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"proc/cpuinfo": "processor\t: 0\nFeatures\t: fp asimd"})
    assert BY_ID["hypervisor"].check(host_roots).verdict == "unknown"
    put(tmp_path, {"proc/device-tree/hypervisor/compatible": "linux,kvm"})
    assert BY_ID["hypervisor"].check(host_roots).verdict == "unfit"


def test_part_of_a_machine_is_no_lab(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"proc/self/status": "Cpus_allowed_list:\t0-5"})
    assert BY_ID["four-sets"].check(host_roots)[:2] == (
        "unfit",
        "only CPUs 0-5 of 8 are ours, others may use the rest",
    )


def test_a_clock_that_has_not_reached_its_server(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, trees.processes("systemd", "systemd-timesyn", "sshd"))
    assert BY_ID["time-sync"].check(host_roots).verdict == "unfit"
    put(tmp_path, {"run/systemd/timesync/synchronized": ""})
    assert BY_ID["time-sync"].check(host_roots).verdict == "fit"


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(100 * GB, 99 * GB, 1 * GB))
    assert BY_ID["disk-space"].check(trees.tuned(tmp_path)).verdict == "unfit"


def test_ids_are_unique_and_every_file_is_listed() -> None:
    listed = {Path(measure.__file__).stem for measure in MEASURES.MEASURES}
    assert len(BY_ID) == len(MEASURES.MEASURES)
    assert {path.stem for path in FOLDER.glob("*.py")} - {
        "__init__",
        "changes",
        "face",
        "files",
        "fingerprint",
        "layout",
    } == listed


def test_the_standard_library_is_enough() -> None:
    imported: set[str] = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                imported.add(node.module.split(".")[0])
            elif isinstance(node, ast.Import):
                imported |= {name.name.split(".")[0] for name in node.names}
    assert imported <= sys.stdlib_module_names


def test_they_run_without_the_harness() -> None:
    # -S leaves out every installed package, -E every path of the environment.
    program = (
        "from measures import MEASURES; from measures.face import Roots; "
        "print(*[measure.check(Roots())[0] for measure in MEASURES])"
    )
    completed = subprocess.run(
        [sys.executable, "-S", "-E", "-c", program],
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(completed.stdout.split()) == len(BY_ID)


def test_a_watchdog_on_the_applications_cpu(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"proc/sys/kernel/watchdog_cpumask": "0-6"})
    assert BY_ID["watchdog"].check(host_roots)[:2] == ("unfit", "CPUs 6 are watched")
    put(tmp_path, {"proc/sys/kernel/watchdog_cpumask": ""})
    assert BY_ID["watchdog"].check(host_roots)[:2] == ("fit", "no CPU is watched")


@pytest.mark.parametrize(
    ("name", "sizes", "verdict"),
    [
        ("tcp_rmem", "4096 65536 1048576", "fit"),
        ("tcp_rmem", "4096 65535 6291456", "unfit"),
        ("tcp_rmem", "4096 131072 212992", "unfit"),
        ("tcp_wmem", "4096 16383 4194304", "unfit"),
        ("tcp_wmem", "4096 16384", "unknown"),
    ],
)
def test_buffers_that_somebody_made_small(name: str, sizes: str, verdict: str, tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {f"proc/sys/net/ipv4/{name}": sizes})
    assert BY_ID["socket-buffers"].check(host_roots).verdict == verdict


def test_a_buffer_that_may_grow_further_than_usual_keeps_that(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    put(tmp_path, {"proc/sys/net/ipv4/tcp_rmem": "8192 4096 33554432"})
    [change] = BY_ID["socket-buffers"].changes(host_roots)
    assert change.value.split() == ["8192", "131072", "33554432"]


def test_a_disk_that_takes_long_to_keep_a_write(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    stat = tmp_path / "sys/dev/block/8:2/stat"
    stat.write_text(f"{'7 ' * 15}1000 4200\n")
    reading = BY_ID["database-writes"].check(host_roots)
    assert reading.verdict == "unfit" and reading.reading.startswith("a flush took 4.20 ms, the mean of 1000;")
    stat.write_text(f"{'7 ' * 15}0 0\n")
    assert BY_ID["database-writes"].check(host_roots).verdict == "unknown"
    put(tmp_path, {"sys/dev/block/8:2/queue/write_cache": "write through"})
    assert BY_ID["database-writes"].check(host_roots).verdict == "fit"


def test_a_partition_counts_no_flushes_and_its_disk_does(tmp_path: Path) -> None:
    host_roots = trees.tuned(tmp_path)
    shutil.rmtree(tmp_path / "sys/dev/block/8:2")
    disk = "sys/devices/pci0/nvme0n1"
    put(
        tmp_path,
        {
            f"{disk}/queue/write_cache": "write back",
            f"{disk}/stat": f"{'7 ' * 15}100 5",
            f"{disk}/nvme0n1p2/partition": "2",
            f"{disk}/nvme0n1p2/stat": "7 " * 15 + "0 0",
        },
    )
    (tmp_path / "sys/dev/block/8:2").symlink_to("../../devices/pci0/nvme0n1/nvme0n1p2")
    assert BY_ID["database-writes"].check(host_roots)[:2] == ("fit", "a flush took 0.05 ms, the mean of 100")
