"""A chart tells where it has no point and why, when its environment changed, and which alert a change has."""

from __future__ import annotations

from pathlib import Path

from plumbline.archive.history.alerts import State
from plumbline.reporting.publish.digest import Digest
from plumbline.reporting.publish.gaps import Gaps
from plumbline.reporting.publish.model.series import Difference, Refused, SeriesFile, SeriesPart
from .nights import made, nights, of


def test_each_session_without_a_point_lies_in_the_part_of_its_time(branch: Path) -> None:
    """The chart of everything has the gaps of older parts too, each once."""
    ten_years = of(nights(branch, 3650))
    series = ten_years.charts[-1].series
    times = [digest.t + 43_200 for digest in ten_years.digests[::50]]
    refused = [Refused(t=t, session=f"s{t}", reason="R7") for t in times]
    documents = dict(ten_years.files(Gaps({(series.host, series.subject, series.scenario): refused}, {})))
    chart = next(chart for chart in documents.values() if isinstance(chart, SeriesFile) and chart.refused)
    older = [documents[part.path] for part in chart.older]
    parts = [part.refused for part in older if isinstance(part, SeriesPart)]
    assert len(parts) == len(chart.older) == 6
    assert [gap for part in (*parts, chart.refused) for gap in part] == refused
    for part, gaps in zip(chart.older, parts, strict=True):
        assert gaps and all(part.from_t <= gap.t < part.to_t + 86_400 for gap in gaps)


def test_an_environment_that_comes_back_is_a_turn(branch: Path) -> None:
    """Three nights of kernel a, two of b, then a again: two turns, though the chart has two segments."""
    kernels = ["a", "a", "a", "b", "b", "a"]
    digests = [
        digest._replace(extract=digest.extract.model_copy(update={"environment": {"kernel": kernel}}))
        for digest, kernel in zip(nights(branch, len(kernels)), kernels, strict=True)
    ]
    for chart in made(of(digests)).values():
        assert isinstance(chart, SeriesFile)
        assert len(chart.segments) == 2
        assert [(turn.index, turn.t) for turn in chart.turns] == [(3, digests[3].t), (5, digests[5].t)]
        assert [turn.changes for turn in chart.turns] == [
            (Difference(name="kernel", before="a", after="b"),),
            (Difference(name="kernel", before="b", after="a"),),
        ]


def test_a_change_has_the_unsolved_alert_though_an_older_one_is_near(branch: Path) -> None:
    digests = [_slower(digest, 0.9 if night >= 60 else 1.0) for night, digest in enumerate(nights(branch, 120))]
    (alert,) = of(digests).analysis.alerts
    states: tuple[State, State] = ("cleared", "open")
    known_alerts = [
        alert.model_copy(update={"id": state, "session": digests[night].session, "state": state, "reason": ""})
        for state, night in zip(states, (58, 61), strict=True)
    ]
    lives = [
        change.life
        for chart in made(of(digests, known_alerts)).values()
        if isinstance(chart, SeriesFile)
        for change in chart.changes
    ]
    assert [life and (life.alert, life.state) for life in lives] == [("open", "open")]


def test_the_words_of_a_chart_are_those_of_its_own_host(branch: Path) -> None:
    """The newest session is one of another host, whose phases have other connections."""
    *lab, newest = nights(branch, 6)
    (scenario, words), *_ = newest.phases.items()
    fewer = tuple((name, kind, f"{where} elsewhere") for name, kind, where in words)
    small = newest._replace(
        host="small", phases={scenario: fewer}, extract=newest.extract.model_copy(update={"host": "small"})
    )
    where = {name: words for name, _, words in words}
    charts = [chart for chart in made(of([*lab, small])).values() if isinstance(chart, SeriesFile)]
    assert {chart.host for chart in charts} == {"small", lab[0].host}
    for chart in charts:
        assert chart.where == where[chart.phase] + (" elsewhere" if chart.host == "small" else "")


def _slower(night: Digest, factor: float) -> Digest:
    """The night with another throughput of its subject."""
    control = night.extract.control
    values = {
        subject: scenarios
        if subject == control
        else {
            scenario: {
                phase: {metric: value * factor for metric, value in metrics.items()}
                for phase, metrics in phases.items()
            }
            for scenario, phases in scenarios.items()
        }
        for subject, scenarios in night.extract.values.items()
    }
    return night._replace(extract=night.extract.model_copy(update={"values": values}))
