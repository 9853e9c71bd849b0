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
from tests.judge.damage import damaged, with_fields
from tests.judge.evidence import session

RULE = {rule.id: rule for rule in RULES}
AFTER_S = 1600.0


def finding(rule: str, *readings: HostReading) -> Finding:
    whole: SessionFacts = session()
    # A trial of the evening, for sessions that were resumed then.
    whole = damaged(whole, max(whole.trials), with_fields(started_at="2026-09-01T20:02:00Z"))
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


def resumed(interrupts: tuple[int, int], throttled: tuple[int, int]) -> tuple[HostReading, ...]:
    """A session whose trials began at 10:02 and after; it rested from then on, and was resumed in the evening.

    The counters are those at the second reading and at the last.
    """
    times = (("2026-09-01T10:00:00Z", 0.0), ("2026-09-01T20:00:00Z", 36_000.0), ("2026-09-01T20:10:00Z", 36_600.0))
    counts = ((0, 0), *zip(interrupts, throttled, strict=True))
    return tuple(
        reading(uptime_s=at_s, interrupts=devices, throttled=heat).model_copy(update={"read_at": read_at})
        for (read_at, at_s), (devices, heat) in zip(times, counts, strict=True)
    )


@pytest.mark.parametrize(
    ("interrupts", "outcome", "words"),
    [
        # Hours of rest hid how often the trials after them were interrupted.
        ((300, 16_000), "invalid", "CPUs 104.7 times a second, over the session"),
        ((360_000, 360_300), "warn", "times a second before the session was resumed: the pause"),
        ((300, 600), "pass", "times a second"),
    ],
)
def test_devices_are_judged_in_each_stretch_of_a_session(interrupts: tuple[int, int], outcome: str, words: str) -> None:
    found = finding("R27", *resumed(interrupts, (0, 0)))
    assert found.outcome == outcome and words in found.reading


@pytest.mark.parametrize(("throttled", "outcome"), [((0, 1), "invalid"), ((1, 1), "warn"), ((0, 0), "pass")])
def test_heat_before_a_session_was_resumed_may_be_of_the_pause(throttled: tuple[int, int], outcome: str) -> None:
    assert finding("R23", *resumed((0, 0), throttled)).outcome == outcome


def test_a_time_that_is_none_is_unknown() -> None:
    first, *rest = resumed((0, 0), (0, 0))
    assert finding("R27", first.model_copy(update={"read_at": "2026-09-01 soon"}), *rest).outcome == "unknown"


def test_a_stretch_in_which_no_trial_ran_is_left_out() -> None:
    first, *rest = resumed((360_000, 360_300), (1, 1))
    late = first.model_copy(update={"read_at": "2026-09-01T19:59:00Z"})
    assert finding("R27", late, *rest).outcome == finding("R23", late, *rest).outcome == "pass"


def test_a_resumption_that_ran_no_trial_is_left_out() -> None:
    first, second, last = resumed((300, 360_300), (0, 1))
    later = second.model_copy(update={"read_at": "2026-09-01T20:05:00Z", "uptime_s": 36_300.0})
    assert finding("R27", first, later, last).outcome == finding("R23", first, later, last).outcome == "pass"


def test_a_host_that_was_booted_in_a_long_pause_is_unknown() -> None:
    """The host had been up for 1,000 s; ten hours later it has been up for two hours."""
    first, second, last = resumed((300, 600), (0, 0))
    booted = second.model_copy(update={"uptime_s": 7200.0}), last.model_copy(update={"uptime_s": 7800.0})
    assert finding("R27", first.model_copy(update={"uptime_s": 1000.0}), *booted).outcome == "unknown"


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
