"""Alerts: an alert keeps one id and has one life, however often the series is analysed."""

from __future__ import annotations

import random

import pytest

from plumbline.archive.history.alerts import Alert, State, Word
from plumbline.archive.history.analysis import SeriesAnalysis, analyse, change_of
from plumbline.archive.history.series import FigureSeries
from tests.history.series_of import first, series

REGRESSION = series([100.0] * 60 + [95.0] * 60)


def replayed(full_series: FigureSeries, since: int, verdicts: dict[int, Word] | None = None) -> list[tuple[Alert, ...]]:
    """The alerts after each night; a verdict of a night applies to every alert that was known before it."""
    known_alerts: tuple[Alert, ...] = ()
    nights = []
    for night in range(since, len(full_series.points) + 1):
        word = (verdicts or {}).get(night)
        verdicts_of_night = {} if word is None else {alert.id: word for alert in known_alerts}
        known_alerts = analyse([first(full_series, night)], known_alerts, verdicts_of_night).alerts
        nights.append(known_alerts)
    return nights


def test_one_alert_with_one_id_night_by_night() -> None:
    nights = replayed(REGRESSION, 50)
    ids = {alert.id for alerts in nights for alert in alerts}
    assert len(ids) == 1
    assert [alert.state for alert in nights[-1]] == ["open"]


def test_the_same_records_give_the_same_id() -> None:
    assert analyse([REGRESSION], (), {}).alerts == analyse([REGRESSION], (), {}).alerts


def test_confirmed_stays_confirmed() -> None:
    nights = replayed(REGRESSION, 80, {90: "slower"})
    assert [alert.state for alert in nights[-1]] == ["confirmed"]
    assert nights[-1][0].reason == "compare says slower"


def test_cleared_stays_cleared_and_does_not_come_again() -> None:
    for word in ("equivalent", "faster"):
        nights = replayed(REGRESSION, 80, {90: word})
        assert [alert.state for alert in nights[-1]] == ["cleared"]


def test_inconclusive_leaves_it_open() -> None:
    assert [alert.state for alert in replayed(REGRESSION, 80, {90: "inconclusive"})[-1]] == ["open"]


def test_fixed_when_the_level_is_back() -> None:
    recovered = series([100.0] * 60 + [95.0] * 30 + [100.0] * 30)
    nights = replayed(recovered, 70, {80: "slower"})
    assert [alert.state for alert in nights[15]] == ["confirmed"]
    assert [alert.state for alert in nights[-1]] == ["fixed"]
    assert [alert.state for alert in analyse([recovered], (), {}).alerts] == ["fixed"]


def test_a_change_that_does_not_stand_is_cleared() -> None:
    known_alerts = analyse([REGRESSION], (), {}).alerts
    calm = series([100.0] * 120)
    assert [alert.state for alert in analyse([calm], known_alerts, {}).alerts] == ["cleared"]


@pytest.mark.parametrize("seed", (115, 198))
def test_an_alert_whose_change_was_taken_back_opens_again_when_the_change_is_back(seed: int) -> None:
    """A step of 2.5 % in a noise of 1 %: some analyses between the first and the last do not find it."""
    small_step = series([100.0] * 60 + [97.5] * 50, seed=seed)
    nights = replayed(small_step, 60)
    found = [change.index for change in analyse([small_step], (), {}).changes]
    states = [alert.state for alerts in nights for alert in alerts if alert.id == nights[-1][0].id]
    assert "cleared" in states[states.index("open") :], "an analysis takes the change back"
    assert len(found) == 1
    assert [alert.state for alert in nights[-1] if alert.state != "cleared"] == ["open"]


def _alert(session: str, state: State, reason: str) -> Alert:
    alert = analyse([REGRESSION], (), {}).alerts[0]
    return alert.model_copy(update={"id": session, "session": session, "state": state, "reason": reason})


def test_a_change_belongs_to_the_nearest_unsolved_alert() -> None:
    known_alerts = (
        _alert("s0060", "cleared", "compare says equivalent"),
        _alert("s0057", "open", ""),
        _alert("s0058", "open", ""),
    )
    assert [change.index for change in analyse([REGRESSION], (), {}).changes] == [60]
    after = analyse([REGRESSION], known_alerts, {}).alerts
    assert [alert.state for alert in after] == ["cleared", "cleared", "open"]


def test_an_alert_asks_about_the_nearest_change_of_its_direction() -> None:
    found = analyse([series([100.0] * 40 + [94.0] * 4 + [88.0] * 40, name="twice")], (), {}).changes
    places = [change.index for change in found]
    assert places == [40, 44]
    for change in found:
        alert = _alert(f"s{change.index:04}", "open", "").model_copy(update={"series": "twice"})
        assert change_of(alert, found) is change


def test_a_series_that_is_not_looked_at_keeps_its_alerts() -> None:
    known_alerts = analyse([REGRESSION], (), {}).alerts
    assert analyse([series([100.0] * 50, name="other")], known_alerts, {}).alerts == known_alerts


def test_a_change_for_the_better_is_no_alert() -> None:
    analysis = analyse([series([100.0] * 60 + [105.0] * 60)], (), {})
    assert len(analysis.changes) == 1 and analysis.alerts == ()


def test_the_control_raises_no_alert() -> None:
    control = FigureSeries(id="control", better="higher", points=REGRESSION.points, control=True)
    analysis = analyse([control], (), {})
    assert len(analysis.changes) == 1 and analysis.alerts == ()


def test_candidates_are_compare_commands() -> None:
    lab_series = FigureSeries(
        id="x",
        better="higher",
        points=REGRESSION.points,
        subject="vertx-pg/jvm/pg",
        scenario="fruits@1",
        phase="closed",
        metric="throughput_per_s",
        host="lab1",
    )
    analysis: SeriesAnalysis = analyse([lab_series], (), {})
    index = analysis.changes[0].index
    assert analysis.candidates[0].command == (
        f"./bench compare {index - 1:012x}{0:028x} {index:012x}{0:028x} --only 'vertx-pg/jvm/pg' --scenario fruits"
    )
    assert analyse([REGRESSION], (), {}).candidates[0].command is None


@pytest.mark.slow
def test_flat_series_raise_few_alerts_night_by_night() -> None:
    """40 flat series of 250 nights at a noise of 1 % raise at most 10 alerts in all."""
    draw = random.Random(11)
    raised = 0
    for _ in range(40):
        flat = series([100.0] * 250, seed=draw.randrange(2**31), better=None)
        raised += len(replayed(flat, 6)[-1])
    assert raised <= 10
