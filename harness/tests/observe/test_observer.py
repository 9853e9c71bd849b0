from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.measuring.observe.observer import Observer
from plumbline.measuring.observe.samplers.base import Row, Sampler, Tick
from plumbline.measuring.observe.targets import Roots, Targets


class FakeTime:
    """A clock that moves only while the observer waits or works; after `until_s` a wait answers stop."""

    def __init__(self, until_s: float) -> None:
        self.now_s = 100.0
        self.until_s = 100.0 + until_s
        self.actions: dict[int, object] = {}

    def now(self) -> float:
        return self.now_s

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        if self.now_s + seconds > self.until_s:
            self.now_s = self.until_s
            return True
        self.now_s += seconds
        return False


class Counting:
    """Counts its ticks, which take some time each; says which process is the load."""

    def __init__(self, time: FakeTime, costs_s: Sequence[float] = ()) -> None:
        self.time = time
        self.costs_s = list(costs_s)
        self.ticks = 0
        self.closed = False

    def sample(self, tick: Tick) -> Row:
        self.ticks += 1
        if self.costs_s:
            self.time.now_s += self.costs_s.pop(0)
        return {
            "vm.major_faults": 1000 + self.ticks,
            "db.active": self.ticks,
            "sampler.us": self.ticks * 2000,
        }

    def close(self) -> None:
        self.closed = True


def observer(
    roots: Roots,
    targets: Targets,
    time: FakeTime,
    sampler: Sampler,
    pinned: list[tuple[int, ...]] | None = None,
) -> Observer:
    def pin(cpus: Iterable[int]) -> None:
        if pinned is None:
            raise OSError("not one of ours")
        pinned.append(tuple(cpus))

    return Observer(roots, targets, zero_s=99.75, samplers=[sampler], now=time.now, wait=time.wait, pin=pin)


def test_ticks_lie_on_the_grid_of_the_trial(roots: Roots, targets: Targets) -> None:
    time = FakeTime(until_s=3.5)
    pinned: list[tuple[int, ...]] = []
    sampler = Counting(time, costs_s=[0.02, 0.03, 0.01, 0.02, 0.0])
    watching = observer(roots, targets, time, sampler, pinned)
    watching.start()
    series = watching.stop()
    assert series.t_s == (0.25, 1.0, 2.0, 3.0, 3.75)
    assert series.columns["vm.major_faults"] == (0, 1, 2, 3, 4)
    assert series.columns["db.active"] == (1, 2, 3, 4, 5)
    assert series.columns["sampler.us"] == (0, 2000, 4000, 6000, 8000)
    assert pinned == [targets.sets.housekeeping]
    assert sampler.closed
    assert watching.stop() == series


def test_a_late_tick_keeps_its_real_time_and_a_missed_one_is_left_out(roots: Roots, targets: Targets) -> None:
    time = FakeTime(until_s=6.0)
    watching = observer(roots, targets, time, Counting(time, costs_s=[0.0, 2.5, 0.0]))
    watching.start()
    assert watching.stop().t_s == (0.25, 1.0, 4.0, 5.0, 6.0, 6.25)


def test_a_new_target_is_seen_from_the_next_tick_on(roots: Roots, targets: Targets) -> None:
    time = FakeTime(until_s=2.0)
    roots_of_load: list[tuple[int, ...]] = []

    class Watching(Counting):
        def sample(self, tick: Tick) -> Row:
            roots_of_load.append(tick.targets.roots_of("load"))
            watching.aim(replace(watching.targets, pids={"load": (len(roots_of_load),)}))
            return super().sample(tick)

    watching = observer(roots, targets, time, Watching(time))
    watching.start()
    watching.stop()
    assert roots_of_load == [(), (1,), (2,), (3,)]


def test_threads_are_not_written_where_the_application_took_the_name(
    roots: Roots, targets: Targets, tmp_path: Path
) -> None:
    time = FakeTime(until_s=1.0)
    watching = observer(roots, targets, time, Counting(time))
    watching.start()
    watching.stop()
    taken, free = tmp_path / "taken", tmp_path / "free"
    taken.mkdir()
    for path in (taken, free):
        watching.write_threads(path)
    assert taken.is_dir() and free.is_file()


def test_an_error_of_a_sampler_is_raised_by_stop(roots: Roots, targets: Targets) -> None:
    time = FakeTime(until_s=2.0)

    class Broken(Counting):
        def sample(self, tick: Tick) -> Row:
            raise ZeroDivisionError

    sampler = Broken(time)
    watching = observer(roots, targets, time, sampler)
    watching.start()
    with pytest.raises(ZeroDivisionError):
        watching.stop()
    assert sampler.closed
