from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.vm import (
    CpuSetsSampler,
    DiskSampler,
    NetworkSampler,
    OwnSampler,
    PressureSampler,
    VmSampler,
)
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.model.host import CpuSets

Look = Callable[[Targets], Tick]

# vda of the recorded machine: requests, sectors of 512 bytes, milliseconds.
VDA = {"disk.writes": 52_918, "disk.written_bytes": 9_753_040 * 512, "disk.busy_ms": 22_848}


def test_sets_of_the_recorded_machine(roots: Roots, targets: Targets, look: Look) -> None:
    row = CpuSetsSampler(roots).sample(look(targets))
    assert row["set.app.busy_us"] == (35_453 + 8373 + 745) * 10_000
    assert row["set.app.idle_us"] == 235_542 * 10_000
    assert row["set.app.iowait_us"] == 106 * 10_000
    assert row["set.app.softirq_us"] == 745 * 10_000
    assert row["set.app.steal_us"] == 56 * 10_000
    assert row["set.db.busy_us"] == row["set.housekeeping.busy_us"] == (41_203 + 11_433 + 893) * 10_000


def test_sets_of_two_sockets_with_smt(recorded: Path, targets: Targets, look: Look) -> None:
    sets = CpuSets(app=(0, 1, 8, 9), db=(2, 10), load=(4, 5, 6, 12, 13, 14), housekeeping=(7, 15, 99))
    sampler = CpuSetsSampler(Roots(proc=recorded / "two-sockets" / "proc"))
    row = sampler.sample(look(replace(targets, sets=sets)))
    # user 1000+n, nice 1, system 200+n, irq 2, softirq 3 of CPUs 0, 1, 8 and 9
    assert row["set.app.busy_us"] == (4 * 1206 + 2 * 18) * 10_000
    assert row["set.app.irq_us"] == 4 * 2 * 10_000
    assert row["set.db.iowait_us"] == 12 * 10_000
    assert row["set.load.steal_us"] == 6 * 4 * 10_000
    assert row["set.housekeeping.idle_us"] == 2 * 5000 * 10_000


def test_pressure_of_the_host_and_of_the_database(roots: Roots, targets: Targets, recorded: Path, look: Look) -> None:
    tick = look(replace(targets, cgroups={"db": ({"pressure": recorded / "cgroup2"},)}))
    assert PressureSampler(roots).sample(tick) == {
        "psi.cpu.some_us": 248_513_349,
        "psi.io.some_us": 9_128_262,
        "psi.io.full_us": 7_424_744,
        "psi.memory.some_us": 0,
        "psi.memory.full_us": 0,
        "db.psi.cpu.some_us": 512_345,
        "db.psi.io.some_us": 20_480,
    }


def test_a_kernel_without_pressure_reads_as_none(tmp_path: Path, targets: Targets, look: Look) -> None:
    row = PressureSampler(Roots(proc=tmp_path)).sample(look(targets))
    assert set(row.values()) == {None}


def test_vmstat(roots: Roots, targets: Targets, look: Look) -> None:
    assert VmSampler(roots).sample(look(targets)) == {
        "vm.swapped_in_pages": 0,
        "vm.swapped_out_pages": 0,
        "vm.major_faults": 4706,
        "vm.oom_kills": 0,
        "vm.shared_pages": 31595,
    }


def test_network(roots: Roots, targets: Targets, look: Look) -> None:
    assert NetworkSampler(roots).sample(look(targets)) == {
        "tcp.listen_overflows": 0,
        "tcp.listen_drops": 0,
        "tcp.timeouts": 225,
        "tcp.retransmitted": 2420,
        "tcp.passive_opens": 29143,
        "net.lo.bytes": 1_101_079_425,
        "net.lo.packets": 3_067_043,
    }


def test_without_a_data_folder_all_hardware_disks_count(roots: Roots, targets: Targets, look: Look) -> None:
    (roots.sys / "block" / "vda" / "device").mkdir(parents=True)
    (roots.sys / "block" / "zram0").mkdir()
    assert DiskSampler(roots).sample(look(targets)) == VDA


def test_the_disk_of_the_data_folder_is_found_by_its_number(
    roots: Roots, targets: Targets, tmp_path: Path, look: Look
) -> None:
    device = os.stat(tmp_path).st_dev
    line = f"{os.major(device)} {os.minor(device)} nvme0n1p2 1 2 3 4 50 6 70 8 9 100 11\n"
    (roots.proc / "diskstats").write_text(f" 1 9 ram9 9 9 9 9 9 9 9 9 9 9 9\n {line}")
    assert DiskSampler(roots).sample(look(replace(targets, data_folder=tmp_path))) == {
        "disk.writes": 50,
        "disk.written_bytes": 70 * 512,
        "disk.busy_ms": 100,
    }


def test_files_that_are_not_there_give_no_columns(tmp_path: Path, targets: Targets, look: Look) -> None:
    bare = Roots(proc=tmp_path, sys=tmp_path)
    assert CpuSetsSampler(bare).sample(look(targets)) == {}
    assert DiskSampler(bare).sample(look(targets)) == {}
    assert VmSampler(bare).sample(look(targets)) == {}
    assert set(NetworkSampler(bare).sample(look(targets)).values()) == {None}


def test_own_cost_grows(roots: Roots, targets: Targets, look: Look) -> None:
    sampler = OwnSampler(roots)
    before = sampler.sample(look(targets))["sampler.us"]
    sum(number * number for number in range(300_000))
    after = sampler.sample(look(targets))["sampler.us"]
    assert before is not None
    assert after is not None
    assert after > before
