"""Recorded trees, and the ticks of these tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.measuring.observe.processes import Processes
from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.model.host import CpuSets

RECORDED = Path(__file__).parent / "recorded"
TWO_CPUS = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))

JVM = 436
POSTMASTER = 6424


@pytest.fixture
def recorded() -> Path:
    """The folder of recorded trees."""
    return RECORDED


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    """The roots of a copy of the machine with two CPUs, which a test may change."""
    shutil.copytree(RECORDED / "two-cpus", tmp_path / "machine")
    return Roots(proc=tmp_path / "machine" / "proc", sys=tmp_path / "machine" / "sys")


@pytest.fixture
def targets() -> Targets:
    """The JVM as application, PostgreSQL as database, no load yet."""
    return Targets(sets=TWO_CPUS, pids={"app": (JVM,), "db": (POSTMASTER,)})


@pytest.fixture
def look(roots: Roots) -> Callable[[Targets], Tick]:
    """Make a tick of the copied machine as it is now."""

    def tick(targets: Targets) -> Tick:
        processes = Processes(roots)
        processes.begin(targets)
        return Tick(targets, processes)

    return tick


def write_stat(roots: Roots, pid: int, *, parent: int, ticks: tuple[int, int, int, int], faults: int = 0) -> None:
    """A /proc/PID/stat with user, system, waited-for user and system time, in ticks."""
    folder = roots.proc / str(pid)
    folder.mkdir(exist_ok=True)
    times = " ".join(map(str, ticks))
    head = f"{pid} (a (very) odd name) S {parent} {pid} {pid} 0 -1 0 0 0 {faults} 0"
    (folder / "stat").write_text(f"{head} {times} 20 0 1 0 88386 0 0\n")
