"""Gives a trial that proves a limit its testbed: the session's own with less CPU time, or one on other CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from plumbline.model.host import CpuSets
from plumbline.model.plan import LESS_CPU, PlannedTrial
from plumbline.model.subject import Engine
from .context import Context
from .opening import open_testbed
from .testbed import Testbed

OpenOther = Callable[[ExitStack, CpuSets], Testbed]


def opener(context: Context, session: str, folder: Path, lock: int, engine: Engine) -> OpenOther:
    """Open a second testbed beside the session's own, with a database of the same engine, on other CPUs."""

    def opened(stack: ExitStack, sets: CpuSets) -> Testbed:
        logs = folder / "proof"
        logs.mkdir(exist_ok=True)
        return open_testbed(
            stack,
            context.again(),
            # A name of its own: what ends one testbed must not end the other.
            session=f"{session}-proof",
            sets=sets,
            folder=logs,
            lock=lock,
            engine=engine,
        )

    return opened


@contextmanager
def testbed_for(trial: PlannedTrial, usual: Testbed, open_other: OpenOther) -> Iterator[Testbed]:
    """The testbed that a trial runs on; the usual one for all that prove nothing."""
    if trial.proof is None:
        yield usual
    elif trial.sets is not None:
        with ExitStack() as stack:
            other = open_other(stack, trial.sets)
            its = tuple(pid for pid in usual.own_pids if pid not in other.own_pids)
            yield replace(other, other_supervisors=its, other_databases=(usual.database,))
    elif trial.proof == "less application CPU":
        less = LESS_CPU * len(usual.sets.app)
        usual.placement.limit("app", less)
        try:
            yield replace(usual, cpu_limit=less)
        finally:
            usual.placement.limit("app", None)
    else:
        yield usual
