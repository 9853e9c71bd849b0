"""R27: devices do not interrupt the application."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import Check, CounterGrowth, PhaseChecks, Rule, broken, counter_growth, doubtful, passed, unknown

# An interrupt takes some microseconds, so this many take a thousandth of a CPU.
MAX_PER_S = 100.0


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Interrupts by devices on the application's CPUs, a second, in each stretch of the session."""
    app = session.sets_of(trial).app
    growths = counter_growth(session, lambda reading: reading.interrupts)
    if growths is None or not all(set(app) <= set(growth.counts) for growth in growths):
        yield None, [unknown("How often devices interrupted the application's CPUs was not read.")]
        return
    checks = [_check(app, growth) for growth in growths]
    yield None, sorted(checks, key=lambda check: -(check.value or 0.0))


def _check(app: tuple[int, ...], growth: CounterGrowth) -> Check:
    rate = sum(growth.counts[cpu] for cpu in app) / growth.seconds
    if not growth.was_interrupted:
        reading = f"Devices interrupted the application's CPUs {rate:.1f} times a second, over the session."
        return (passed if rate < MAX_PER_S else broken)(reading, rate, "per second", MAX_PER_S)
    reading = (
        f"Devices interrupted the application's CPUs up to {rate:.1f} times a second before the session was resumed: "
        "the pause before that is counted as well."
    )
    return (passed if rate < MAX_PER_S else doubtful)(reading, rate, "per second", MAX_PER_S)


RULE = Rule(
    id="R27",
    title="Interrupts elsewhere",
    source="/proc/interrupts in the host's readings before and after the session",
    mistake="a network card on the application's CPUs, whose work is counted as the framework's",
    kind="isolation",
    judge=judge,
)
