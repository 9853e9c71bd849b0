"""The comparisons that a night's alerts start, and what a comparison may say of an alert."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from plumbline.archive.history.alerts import Alert
from plumbline.archive.history.analysis import Question, SeriesAnalysis, analyse
from plumbline.archive.history.points import Point, Points
from plumbline.archive.history.series import FigureSeries
from plumbline.cli.ci.alerts import MOST_COMPARISONS, _confirmations, _verdicts_on_alerts
from plumbline.model.comparison import SideSource
from plumbline.model.errors import AnswerIsNo
from plumbline.model.record import Record
from tests.history.nights import keep, night_of
from tests.record.comparisons import itself

BEFORE, NEAR, SOON, AFTER, LATER = ("1" * 40, "2" * 40, "3" * 40, "4" * 40, "5" * 40)


def alert(number: int, session: str, ratio: float = 0.9) -> Alert:
    return Alert(
        id=f"{number:012x}",
        series=f"series {number}",
        session=session,
        t="2026-01-01T02:00:00Z",
        state="open",
        reason="",
        worse=True,
        ratio=ratio,
        low=ratio,
        high=ratio,
    )


@pytest.fixture
def session(tmp_path: Path) -> str:
    night = night_of(0, lambda subject, night: 1.0)
    plan = night.plan.model_copy(update={"session": "20260101T020000Z-lab-000001"})
    keep(tmp_path, night.model_copy(update={"plan": plan}))
    return plan.session


def test_one_comparison_answers_for_all_alerts_of_a_subject_under_a_scenario(tmp_path: Path, session: str) -> None:
    question = Question(BEFORE, AFTER, "vertx-pg/jvm/pg", "fruits")
    (inputs,) = _confirmations([(alert(number, session), question) for number in range(6)], tmp_path)
    assert inputs == {
        "alert": ",".join(f"{number:012x}" for number in range(6)),
        "base": BEFORE,
        "head": AFTER,
        "only": "vertx-pg/jvm/pg",
        "scenario": "fruits",
        "suite": "smoke",
        "host": "lab",
        "scale": "1",
    }


def test_a_night_starts_few_comparisons_those_of_the_largest_changes(tmp_path: Path, session: str) -> None:
    questions = [
        (alert(number, session, ratio=1 - number / 100), Question(BEFORE, AFTER, f"subject-{number}", "fruits"))
        for number in range(1, 50)
    ]
    started = _confirmations(questions, tmp_path)
    assert [inputs["only"] for inputs in started] == [f"subject-{49 - place}" for place in range(MOST_COMPARISONS)]


def analysis_of(name: str, jdk: str = "25") -> SeriesAnalysis:
    """A step at night 20; `jdk` is that of the nights since. The commits NEAR and SOON lie within 5 nights of it."""
    draw = random.Random(1)
    levels = [1.0] * 20 + [0.8] * 20
    commits = [BEFORE] * 15 + [NEAR] * 5 + [SOON] * 5 + [AFTER] * 10 + [LATER] * 5
    points = [
        Point(
            t=f"2026-{1 + night // 28:02}-{1 + night % 28:02}T02:00:00Z",
            session=f"s{night:02}",
            value=level * (1 + draw.gauss(0, 0.005)),
            labels={"jdk": jdk if night >= 20 else "25"},
            commit=commit,
        )
        for night, (level, commit) in enumerate(zip(levels, commits, strict=True))
    ]
    return analyse([FigureSeries(id=name, better="higher", points=Points.of(points))], (), {})


def compared(
    base: str, head: str, *, dirty: bool = False, began: str = "2026-09-01T10:15:00Z", slower: bool = False
) -> Record:
    """A comparison of an application that two commits build differently."""
    record, _ = itself()
    assert record.plan.comparison is not None and record.comparison is not None
    sides = {
        "base": SideSource(given="before", kind="ref", commit=base),
        "head": SideSource(given="after", kind="worktree" if dirty else "ref", commit=head, dirty=dirty),
    }
    comparison = record.plan.comparison.model_copy(update=sides)
    answers = tuple(
        answer.model_copy(update={"verdict": "slower"} if slower else {}) for answer in record.comparison.answers
    )
    return record.model_copy(
        update={
            "plan": record.plan.model_copy(update={"comparison": comparison}),
            "provenance": record.provenance.model_copy(update={"started_at": began}),
            "comparison": record.comparison.model_copy(update={"answers": answers}),
            "ran": tuple(artifact.model_copy(update={"sha256": f"{artifact.side}"}) for artifact in record.ran),
        }
    )


def series_of_answer(host: str = "lab") -> str:
    record, _ = itself()
    assert record.comparison is not None
    answer = record.comparison.answers[0]
    return f"{answer.head_subject} {answer.scenario} {answer.phase} {answer.metric} on {host}"


def test_a_comparison_of_both_sides_of_a_change_decides_every_alert_that_it_asked_about() -> None:
    analysis = analysis_of(series_of_answer())
    (found,) = analysis.alerts
    other = found.model_copy(update={"id": "0" * 12, "series": "another series"})
    for head in (AFTER, LATER):
        assert _verdicts_on_alerts(compared(BEFORE, head), [found, other], analysis) == {found.id: "equivalent"}


@pytest.mark.parametrize(
    ("base", "head", "dirty"),
    [
        (AFTER, AFTER, False),
        (BEFORE, BEFORE, False),
        (AFTER, BEFORE, False),
        (AFTER, LATER, False),
        ("6" * 40, AFTER, False),
        (BEFORE, AFTER, True),
    ],
)
def test_commits_that_are_not_the_two_sides_of_a_change_decide_nothing(base: str, head: str, dirty: bool) -> None:
    analysis = analysis_of(series_of_answer())
    with pytest.raises(AnswerIsNo, match="do not lie on the two sides"):
        _verdicts_on_alerts(compared(base, head, dirty=dirty), analysis.alerts, analysis)


@pytest.mark.parametrize(("base", "head"), [(NEAR, LATER), (BEFORE, SOON)])
def test_commits_near_to_a_change_confirm_it_and_do_not_clear_it(base: str, head: str) -> None:
    analysis = analysis_of(series_of_answer())
    (found,) = analysis.alerts
    assert _verdicts_on_alerts(compared(base, head), [found], analysis) == {found.id: "inconclusive"}
    assert _verdicts_on_alerts(compared(base, head, slower=True), [found], analysis) == {found.id: "slower"}


def test_the_newest_commit_of_its_time_clears_a_change() -> None:
    analysis = analysis_of(series_of_answer())
    (found,) = analysis.alerts
    comparison = compared(BEFORE, SOON, began="2026-01-24T08:00:00Z")
    assert _verdicts_on_alerts(comparison, [found], analysis) == {found.id: "equivalent"}


def test_a_change_of_the_jdk_is_not_cleared_by_a_comparison_with_one_jdk() -> None:
    analysis = analysis_of(series_of_answer(), jdk="26")
    (found,) = analysis.alerts
    assert _verdicts_on_alerts(compared(BEFORE, LATER), [found], analysis) == {found.id: "inconclusive"}


def test_a_comparison_of_one_artifact_or_on_another_host_decides_nothing() -> None:
    analysis = analysis_of(series_of_answer())
    one_artifact = compared(BEFORE, LATER).model_copy(update={"ran": itself()[0].ran})
    with pytest.raises(AnswerIsNo, match="one artifact"):
        _verdicts_on_alerts(one_artifact, analysis.alerts, analysis)
    elsewhere = analysis_of(series_of_answer("another"))
    with pytest.raises(AnswerIsNo):
        _verdicts_on_alerts(compared(BEFORE, LATER), elsewhere.alerts, elsewhere)
    # Several hosts that measured one session together have one series, and the first of them runs the comparison.
    joined = analysis_of(series_of_answer("lab_another"))
    assert list(_verdicts_on_alerts(compared(BEFORE, LATER), joined.alerts, joined).values()) == ["equivalent"]
