"""R26: nobody set the clock during the trial."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, broken, passed, unknown

# The kernel counts CPU time in ticks of this length: a window that is off by less holds the same rows. A clock that is
# kept right runs a little faster or slower, and takes the monotonic clock with it. Only a clock that is set moves
# against it.
STEP_MAX_MS = 10.0


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """How far the realtime clock moved against the monotonic one, from the trial's first moment to its last."""
    step_ms = trial.evidence.clock_step_ms
    if step_ms is None:
        yield None, [unknown("Whether the clock was set in mid-trial was not read.")]
        return
    if abs(step_ms) <= STEP_MAX_MS:
        reading = "Realtime and monotonic clock agree."
        yield None, [passed(reading, abs(step_ms), "ms", STEP_MAX_MS)]
        return
    way = "forward" if step_ms > 0 else "back"
    reading = f"The clock was set {way} by {abs(step_ms):.0f} ms in mid-trial: load and samples tell other seconds."
    yield None, [broken(reading, abs(step_ms), "ms", STEP_MAX_MS)]


RULE = Rule(
    id="R26",
    title="The clock is not set",
    source="CLOCK_REALTIME less CLOCK_MONOTONIC, at both ends of the trial",
    mistake="a guest that wakes, or whose time is corrected, in the middle of a run: seconds that never were",
    kind="isolation",
    needs=("clock_step_ms",),
    judge=judge,
)
