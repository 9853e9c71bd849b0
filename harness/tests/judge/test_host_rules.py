"""R22, R23 and R27: what the readings of the host before and after a session say about every trial of the session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.host import HostReading
from plumbline.model.record import Finding
from plumbline.verdicts.judge.facts import SessionFacts
from plumbline.verdicts.judge.referee import findings_of
from plumbline.verdicts.judge.rules import RULES
from tests.host.readings import condition, reading
from tests.judge.evidence import session

RULE = {rule.id: rule for rule in RULES}
AFTER_S = 1600.0


def finding(rule: str, *readings: HostReading) -> Finding:
    whole: SessionFacts = session()
    host = whole.host.model_copy(update={"readings": readings})
    trial = next(iter(whole.trials.values()))
    [found] = findings_of(RULE[rule], trial, replace(whole, host=host))
    return found


@pytest.mark.parametrize("rule", ["R22", "R23", "R27"])
def test_a_record_without_readings_is_unknown(rule: str) -> None:
    assert finding(rule).outcome == "unknown"


@pytest.mark.parametrize("rule", ["R22", "R23", "R27"])
def test_a_quiet_host_passes(rule: str) -> None:
    assert finding(rule, reading(), reading(uptime_s=AFTER_S)).outcome == "pass"


@pytest.mark.parametrize(
    ("name", "verdict", "outcome"), [("turbo", "unfit", "invalid"), ("governor", "unknown", "unknown")]
)
def test_turbo_on_or_a_hidden_governor_after_the_session(name: str, verdict: str, outcome: str) -> None:
    after = reading(condition(name, verdict, "what was read"), uptime_s=AFTER_S)  # type: ignore[arg-type]
    found = finding("R22", reading(), after)
    assert found.outcome == outcome and "what was read" in found.reading


def test_a_governor_that_no_reading_names_is_unknown() -> None:
    bare = reading().model_copy(update={"conditions": ()})
    assert finding("R22", bare, bare).outcome == "unknown"


@pytest.mark.parametrize(
    ("khz", "outcome"),
    [((2_590_000, 2_600_000), "pass"), ((2_500_000, 2_600_000), "invalid"), ((0, 2_600_000), "invalid")],
)
def test_a_range_of_frequencies(khz: tuple[int, int], outcome: str) -> None:
    assert finding("R22", reading(), reading(khz=khz, uptime_s=AFTER_S)).outcome == outcome


def test_another_frequency_after_than_before() -> None:
    after = reading(khz=(2_400_000, 2_400_000), uptime_s=AFTER_S)
    found = finding("R22", reading(), after)
    assert found.outcome == "invalid" and "2400 to 2600 MHz" in found.reading


def test_heat_counts_from_the_first_reading_on() -> None:
    found = finding("R23", reading(throttled=3), reading(throttled=5, uptime_s=AFTER_S))
    assert (found.outcome, found.value) == ("invalid", 16.0)
    assert finding("R23", reading(throttled=3), reading(throttled=3, uptime_s=AFTER_S)).outcome == "pass"


@pytest.mark.parametrize(("count", "outcome"), [(10_000, "pass"), (60_000, "invalid")])
def test_interrupts_a_second_on_the_applications_cpus(count: int, outcome: str) -> None:
    found = finding("R27", reading(), reading(interrupts=count, uptime_s=AFTER_S))
    assert found.outcome == outcome and found.threshold == 100.0


def test_readings_in_between_are_part_of_the_way() -> None:
    steps = [reading(interrupts=count, uptime_s=at_s) for count, at_s in ((0, 0.0), (600, 60.0), (900, 120.0))]
    apart = finding("R27", *steps)
    assert apart.value == finding("R27", steps[0], steps[-1]).value


@pytest.mark.parametrize(
    "after",
    [
        reading(uptime_s=5.0),
        reading(uptime_s=None),
        reading(uptime_s=AFTER_S, cpus=4),
        reading(uptime_s=AFTER_S, interrupts=1),
    ],
    ids=["booted in between", "no uptime", "other CPUs", "counters went back"],
)
def test_counters_that_cannot_be_compared_are_unknown(after: HostReading) -> None:
    assert finding("R27", reading(interrupts=2), after).outcome == "unknown"
