"""Bytes that processes sent to storage, by the kernel's own count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.memory import WrittenSampler
from plumbline.measuring.observe.targets import Roots, Targets
from .conftest import JVM, write_stat

Look = Callable[[Targets], Tick]


def write_io(roots: Roots, pid: int, written: int) -> None:
    (roots.proc / str(pid) / "io").write_text(
        f"rchar: 1\nwchar: 99\nread_bytes: 2\nwrite_bytes: {written}\ncancelled_write_bytes: 5\n"
    )


def test_it_counts_what_went_to_storage(roots: Roots, targets: Targets, look: Look) -> None:
    write_io(roots, JVM, 8192)
    assert WrittenSampler(roots).sample(look(targets)) == {
        "app.written_bytes": 8192,
        "load.written_bytes": 0,
    }


def test_children_count_and_what_ended_stays(roots: Roots, targets: Targets, look: Look) -> None:
    write_stat(roots, 500, parent=1, ticks=(1, 0, 0, 0))
    write_stat(roots, 501, parent=500, ticks=(1, 0, 0, 0))
    write_io(roots, 500, 100)
    write_io(roots, 501, 20)
    sampler = WrittenSampler(roots)
    loaded = replace(targets, pids={"load": (500,)})
    assert sampler.sample(look(loaded))["load.written_bytes"] == 120
    assert sampler.sample(look(targets))["load.written_bytes"] == 120
    write_stat(roots, 600, parent=1, ticks=(1, 0, 0, 0))
    write_io(roots, 600, 7)
    assert sampler.sample(look(replace(targets, pids={"load": (600,)})))["load.written_bytes"] == 127
    sampler.close()


def test_a_process_of_somebody_else_is_not_read(roots: Roots, targets: Targets, look: Look) -> None:
    """The file of a process can be read by the owner of the process alone, or by root."""
    assert WrittenSampler(roots).sample(look(targets))["app.written_bytes"] is None


def test_a_process_of_somebody_else_is_read_by_a_service(roots: Roots, targets: Targets, look: Look) -> None:
    files = {(JVM, "io"): b"read_bytes: 1\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n"}
    others_roots = replace(roots, read_privileged=lambda pid, name: files.get((pid, name)))
    assert WrittenSampler(others_roots).sample(look(targets))["app.written_bytes"] == 8192
