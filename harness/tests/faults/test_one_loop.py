"""One event loop on several CPUs. The application has all CPUs here, since a set of one has nothing to share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.measuring.run.context import Context
from plumbline.model.host import CpuSets
from tests.live.conftest import every_cpu_for_app
from .bench import FAULTY, Fault, FaultBench, phases

# The compiler's threads are busy for long after the start, and share the work of any loop.
LOAD = phases(warm_up_s=15, closed_s=8)


@pytest.fixture(scope="module")
def sets(context: Context) -> CpuSets:
    """Everybody may run everywhere."""
    found = every_cpu_for_app(context)
    assert len(found.app) > 1, "this host has one CPU"
    return found


@pytest.fixture(scope="module")
def bench(bench: FaultBench) -> FaultBench:
    """No set is anybody's own."""
    return replace(bench, trips=frozenset({"R19"}))


def test_one_loop_of_several_is_named_and_two_are_not(bench: FaultBench) -> None:
    """In the profile `tuned` there is one loop for each processor; by itself Vert.x has two."""
    two = Fault(program=FAULTY, subject=f"{FAULTY}+profile=tuned", flags=told(2), scenario="hello", load=LOAD)
    fault = replace(two, flags=told(1), twin=two)
    found = bench.alone(fault)
    assert any("vert.x-eventloo alone" in one.reading for one in found.named("R3")), found.readings("R3")
    clean = bench.clean(fault)
    assert not any("vert.x-eventloo alone" in one.reading for one in clean.named("R3")), clean.readings("R3")


def told(processors: int) -> tuple[str, ...]:
    """The flag of a JVM that is told of so many processors."""
    return (f"-XX:ActiveProcessorCount={processors}",)
