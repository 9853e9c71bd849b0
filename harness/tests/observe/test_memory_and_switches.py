from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.memory import MemorySampler, SwitchesSampler, ThrottlingSampler
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.place.interface import Account, PlacedRole
from .conftest import JVM, POSTMASTER, TWO_CPUS, write_stat

Look = Callable[[Targets], Tick]


def test_resident_memory_counts_shared_pages_once(roots: Roots, targets: Targets, look: Look) -> None:
    row = MemorySampler(roots).sample(look(targets))
    assert row["app.rss_bytes"] == (158_964 + 23_580) * 1024
    assert row["db.rss_bytes"] == (1464 + 1500 + 1544 + 1500 + 12_180 + 23_000) * 1024
    assert row["app.swap_bytes"] == 0
    assert row["load.rss_bytes"] is None


def test_swapped_pages_are_summed(roots: Roots, targets: Targets, look: Look) -> None:
    status = roots.proc / str(JVM) / "status"
    status.write_text(status.read_text().replace("VmSwap:\t       0 kB", "VmSwap:\t     123 kB"))
    assert MemorySampler(roots).sample(look(targets))["app.swap_bytes"] == 123 * 1024


@pytest.mark.parametrize("version", ["cgroup1", "cgroup2"])
def test_peak_kills_and_throttling_come_from_the_cgroup(
    version: str, roots: Roots, targets: Targets, recorded: Path, look: Look
) -> None:
    folders: dict[PlacedRole, tuple[dict[Account, Path], ...]] = {
        "app": ({"cpu": recorded / version, "memory": recorded / version},)
    }
    tick = look(replace(targets, cgroups=folders))
    row = MemorySampler(roots).sample(tick)
    assert (row["app.memory_peak_bytes"], row["app.oom_kills"]) == (734_003_200, 1)
    assert (row["db.memory_peak_bytes"], row["db.oom_kills"]) == (None, None)
    row = ThrottlingSampler(roots).sample(tick)
    assert (row["app.throttled_us"], row["app.throttled_periods"]) == (431_250, 7)
    assert row["db.throttled_us"] is row["harness.throttled_us"] is None


def test_several_cgroups_of_a_role_are_summed_with_those_that_were(
    roots: Roots, targets: Targets, recorded: Path, tmp_path: Path, look: Look
) -> None:
    (tmp_path / "memory.peak").write_text("1000\n")
    (tmp_path / "memory.events").write_text("oom_kill 2\n")
    (tmp_path / "cpu.stat").write_text("nr_throttled 3\nthrottled_usec 50\n")
    recorded_group: dict[Account, Path] = dict.fromkeys(("cpu", "memory"), recorded / "cgroup2")
    own_group: dict[Account, Path] = dict.fromkeys(("cpu", "memory"), tmp_path)
    memory, throttling = MemorySampler(roots), ThrottlingSampler(roots)

    def values(*groups: dict[Account, Path]) -> tuple[float | None, ...]:
        tick = look(replace(targets, cgroups={"load": groups}))
        row = {**memory.sample(tick), **throttling.sample(tick)}
        return tuple(
            row[f"load.{name}"] for name in ("memory_peak_bytes", "oom_kills", "throttled_us", "throttled_periods")
        )

    # Before the first group nothing is known; while there is no group, there is no peak.
    assert values() == (None, None, None, None)
    assert values(recorded_group, own_group) == (734_004_200, 3, 431_300, 10)
    assert values() == (None, 3, 431_300, 10)
    (tmp_path / "cpu.stat").unlink()
    assert values({"cpu": tmp_path}) == (1000, 5, None, None)


def test_stops_by_quotas_around_all_roles_are_summed_apart(
    roots: Roots, targets: Targets, recorded: Path, look: Look
) -> None:
    around: tuple[dict[Account, Path], ...] = ({"quota": recorded / "cgroup2"}, {"quota": recorded / "cgroup1"})
    row = ThrottlingSampler(roots).sample(look(replace(targets, above={"harness": around})))
    assert (row["harness.throttled_us"], row["harness.throttled_periods"]) == (862_500, 14)
    assert row["app.throttled_us"] is None


def test_switches_are_summed_over_threads(roots: Roots, targets: Targets, look: Look) -> None:
    row = SwitchesSampler(roots).sample(look(targets))
    assert (row["app.threads"], row["db.threads"], row["load.threads"]) == (19, 4, None)
    assert (row["app.voluntary_switches"], row["app.involuntary_switches"]) == (396, 163)
    assert row["db.voluntary_switches"] == 1298 + 40 + 303 + 26
    assert row["db.involuntary_switches"] == 44 + 3 + 16 + 3
    assert (row["app.major_faults"], row["db.major_faults"]) == (1, 180)


def test_switches_of_a_thread_that_ended_stay(roots: Roots, targets: Targets, look: Look) -> None:
    sampler = SwitchesSampler(roots)
    before = sampler.sample(look(targets))
    shutil.rmtree(roots.proc / str(JVM) / "task" / "452")
    assert sampler.sample(look(targets))["app.voluntary_switches"] == before["app.voluntary_switches"]


def test_a_process_that_vanished_is_not_read(roots: Roots, targets: Targets, look: Look) -> None:
    shutil.rmtree(roots.proc / str(JVM))
    row = SwitchesSampler(roots).sample(look(targets))
    assert row["app.threads"] is row["app.major_faults"] is row["app.voluntary_switches"] is None
    assert row["db.threads"] == 4
    assert MemorySampler(roots).sample(look(targets))["app.rss_bytes"] is None


def test_a_process_without_status_is_left_out(roots: Roots, look: Look) -> None:
    write_stat(roots, 500, parent=POSTMASTER, ticks=(0, 0, 0, 0), faults=4)
    row = SwitchesSampler(roots).sample(look(Targets(sets=TWO_CPUS, pids={"db": (POSTMASTER,)})))
    assert (row["db.threads"], row["db.major_faults"]) == (5, 184)
    assert row["db.voluntary_switches"] == 1298 + 40 + 303 + 26
