"""R23: heat slowed no CPU down."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, broken, counter_growth, passed, unknown
from ..wording import counted


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """How often a CPU was slowed down from the first reading of the host to the last."""
    growth = counter_growth(session.host.readings, lambda reading: reading.throttled)
    if growth is None:
        yield None, [unknown("Whether heat slowed the CPUs down was not read.")]
        return
    times = sum(growth.counts.values())
    if not times:
        yield None, [passed("Heat slowed no CPU down in this session.", 0.0, "times", 0.0)]
        return
    hot = [cpu for cpu, count in growth.counts.items() if count]
    reading = f"Heat slowed {counted(len(hot), 'CPU')} down {counted(times, 'time')} in this session."
    yield None, [broken(reading, float(times), "times", 0.0)]


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
