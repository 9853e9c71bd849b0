"""R22: every CPU ran at one frequency, and nothing but the owner of the host chose it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plumbline.model.host import Condition, HostReading
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, not_applicable, passed, unknown

# A smaller spread comes from how a driver rounds its steps.
SPREAD_MAX = 0.01

_CONDITIONS = ("governor", "turbo")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Governor, turbo and the range of frequencies in every reading of the host."""
    readings = session.host.readings
    if not readings:
        yield None, [unknown("The record keeps no reading of the host.")]
        return
    conditions = [condition for reading in readings for condition in reading.conditions if condition.id in _CONDITIONS]
    missing = [
        unknown(f"The {name} of the CPUs was not read.")
        for name in _CONDITIONS
        if sum(condition.id == name for condition in conditions) < len(readings)
    ]
    yield None, [*missing, *map(_condition, conditions), _spread(readings)]


def _condition(condition: Condition) -> Check:
    reading = f"{condition.title}: {condition.reading}."
    if condition.verdict == "fit":
        return passed(reading)
    if condition.verdict == "n/a":
        return not_applicable(reading)
    return broken(reading) if condition.verdict == "unfit" else unknown(reading)


def _spread(readings: Sequence[HostReading]) -> Check:
    ends = [end for reading in readings for ends in reading.frequency_khz.values() for end in ends]
    if not all(reading.frequency_khz for reading in readings) or not any(ends):
        return unknown("The frequencies that the CPUs may run at were not read.")
    least, most = min(ends), max(ends)
    spread = 1 - least / most
    if spread <= SPREAD_MAX:
        return passed(f"All CPUs ran at {most / 1000:.0f} MHz.", spread, "share", SPREAD_MAX)
    reading = f"CPUs might run at {least / 1000:.0f} to {most / 1000:.0f} MHz in this session"
    return broken(f"{reading}, as heat and load chose.", spread, "share", SPREAD_MAX)


RULE = Rule(
    id="R22",
    title="One frequency",
    source="the host's readings before and after the session",
    mistake="laptops whose speed follows heat and battery (studies 001 and 003)",
    kind="isolation",
    judge=judge,
)
