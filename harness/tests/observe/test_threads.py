from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.observe.threads import NAMED_THREADS, ThreadLog
from plumbline.model.evidence import Window
from .conftest import JVM

Look = Callable[[Targets], Tick]


def spend(roots: Roots, thread: int, user: int, system: int, name: str | None = None) -> None:
    """Set the ticks of a thread of the JVM, and its name."""
    stat = roots.proc / str(JVM) / "task" / str(thread) / "stat"
    head, tail = stat.read_text().rsplit(")", 1)
    fields = tail.split()
    fields[11:13] = [str(user), str(system)]
    stat.write_text(f"{thread} ({name or head.split('(', 1)[1]}) {' '.join(fields)}\n")


def window(start_s: float, end_s: float, phase: str = "closed") -> Window:
    return Window(phase=phase, kind="closed", start_s=start_s, end_s=end_s)


def test_time_is_summed_by_thread_within_a_window(roots: Roots, targets: Targets, look: Look, tmp_path: Path) -> None:
    log = ThreadLog(roots)
    log.sample(0.0, look(targets))
    spend(roots, 438, 60, 48, name="event-loop")
    spend(roots, 452, 20, 0)
    log.sample(1.0004, look(targets))
    log.sample(2.0, look(targets))
    spend(roots, 438, 80, 48)
    log.sample(3.0, look(targets))
    log.close()
    whole = log.use([window(0.0, 3.0)])
    assert [(use.name, use.cpu_us) for use in whole] == [
        ("event-loop", 1_200_000),
        ("C2 CompilerThre", 200_000),
    ]
    # Half of the first second and half of the last one.
    part = log.use([window(0.5, 2.5, "open@50")])
    assert [(use.phase, use.cpu_us) for use in part] == [("open@50", 600_000), ("open@50", 100_000)]
    assert log.use([window(1.0, 2.0)]) == ()

    log.write(tmp_path / "threads.jsonl.gz")
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "threads.jsonl.gz").read_bytes()).splitlines()]
    assert [line["t_s"] for line in lines] == [0.0, 1.0, 2.0, 3.0]
    assert lines[0]["cpu_us"] == {"438": 80_000}
    assert lines[0]["names"]["439"] == "GC Thread#0"
    assert lines[1] == {
        "t_s": 1.0,
        "cpu_us": {"438": 1_080_000, "452": 200_000},
        "names": {"438": "event-loop"},
    }
    assert lines[2] == {"t_s": 2.0, "cpu_us": {}, "names": {}}


def test_the_smaller_ones_are_others(roots: Roots, targets: Targets, look: Look) -> None:
    threads = [439, 440, 441, 442, 443, 445, 446, 447, 448, 449, 450, 451, 452, 453, 454]
    log = ThreadLog(roots)
    log.sample(0.0, look(targets))
    for number, thread in enumerate(threads):
        spend(roots, thread, 100 - number, 0)
    log.sample(1.0, look(targets))
    uses = log.use([window(0.0, 1.0)])
    assert len(uses) == NAMED_THREADS + 1
    assert uses[-1].name == "others (3 threads)"
    assert uses[-1].cpu_us == (88 + 87 + 86) * 10_000


def test_a_thread_born_and_ended_in_between_keeps_what_was_seen(roots: Roots, targets: Targets, look: Look) -> None:
    log = ThreadLog(roots)
    log.sample(0.0, look(targets))
    tasks = roots.proc / str(JVM) / "task"
    shutil.copytree(tasks / "452", tasks / "900")
    spend(roots, 900, 40, 0, name="worker")
    log.sample(1.0, look(targets))
    shutil.rmtree(tasks / "900")
    log.sample(2.0, look(targets))
    assert [(use.name, use.cpu_us) for use in log.use([window(0.0, 2.0)])] == [("worker", 400_000)]


def test_an_application_that_is_gone_has_no_threads(roots: Roots, targets: Targets, look: Look) -> None:
    shutil.rmtree(roots.proc / str(JVM))
    log = ThreadLog(roots)
    log.sample(0.0, look(targets))
    log.sample(1.0, look(targets))
    assert log.use([window(0.0, 1.0)]) == ()


def test_who_looks_into_a_jvm_is_named_though_it_used_no_time(roots: Roots, targets: Targets, look: Look) -> None:
    log = ThreadLog(roots)
    log.sample(0.0, look(targets))
    spend(roots, 438, 60, 48, name="event-loop")
    log.sample(1.0, look(targets))
    spend(roots, 452, 0, 0, name="Attach Listener")
    log.sample(2.0, look(targets))
    log.close()
    assert [use.name for use in log.use([window(0.0, 1.0)])] == ["event-loop"]
    assert [(use.name, use.cpu_us) for use in log.use([window(1.0, 2.0)])] == [("Attach Listener", 0)]
