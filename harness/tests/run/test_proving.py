"""Where a proof runs: the session's stage as it is, with less CPU time, or another stage that is closed behind it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from plumbline.model.host import CpuSets
from plumbline.model.plan import PlannedTrial, Proof
from plumbline.run.proving import stage_for
from plumbline.run.stage import Stage

SETS = CpuSets(app=(4, 5), db=(2, 3), load=(1,), housekeeping=(0,))


@dataclass
class Limits:
    """A placement that remembers what it was told."""

    told: list[tuple[str, float | None]] = field(default_factory=list)

    def limit(self, role: str, cpus: float | None) -> None:
        self.told.append((role, cpus))


@dataclass(frozen=True)
class Usual:
    """As much of a stage as a proof asks for."""

    placement: Limits
    sets: CpuSets = SETS
    own_pids: tuple[int, ...] = (1, 2)
    database: str = "the session's"
    cpu_limit: float | None = None


def usual() -> Stage:
    return cast(Stage, Usual(Limits()))


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


def no_other(stack: ExitStack, sets: CpuSets) -> Stage:
    raise AssertionError("nobody asked for other CPUs")


def told(stage: Stage) -> list[tuple[str, float | None]]:
    return cast(Limits, stage.placement).told


@pytest.mark.parametrize("proof", [None, "twice the connections"])
def test_most_trials_run_on_the_stage_as_it_is(proof: Proof | None) -> None:
    stage = usual()
    with stage_for(planned(proof), stage, no_other) as its:
        assert its is stage
    assert told(stage) == []


def test_less_cpu_time_is_given_back_whatever_happens() -> None:
    stage = usual()
    with (
        pytest.raises(RuntimeError),
        stage_for(planned("less application CPU"), stage, no_other) as its,
    ):
        # By the role's group for a process, by its engine for a container.
        assert its.cpu_limit == 1.5 and told(stage) == [("app", 1.5)]
        raise RuntimeError
    assert told(stage) == [("app", 1.5), ("app", None)]


def test_other_cpus_are_another_stage_that_knows_of_the_first_and_is_closed() -> None:
    @dataclass(frozen=True)
    class Opened:
        sets: CpuSets
        own_pids: tuple[int, ...] = (1, 7)
        others: tuple[int, ...] = ()
        beside: tuple[Any, ...] = ()

    closed: list[str] = []

    def open_other(stack: ExitStack, sets: CpuSets) -> Stage:
        stack.callback(closed.append, "closed")
        return cast(Stage, Opened(sets))

    more = SETS.model_copy(update={"db": (2, 3, 6)})
    stage = usual()
    with stage_for(planned("more database CPU", more), stage, open_other) as its:
        assert (its.sets, its.others, its.beside) == (more, (2,), ("the session's",))
        assert closed == []
    assert closed == ["closed"] and told(stage) == []
