"""R27: devices do not interrupt the application."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, broken, counter_growth, passed, unknown

# An interrupt takes some microseconds, so this many take a thousandth of a CPU.
MAX_PER_S = 100.0


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Interrupts by devices on the application's CPUs, a second, over the whole session."""
    app = session.sets_of(trial).app
    growth = counter_growth(session.host.readings, lambda reading: reading.interrupts)
    if growth is None or not set(app) <= set(growth.counts):
        yield None, [unknown("How often devices interrupted the application's CPUs was not read.")]
        return
    rate = sum(growth.counts[cpu] for cpu in app) / growth.seconds
    reading = f"Devices interrupted the application's CPUs {rate:.1f} times a second"
    outcome = passed if rate < MAX_PER_S else broken
    yield None, [outcome(f"{reading}, over the session.", rate, "per second", MAX_PER_S)]


RULE = Rule(
    id="R27",
    title="Interrupts elsewhere",
    source="/proc/interrupts in the host's readings before and after the session",
    mistake="a network card on the application's CPUs, whose work is counted as the framework's",
    kind="isolation",
    judge=judge,
)
