"""CPU time on CPUs that are not the role's own: counted by control groups, else estimated by the threads' last CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.memory import OutsideSampler
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.observe.threads import ThreadLog
from .conftest import JVM

Look = Callable[[Targets], Tick]


def test_the_groups_count_by_cpu(roots: Roots, targets: Targets, tmp_path: Path, look: Look) -> None:
    count = tmp_path / "cpuacct.usage_percpu"
    count.write_text("7000000000 1500000 \n")
    aimed = look(replace(targets, cgroups={role: ({"cpu": tmp_path},) for role in ("app", "db")}))
    sampler = OutsideSampler(roots)
    assert sampler.sample(aimed) == {
        "cpu.app.outside_us": 1_500,
        "cpu.db.outside_us": 7_000_000,
        "cpu.load.outside_us": None,
    }
    sampler.close()


def test_without_groups_nothing_is_counted(roots: Roots, targets: Targets, look: Look) -> None:
    assert set(OutsideSampler(roots).sample(look(targets)).values()) == {None}


def run(roots: Roots, thread: int, ticks: int, cpu: int, nice: int = 0) -> None:
    """Set the ticks that a thread of the JVM has used, its last CPU and its nice value."""
    stat = roots.proc / str(JVM) / "task" / str(thread) / "stat"
    head, tail = stat.read_text().rsplit(")", 1)
    fields = tail.split()
    fields[11:13], fields[16], fields[36] = [str(ticks), "0"], str(nice), str(cpu)
    stat.write_text(f"{head}) {' '.join(fields)}\\n")


def test_threads_tell_by_the_cpu_they_were_last_seen_on(roots: Roots, targets: Targets, look: Look) -> None:
    """The application's set is the first CPU; only the time since the last sample counts."""
    for folder in (roots.proc / str(JVM) / "task").iterdir():
        run(roots, int(folder.name), 1, 0)
    log = ThreadLog(roots)
    assert log.sample(0.0, look(targets)) == {"cpu.app.outside_us": 0}
    run(roots, 438, 60, 1)
    run(roots, 440, 90, 0)
    assert log.sample(1.0, look(targets)) == {"cpu.app.outside_us": 590_000}
    run(roots, 438, 80, 0)
    assert log.sample(2.0, look(targets)) == {"cpu.app.outside_us": 590_000}
    log.close()


def test_threads_tell_at_which_priority_they_were_last_seen(roots: Roots, targets: Targets, look: Look) -> None:
    """A thread that is preferred for a moment only, which a single check could miss."""
    for folder in (roots.proc / str(JVM) / "task").iterdir():
        run(roots, int(folder.name), 1, 0)
    harness = roots.proc / "self" / "stat"
    harness.parent.mkdir(exist_ok=True)
    harness.write_text((roots.proc / str(JVM) / "task" / "440" / "stat").read_text())
    log = ThreadLog(roots)
    preferred_us = []
    for ticks, nice in ((1, 0), (60, -5), (90, 0)):
        run(roots, 438, ticks, 0, nice)
        preferred_us.append(log.sample(float(ticks), look(targets))["cpu.app.preferred_us"])
    assert preferred_us == [0, 590_000, 590_000]
    log.close()
