"""A warm-up that goes on until steady: cycle after cycle of load, and rest between them.

A cycle is a load of its own, which ends by itself with every request answered: nothing is cut off when enough is seen.
A rest is as long as the application still works without load, which is the compiler's work: where one CPU serves at
full load, most compilations wait for a rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from plumbline.figures.warming import Loads
from plumbline.load.merge import cycles_merged
from plumbline.model.evidence import LoadResult
from plumbline.model.plan import Phase

# How often a rest asks whether the application is idle, in seconds.
LOOK_S = 0.5


def until_warm(
    phase: Phase,
    load: Callable[[Phase], tuple[LoadResult, Loads]],
    is_over: Callable[[Loads], bool],
    is_idle: Callable[[Loads], bool],
    meet: Callable[[], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[LoadResult, Loads]:
    """All cycles as one result, and when each was.

    After each cycle comes a rest, until `is_idle` says that the application is idle, at most `pause_s`. `is_over` is
    asked after it from `least_cycles` on, of the times of all cycles; `meet` is called before the next cycle.
    """
    results: list[LoadResult] = []
    loads: Loads = ()
    while len(results) < phase.cycles:
        # Each has a name of its own, for what k6 writes and for the rows that a load adds.
        cycle = phase.one_cycle.model_copy(update={"name": f"{phase.name}.{len(results) + 1}"})
        result, its = load(cycle)
        results.append(result)
        loads = (*loads, *its)
        _rest(phase.pause_s, loads, is_idle, sleep)
        if len(results) >= (phase.least_cycles or 1) and is_over(loads):
            break
        meet()
    return cycles_merged(results, phase.name), loads


def _rest(
    most_s: float, loads: Loads, is_idle: Callable[[Loads], bool], sleep: Callable[[float], None]
) -> None:
    left_s = most_s
    while left_s > 0 and not is_idle(loads):
        sleep(min(LOOK_S, left_s))
        left_s -= LOOK_S
