"""One event loop on several CPUs. The application has all CPUs here, since a set of one has nothing to share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from plumbline.host.kernel import allowed_cpus
from plumbline.launch.lock import MachineLock
from plumbline.run.context import Context
from plumbline.run.opening import open_testbed, sweep
from plumbline.run.testbed import Testbed
from .bench import FAULTY, Fault, FaultBench, phases

# The compiler's threads are busy for long after the start, and share the work of any loop.
LOAD = phases(warm_up_s=15, closed_s=8)


@pytest.fixture(scope="module")
def testbed(context: Context, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Testbed]:
    """Everybody may run everywhere."""
    everywhere = tuple(sorted(allowed_cpus(context.proc)))
    assert len(everywhere) > 1, "this host has one CPU"
    sets = context.sets.model_copy(update={"app": everywhere})
    with MachineLock() as lock, ExitStack() as stack:
        sweep(context)
        yield open_testbed(
            stack,
            context,
            session="one-loop",
            sets=sets,
            folder=tmp_path_factory.mktemp("testbed"),
            lock=lock.descriptor,
        )


@pytest.mark.parametrize(("loops", "named"), [(1, True), (2, False)])
def test_one_loop_of_several_is_named_and_two_are_not(bench: FaultBench, loops: int, named: bool) -> None:
    """In the profile `tuned` there is one loop for each processor; by itself Vert.x has two."""
    told = (f"-XX:ActiveProcessorCount={loops}", "-jar", "app.jar")
    tuned = f"{FAULTY}+profile=tuned"
    found = bench.alone(Fault(program=FAULTY, subject=tuned, run=told, scenario="hello", load=LOAD))
    named_it = any("vert.x-eventloo alone" in one.reading for one in found.named("R3"))
    assert named_it is named, found.readings("R3")
