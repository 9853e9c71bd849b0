"""Short names that still tell subjects apart, phases in words, and numbers with their units."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from plumbline.model.plan import Phase, Plan, Scenario
from plumbline.model.subject import Subject
from plumbline.verdicts.figures.compute import WHOLE_TRIAL
from plumbline.verdicts.judge.wording import counted
from plumbline.verdicts.stats.amounts import FACTOR_FROM
from ..charts.marks import mark_of
from ..view import Name
from .clean import clean_text


def names(plan: Plan, scenario: Scenario | None = None) -> dict[str, Name]:
    """Return the name of every subject of a plan by id, in the order of the plan; the control comes last.

    Under a `scenario` in which the control runs another operation, its name tells which.
    """
    subjects = {id_: plan.subject(id_) for id_ in plan.subjects}
    names_by_id = {id_: Name(id_, short_name(subject), mark_of(subject)) for id_, subject in subjects.items()}
    of_control = "control" if scenario is None else control_name(scenario)
    return names_by_id | {plan.control: Name(id=plan.control, short=of_control, mark=None)}


def control_name(scenario: Scenario) -> str:
    """Return `control`, or `control (GET /orders/{orderId})` where the subjects run another operation."""
    operation = scenario.control_operation
    return "control" if operation is None else f"control ({clean_text(operation)})"


_USUAL = ("jvm", "pg", "none")
"""The packagings and engines that a short name leaves out; only a variant without a database has the engine `none`."""


def short_name(subject: Subject) -> str:
    """Return the name that a subject has on every page: `vertx-pg`, `vertx-pg native.mandrel mysql +pool=95`."""
    unusual = (part for part in (subject.packaging, subject.engine) if part not in _USUAL)
    return " ".join((subject.variant, *unusual, *(f"+{name}={value}" for name, value in subject.settings.items())))


def phase_in_words(scenario: Scenario, phase: str) -> str:
    """Return a phase in words: `at 100 requests/s`, `at full load (100 connections)`."""
    planned_phase = next((candidate for candidate in scenario.phases if candidate.name == phase), None)
    if phase == WHOLE_TRIAL or planned_phase is None:
        return "in the whole trial" if phase == WHOLE_TRIAL else phase
    if planned_phase.kind == "open":
        share = f"{phase.removeprefix('open@')} of capacity"
        if planned_phase.multiplier is not None:
            per_minute = scenario.requests_per_minute * planned_phase.multiplier
            return f"at {phase.removeprefix('open@')} the visitors ({per_minute:,} requests/min)"
        return f"at {planned_phase.rate_per_s:,} requests/s" if planned_phase.rate_per_s else f"at {share}"
    if planned_phase.kind == "closed":
        return f"at full load ({counted(planned_phase.connections or 0, 'connection')})"
    return {"start": "at start", "after": "after load"}.get(planned_phase.kind, f"in the {planned_phase.name}")


def phases_in_words(scenario: Scenario) -> str:
    """Return the loaded phases of a scenario with their times."""
    return ", then ".join(_phase_in_words(scenario, phase) for phase in scenario.phases if phase.duration_s)


def _phase_in_words(scenario: Scenario, phase: Phase) -> str:
    if phase.kind == "warm-up":
        pauses = f" with {phase.pause_s:g} s of rest after each" if phase.pause_s else ""
        times, end_condition = f"{phase.cycles} times " if phase.cycles > 1 else "", ""
        # At a small scale the least may be the most.
        if phase.least_cycles not in (None, phase.cycles):
            times = f"{phase.least_cycles} to {phase.cycles} times "
            end_condition = ", until nothing gets quicker any more"
        return f"{times}{phase.duration_s:g} s of warm-up{pauses}{end_condition}"
    return f"{phase.duration_s:g} s {phase_in_words(scenario, phase.name)}"


MIB = 1024 * 1024
# From here on milliseconds are harder to read than seconds.
SECONDS_FROM_MS = 10_000
# With no-break spaces.
_PLUS_MINUS = "\u00a0±\u00a0"
# Digits of a half width, and of a number that has no interval.
HALF_DIGITS = 2
LONE_DIGITS = 3
# An interval whose halves differ by more than this share is printed with its two ends.
LOPSIDED_SHARE = 0.02
# If the upper end is more than this many times the lower end, each end has its own number of decimal places.
WIDE_FROM = 5


@dataclass(frozen=True)
class DisplayUnit:
    """The symbol that is printed behind a number, and the divisor of the stored value."""

    symbol: str
    per: float = 1.0


_UNITS = {
    "1/s": DisplayUnit("/s"),
    "1/(s MiB)": DisplayUnit("/s per MiB"),
    "us": DisplayUnit("µs"),
    "ms": DisplayUnit("ms"),
    "bytes": DisplayUnit("MiB", MIB),
    "share": DisplayUnit("%", 0.01),
    "requests": DisplayUnit("requests"),
    "0 or 1": DisplayUnit("of 1"),
}


def unit_of(stored_unit: str, values: Iterable[float]) -> DisplayUnit:
    """Return the unit in which all values of one table are shown, from the unit in which they are stored."""
    if stored_unit == "ms" and max(values, default=0.0) >= SECONDS_FROM_MS:
        return DisplayUnit("s", 1000)
    return _UNITS.get(stored_unit, DisplayUnit(stored_unit))


def plain_number(value: float, digits: int = LONE_DIGITS) -> str:
    """Return a number without an interval, to a few significant digits: `4,870`, `0.0432`."""
    if value == 0:
        return "0"
    # Digits before the point stay: a rounded thousand would look like a claim of its own.
    return _rounded(value, max(_decimal_places(value, digits), 0))


def signed(ratio: float) -> str:
    """Return a ratio as a change: `+3.4 %`, `6.3×` or `under 0.0001×`; `change` of site/src/lib/numbers.ts does too."""
    if math.log(ratio) > FACTOR_FROM:
        return f"{ratio:,.{1 if ratio < 9.95 else 0}f}×"
    percent = (ratio - 1) * 100
    # A rounded `100 % less` would be wrong: no amount above zero is a hundred per cent less than another.
    digits = 2 if percent <= -99.5 else 1 if abs(percent) < 9.95 else 0
    text = f"{abs(percent):.{digits}f}"
    if percent < 0 and float(text) == 100:
        return "under 0.0001×"
    sign = "" if float(text) == 0 else "\u2212" if percent < 0 else "+"
    return f"{sign}{text} %"


def with_interval(mean: float, low: float | None, high: float | None) -> str:
    """Return `4,870 ± 120`: the half width to two digits, the mean to the same place."""
    if low is None or high is None or high == low:
        return plain_number(mean)
    half = (high - low) / 2
    places = _decimal_places(half, HALF_DIGITS)
    if low > 0 and high > WIDE_FROM * low:
        mean_text, low_text, high_text = (plain_number(value, HALF_DIGITS) for value in (mean, low, high))
        return f"{mean_text} ({low_text} to {high_text})"
    if abs((high - mean) - (mean - low)) > LOPSIDED_SHARE * half:
        return f"{_rounded(mean, places)} ({_rounded(low, places)} to {_rounded(high, places)})"
    return f"{_rounded(mean, places)}{_PLUS_MINUS}{_rounded(half, places)}"


def mebibytes(count: float | None) -> str:
    """Return a number of bytes as text in MiB."""
    return "not read" if count is None else f"{plain_number(count / MIB)} MiB"


def seconds(value: float) -> str:
    """Return a number of seconds as text, in minutes from two minutes on."""
    return f"{plain_number(value)} s" if value < 120 else f"{value / 60:.0f} min"


def _decimal_places(value: float, digits: int) -> int:
    """Return the number of decimal places that leave so many significant digits after rounding (0.0996 to two is 0.10).

    It is zero for a value without digits, such as an infinite share of a value close to zero.
    """
    if not math.isfinite(value):
        return 0
    return digits - 1 - int(f"{value:.{digits - 1}e}".partition("e")[2])


def _rounded(value: float, places: int) -> str:
    """Return a value rounded to so many decimal places (before the point when negative), with thousands separated."""
    return f"{round(value, places) + 0.0:,.{max(places, 0)}f}"
