"""Alerts: an alert keeps one id and has one life, however often the series is analysed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from plumbline.archive.history.alerts import Alert, State, Word
from plumbline.archive.history.analysis import SeriesAnalysis, analyse, can_clear, change_of
from plumbline.archive.history.points import Points
from plumbline.archive.history.series import SAME_WITHIN, FigureSeries
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


def test_a_person_ends_an_alert_whose_level_can_not_be_seen_to_come_back() -> None:
    """The kernel changes before the level is back: there is nothing to compare the new level with."""
    levels = [100.0] * 40 + [90.0] * 30 + [100.0] * 30
    moved = series(levels, environments=["6.12"] * 55 + ["6.13"] * 45)
    nights = replayed(first(moved, 60), 50, {52: "slower"})
    assert [alert.state for alert in nights[-1]] == ["confirmed"]
    (alert,) = analyse([first(moved, 60)], nights[-1], {nights[-1][0].id: "accepted"}).alerts
    assert (alert.state, alert.reason) == ("cleared", "a person accepts the new level")
    assert analyse([moved], [alert], {alert.id: "slower"}).alerts == (alert,)
    # A subject that was taken away has no series any more.
    assert [alert.state for alert in analyse([], nights[-1], {alert.id: "accepted"}).alerts] == ["cleared"]


@pytest.mark.parametrize("step", [60, 63])
@pytest.mark.parametrize(("state", "reason"), [("cleared", "compare says equivalent"), ("fixed", "the level is back")])
def test_an_alert_at_an_end_answers_for_no_larger_change_near_to_it(step: int, state: State, reason: str) -> None:
    (same_session,) = analyse([REGRESSION], (), {}).alerts
    size = {"ratio": 0.985, "low": 0.975, "high": 0.995}
    small = same_session.model_copy(update={"state": state, "reason": reason, **size})
    large = series([100.0] * step + [90.0] * 30, cv=0.002)
    after = analyse([large], (small,), {})
    assert [alert.state for alert in after.alerts] == [state, "open"]
    assert len({alert.id for alert in after.alerts}) == 2
    assert change_of(small, after.changes) is None and change_of(after.alerts[1], after.changes) == after.changes[0]
    assert analyse([large], after.alerts, {}).alerts == after.alerts


@pytest.mark.parametrize("word", [None, "slower", "equivalent"])
def test_an_alert_whose_first_session_is_withdrawn_lives_on(word: Word | None) -> None:
    (opened,) = analyse([REGRESSION], (), {}).alerts
    known_alerts = analyse([REGRESSION], (opened,), {} if word is None else {opened.id: word}).alerts
    kept = [point for point in REGRESSION.points if point.session != opened.session]
    assert len(kept) == len(REGRESSION.points) - 1
    after = analyse([replace(REGRESSION, points=Points.of(kept))], known_alerts, {}).alerts
    assert [(alert.id, alert.state, alert.reason) for alert in after] == [
        (alert.id, alert.state, alert.reason) for alert in known_alerts
    ]


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
        f"./bench compare {index - 6:012x}{0:028x} {index + 5:012x}{0:028x} --only 'vertx-pg/jvm/pg' --scenario fruits"
    )
    assert analyse([REGRESSION], (), {}).candidates[0].command is None


STEP = 60


@pytest.mark.parametrize("seed", range(20))
def test_no_comparison_about_a_true_change_asks_beside_it_or_clears_it(seed: int) -> None:
    """A step of 2 % in a noise of 1 %, night by night: many searches misplace the step by some nights."""
    step = series([100.0] * STEP + [98.0] * 12, seed=seed, subject="x/jvm/pg")
    for nights in range(STEP + 3, STEP + 13):
        known = first(step, nights)
        analysis = analyse([known], (), {})
        for alert, asked in zip(analysis.alerts, analysis.candidates, strict=True):
            change = change_of(alert, analysis.changes)
            assert change is not None and asked.question is not None
            if abs(change.index - STEP) <= SAME_WITHIN:
                night_of = {point.commit: night for night, point in enumerate(known.points)}
                assert night_of[asked.question.base] < STEP <= night_of[asked.question.head]
                assert can_clear(change, asked.question.base, asked.question.head, "night 9999")
                assert not any(
                    can_clear(change, str(known.points[base].commit), str(known.points[head].commit), "night 9999")
                    for base in range(STEP - 8, nights)
                    for head in range(base + 1, nights)
                    if not base < STEP <= head
                )


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ({"application": "a", "jdk": "25"}, {"application": "b", "jdk": "25"}, None),
        ({"application": "a", "jdk": "25"}, {"application": "a", "jdk": "25"}, "Both sides ran the artifact a"),
        ({"application": "a", "jdk": "25"}, {"application": "b", "jdk": "26"}, "one jdk, which changed"),
        ({"application": "a", "default pool": "20"}, {"application": "b", "default pool": "30"}, "one default pool"),
    ],
)
def test_no_question_where_commits_can_not_show_the_change(
    before: dict[str, str], after: dict[str, str], reason: str | None
) -> None:
    labels = [before] * STEP + [after] * STEP
    step = series([100.0] * STEP + [95.0] * STEP, subject="x/jvm/pg", labels=labels)
    analysis = analyse([step], (), {})
    (asked,), (change,) = analysis.candidates, analysis.changes
    assert (asked.question is None) == (reason is not None) and (reason or "") in (asked.reason or "")
    base, head = step.points[change.surely_old[-1]], step.points[change.surely_new[0]]
    assert can_clear(change, base.commit, head.commit, "night 9999") == (reason is None)


def test_a_level_too_short_to_be_sure_of_is_asked_about_in_its_middle() -> None:
    levels = [100.0] * 40 + [94.0] * 4 + [88.0] * 40
    step = series(levels, subject="x/jvm/pg", cv=0.001)
    analysis = analyse([step], (), {})
    assert [(change.old[0], change.new[0]) for change in analysis.changes] == [(0, 40), (40, 44)]
    asked = [candidate.question for candidate in analysis.candidates]
    sides = [(question.base[:12], question.head[:12]) for question in asked if question is not None]
    assert sides == [(f"{34:012x}", f"{43:012x}"), (f"{42:012x}", f"{49:012x}")]
    second = analysis.changes[1]
    assert not any(can_clear(second, str(step.points[base].commit), f"{49:012x}{0:028x}", "z") for base in range(44))


@pytest.mark.slow
def test_flat_series_raise_few_alerts_night_by_night() -> None:
    """40 flat series of 250 nights at a noise of 1 % raise at most 10 alerts in all."""
    draw = random.Random(11)
    raised = 0
    for _ in range(40):
        flat = series([100.0] * 250, seed=draw.randrange(2**31), better=None)
        raised += len(replayed(flat, 6)[-1])
    assert raised <= 10
