"""R23: heat slowed no CPU down."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import Check, CounterGrowth, PhaseChecks, Rule, broken, counter_growth, doubtful, passed, unknown
from ..wording import counted


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """How often a CPU was slowed down in each stretch of the session."""
    growths = counter_growth(session, lambda reading: reading.throttled)
    if growths is None:
        yield None, [unknown("Whether heat slowed the CPUs down was not read.")]
        return
    yield None, [_check(growth) for growth in growths]


def _check(growth: CounterGrowth) -> Check:
    times = sum(growth.counts.values())
    if not times:
        return passed("Heat slowed no CPU down in this session.", 0.0, "times", 0.0)
    hot = [cpu for cpu, count in growth.counts.items() if count]
    reading = f"Heat slowed {counted(len(hot), 'CPU')} down {counted(times, 'time')}"
    if growth.was_interrupted:
        reading += " before the session was resumed: whether the session ran then, or rested, is not known."
        return doubtful(reading, float(times), "times", 0.0)
    return broken(f"{reading} in this session.", float(times), "times", 0.0)


# Not required: the processor counts this on Intel alone. Elsewhere R22 holds the frequency.
RULE = Rule(
    id="R23",
    title="No throttling by heat",
    source="thermal_throttle in the host's readings before and after the session",
    mistake="a machine that is slower in the afternoon than in the morning",
    kind="isolation",
    required=False,
    judge=judge,
)
