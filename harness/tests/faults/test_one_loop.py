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
    """CPU sets by which every role may run on every CPU."""
    shared_sets = every_cpu_for_app(context)
    assert len(shared_sets.app) > 1, "this host has one CPU"
    return shared_sets


@pytest.fixture(scope="module")
def bench(bench: FaultBench) -> FaultBench:
    """A bench on which no role has CPUs of its own, so that R19 trips."""
    return replace(bench, trips=frozenset({"R19"}))


def test_one_loop_of_several_is_named_and_two_are_not(bench: FaultBench) -> None:
    """In the profile `tuned` there is one loop for each processor; by itself Vert.x has two."""
    two = Fault(
        program=FAULTY, subject=f"{FAULTY}+profile=tuned", flags=flag_of_processors(2), scenario="hello", load=LOAD
    )
    fault = replace(two, flags=flag_of_processors(1), twin=two)
    found = bench.alone(fault)
    assert any("vert.x-eventloo alone" in finding.reading for finding in found.named("R3")), found.readings("R3")
    clean = bench.clean(fault)
    assert not any("vert.x-eventloo alone" in finding.reading for finding in clean.named("R3")), clean.readings("R3")


def flag_of_processors(processors: int) -> tuple[str, ...]:
    """The flag of a JVM that shall count so many processors."""
    return (f"-XX:ActiveProcessorCount={processors}",)
