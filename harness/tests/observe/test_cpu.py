from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.cpu import CpuSampler
from plumbline.measuring.observe.targets import Roots, Targets
from .conftest import JVM, POSTMASTER, TWO_CPUS, write_stat

Look = Callable[[Targets], Tick]


def test_without_cgroups_it_sums_processes_and_what_they_waited_for(roots: Roots, targets: Targets, look: Look) -> None:
    row = CpuSampler(roots).sample(look(targets))
    assert row["cpu.app.user_us"] == 3 * 10_000
    assert row["cpu.app.system_us"] == 9 * 10_000
    assert row["cpu.db.user_us"] == (4 + 516) * 10_000
    assert row["cpu.db.system_us"] == (29 + 485 + 1) * 10_000


def test_it_never_falls_while_backends_end(roots: Roots, look: Look) -> None:
    targets = Targets(sets=TWO_CPUS, pids={"db": (500,)})
    sampler = CpuSampler(roots)
    write_stat(roots, 500, parent=1, ticks=(10, 1, 100, 10))
    write_stat(roots, 501, parent=500, ticks=(40, 4, 0, 0))
    assert sampler.sample(look(targets))["cpu.db.user_us"] == 150 * 10_000
    (roots.proc / "501" / "stat").unlink()
    (roots.proc / "501").rmdir()
    # Ended, and not yet in its parent's waited-for time.
    assert sampler.sample(look(targets))["cpu.db.user_us"] == 150 * 10_000
    write_stat(roots, 500, parent=1, ticks=(10, 1, 142, 14))
    row = sampler.sample(look(targets))
    assert (row["cpu.db.user_us"], row["cpu.db.system_us"]) == (152 * 10_000, 15 * 10_000)


def test_a_grandchild_counts(roots: Roots, look: Look) -> None:
    write_stat(roots, 500, parent=1, ticks=(1, 0, 0, 0))
    write_stat(roots, 501, parent=500, ticks=(2, 0, 0, 0))
    write_stat(roots, 502, parent=501, ticks=(4, 0, 0, 0))
    targets = Targets(sets=TWO_CPUS, pids={"app": (500,)})
    assert CpuSampler(roots).sample(look(targets))["cpu.app.user_us"] == 70_000


def test_the_harness_counts_without_its_children(roots: Roots, look: Look) -> None:
    write_stat(roots, 500, parent=1, ticks=(5, 2, 1000, 1000))
    write_stat(roots, 501, parent=500, ticks=(300, 300, 0, 0))
    targets = Targets(sets=TWO_CPUS, pids={"harness": (500,)})
    row = CpuSampler(roots).sample(look(targets))
    assert (row["cpu.harness.user_us"], row["cpu.harness.system_us"]) == (50_000, 20_000)


def test_each_new_k6_adds_to_those_before(roots: Roots, look: Look) -> None:
    targets = Targets(sets=TWO_CPUS)
    sampler = CpuSampler(roots)
    assert sampler.sample(look(targets))["cpu.load.user_us"] == 0
    write_stat(roots, 500, parent=1, ticks=(70, 0, 0, 0))
    assert sampler.sample(look(replace(targets, pids={"load": (500,)})))["cpu.load.user_us"] == 700_000
    assert sampler.sample(look(targets))["cpu.load.user_us"] == 700_000
    write_stat(roots, 600, parent=1, ticks=(5, 0, 0, 0))
    assert sampler.sample(look(replace(targets, pids={"load": (600,)})))["cpu.load.user_us"] == 750_000


def test_a_process_that_vanished_is_not_read(roots: Roots, targets: Targets, look: Look) -> None:
    sampler = CpuSampler(roots)
    tick = look(replace(targets, pids={"app": (99999,), "db": (POSTMASTER,)}))
    row = sampler.sample(tick)
    assert row["cpu.app.user_us"] is None
    assert row["cpu.db.user_us"] is not None


@pytest.mark.parametrize("version", ["cgroup1", "cgroup2"])
def test_a_cgroup_is_believed_before_proc(
    version: str, roots: Roots, targets: Targets, recorded: Path, look: Look
) -> None:
    row = CpuSampler(roots).sample(look(replace(targets, cgroups={"app": ({"cpu": recorded / version},)})))
    assert (row["cpu.app.user_us"], row["cpu.app.system_us"]) == (61_400_100, 12_050_023)


def test_a_cgroup_without_cpu_accounting_leaves_it_to_proc(
    roots: Roots, targets: Targets, tmp_path: Path, look: Look
) -> None:
    (tmp_path / "cpu.stat").write_text("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n")
    row = CpuSampler(roots).sample(look(replace(targets, cgroups={"app": ({"cpu": tmp_path},)})))
    assert row["cpu.app.user_us"] == 30_000


def test_what_the_ticks_of_version_1_miss_is_counted(
    roots: Roots, targets: Targets, tmp_path: Path, look: Look
) -> None:
    def write(whole_ns: int, user_ns: int, system_ns: int) -> None:
        for name, value in (("usage", whole_ns), ("usage_user", user_ns), ("usage_sys", system_ns)):
            (tmp_path / f"cpuacct.{name}").write_text(f"{value}\n")

    sampler = CpuSampler(roots)
    aimed = replace(targets, cgroups={"app": ({"cpu": tmp_path},)})
    write(4_000_000, 2_000_000, 2_000_000)
    first = sampler.sample(look(aimed))
    assert (first["cpu.app.user_us"], first["cpu.app.system_us"]) == (2_000, 2_000)
    # Read off a JVM that answered 20,000 requests a second: the ticks saw three quarters of it.
    write(2_671_000_000, 554_000_000, 1_470_000_000)
    row = sampler.sample(look(aimed))
    assert row["cpu.app.user_us"] == pytest.approx(2_000 + 2_667_000 * 552 / 2020, abs=1)
    assert (row["cpu.app.user_us"] or 0) + (row["cpu.app.system_us"] or 0) == pytest.approx(2_671_000, abs=1)
    # No tick fell on the little work since then: neither part of the time may ever fall.
    write(2_671_500_000, 554_000_000, 1_470_000_000)
    after = sampler.sample(look(aimed))
    assert (after["cpu.app.user_us"] or 0) - (row["cpu.app.user_us"] or 0) == pytest.approx(500, abs=1)
    assert after["cpu.app.system_us"] == row["cpu.app.system_us"]


def test_a_database_out_of_sight_is_not_read(roots: Roots, targets: Targets, look: Look) -> None:
    row = CpuSampler(roots).sample(look(replace(targets, pids={"app": (JVM,)})))
    assert row["cpu.db.user_us"] is None and row["cpu.db.system_us"] is None
    assert row["cpu.app.user_us"] is not None
    # Between two phases there is no load, and its sum is known.
    assert row["cpu.load.user_us"] == 0
