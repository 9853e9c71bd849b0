"""Shrinks a suite to a share of its size, for small machines and short evenings.

Times of load and of rest, batches and blocks shrink alike; rates, connections and pools stay, since they are what is
asked. Nothing shrinks below what figures and rules need, so that a very small scale takes longer than it says.
"""

from __future__ import annotations

import math
import re

from plumbline.catalog.bench import PhaseSpec, SuiteSpec

# A rate needs three rows of the one-second series (figures/throughput.py), and R9 looks at windows of three seconds.
LEAST_LOAD_S = 3.0
# Rest between the cycles of a warm-up is for the compiler's threads; below this there is none.
LEAST_PAUSE_S = 1.0
# A mean with an interval takes two trials.
LEAST_BLOCKS = 2
# Fewer queries than a pool of the default size has connections would leave some of them idle.
LEAST_BATCH = 20

_COUNT = re.compile(r"(?<=&count=)[1-9][0-9]*")


def suite_at(suite: SuiteSpec, scale: float) -> SuiteSpec:
    """Return the suite with its times and blocks at `scale` (0 to 1); one that is below a least value keeps its own."""
    if scale == 1.0:
        return suite
    return suite.model_copy(
        update={
            "blocks": _shrunk_count(suite.blocks, scale, LEAST_BLOCKS),
            "phases": phases_at(suite.phases, scale),
        }
    )


def phases_at(phases: tuple[PhaseSpec, ...], scale: float) -> tuple[PhaseSpec, ...]:
    """Return phases with their times at `scale`."""
    return phases if scale == 1.0 else tuple(_phase_at(phase, scale) for phase in phases)


def operation_at(operation: str, scale: float) -> str:
    """Return an operation that does a whole batch in one request, with its count at `scale`; any other as it is."""
    return _COUNT.sub(lambda count: str(_shrunk_count(int(count[0]), scale, LEAST_BATCH)), operation)


def _phase_at(phase: PhaseSpec, scale: float) -> PhaseSpec:
    """Return a warm-up whose cycles would be too short has fewer of them, so that all together stay at the scale.

    The cycles of a warm-up until steady stay as long as they are; what shrinks is how many there may be.
    """
    if phase.least is not None and phase.most is not None:
        return phase.model_copy(
            update={
                "least": _shrunk_s(phase.least, scale, phase.time),
                "most": _shrunk_s(phase.most, scale, phase.time),
            }
        )
    cycles = phase.cycles
    if phase.time * scale < LEAST_LOAD_S:
        cycles = max(1, min(cycles, int(cycles * phase.time * scale / LEAST_LOAD_S)))
    return phase.model_copy(
        update={
            "cycles": cycles,
            "time": _shrunk_s(phase.time * phase.cycles / cycles, scale, min(LEAST_LOAD_S, phase.time)),
            "pause": _shrunk_s(phase.pause, scale, LEAST_PAUSE_S),
        }
    )


def _shrunk_s(whole_s: float, scale: float, least_s: float) -> float:
    return round(max(min(whole_s, least_s), whole_s * scale), 3)


def _shrunk_count(whole: int, scale: float, least: int) -> int:
    return max(min(whole, least), math.ceil(round(whole * scale, 6)))
