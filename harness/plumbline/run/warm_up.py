"""Run a warm-up until it is steady: cycle after cycle of load, and rest between them.

A cycle is a load of its own, which ends by itself with every request answered: no cycle is cut off when enough is seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from plumbline.figures.warming import Loads
from plumbline.load.merge import cycles_merged
from plumbline.model.evidence import LoadResult
from plumbline.model.plan import Phase


def until_warm(
    phase: Phase,
    load: Callable[[Phase], tuple[LoadResult, Loads]],
    is_over: Callable[[Loads], bool],
    meet: Callable[[], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[LoadResult, Loads]:
    """Run the cycles of a warm-up, and return all of them as one result, with their times.

    `is_over` is asked after each cycle from `least_cycles` on, with the times of all cycles; `meet` is called before
    the next cycle.
    """
    results: list[LoadResult] = []
    loads: Loads = ()
    while len(results) < phase.cycles:
        # Each has a name of its own, for what k6 writes and for the rows that a load adds.
        cycle = phase.one_cycle.model_copy(update={"name": f"{phase.name}.{len(results) + 1}"})
        result, its = load(cycle)
        results.append(result)
        loads = (*loads, *its)
        sleep(phase.pause_s)
        if len(results) >= (phase.least_cycles or 1) and is_over(loads):
            break
        meet()
    return cycles_merged(results, phase.name), loads
