"""Where a proof runs: on the usual testbed, with less CPU time, or on another one that is closed afterwards."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from plumbline.measuring.run.opening import testbed_for
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.host import CpuSets
from plumbline.model.plan import PlannedTrial, Proof

SETS = CpuSets(app=(4, 5), db=(2, 3), load=(1,), housekeeping=(0,))


@dataclass
class Limits:
    """A placement that remembers each limit that it was told."""

    told: list[tuple[str, float | None]] = field(default_factory=list)

    def limit(self, role: str, cpus: float | None) -> None:
        self.told.append((role, cpus))


@dataclass(frozen=True)
class Usual:
    """As much of a testbed as a proof asks for."""

    placement: Limits
    sets: CpuSets = SETS
    own_pids: tuple[int, ...] = (1, 2)
    database: str = "the session's"
    cpu_limit: float | None = None


def usual() -> Testbed:
    return cast(Testbed, Usual(Limits()))


def planned(proof: Proof | None, sets: CpuSets | None = None) -> PlannedTrial:
    return PlannedTrial(
        number=9,
        block=3,
        subject="vertx-pg/jvm/pg",
        scenario="fruits@1",
        role="measured" if proof is None else "proof",
        sets=sets,
        proof=proof,
    )


def no_other(stack: ExitStack, sets: CpuSets) -> Testbed:
    raise AssertionError("nobody asked for other CPUs")


def limits_of(testbed: Testbed) -> list[tuple[str, float | None]]:
    return cast(Limits, testbed.placement).told


@pytest.mark.parametrize("proof", [None, "twice the connections"])
def test_most_trials_run_on_the_testbed_as_it_is(proof: Proof | None) -> None:
    testbed = usual()
    with testbed_for(planned(proof), testbed, no_other) as chosen:
        assert chosen is testbed
    assert limits_of(testbed) == []


def test_less_cpu_time_is_given_back_whatever_happens() -> None:
    testbed = usual()
    with (
        pytest.raises(RuntimeError),
        testbed_for(planned("less application CPU"), testbed, no_other) as chosen,
    ):
        # By the role's group for a process, by its engine for a container.
        assert cast(Testbed, chosen).cpu_limit == 1.5 and limits_of(testbed) == [("app", 1.5)]
        raise RuntimeError
    assert limits_of(testbed) == [("app", 1.5), ("app", None)]


def test_other_cpus_are_another_testbed_that_knows_of_the_first_and_is_closed() -> None:
    @dataclass(frozen=True)
    class Opened:
        sets: CpuSets
        own_pids: tuple[int, ...] = (1, 7)
        other_supervisors: tuple[int, ...] = ()
        other_databases: tuple[Any, ...] = ()

    closed: list[str] = []

    def open_other(stack: ExitStack, sets: CpuSets) -> Testbed:
        stack.callback(closed.append, "closed")
        return cast(Testbed, Opened(sets))

    more_cpus = SETS.model_copy(update={"db": (2, 3, 6)})
    testbed = usual()
    with testbed_for(planned("more database CPU", more_cpus), testbed, open_other) as chosen:
        other: Any = chosen
        assert (other.sets, other.other_supervisors, other.other_databases) == (more_cpus, (2,), ("the session's",))
        assert closed == []
    assert closed == ["closed"] and limits_of(testbed) == []
