"""What a reader has to load stays small, however long the history: sizes on synthetic years."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from plumbline.reporting.publish.digest import Digest, Halves, digest, to_digits
from plumbline.reporting.publish.gaps import Gaps
from plumbline.reporting.publish.model.base import Document
from plumbline.reporting.publish.model.series import Difference, Refused, SeriesFile, SeriesPart
from plumbline.reporting.publish.reading import read_record
from plumbline.reporting.publish.session.work import to_bytes
from plumbline.reporting.publish.table import Nightly
from plumbline.reporting.publish.trends import PART_POINTS, Trends, trends
from .data import folders

CHART_BYTES = 30_000
PAGE_BYTES = 100_000


@pytest.fixture(scope="module")
def ten_years(branch: Path) -> Trends:
    """3,650 nights like the newest night of the branch, with the noise of a host."""
    draw = random.Random(1)
    pattern = digest(read_record(folders(branch)[-1])[0])
    subject = next(subject for subject in pattern.subjects if subject != pattern.extract.control)
    return of([_night(pattern, subject, night, draw) for night in range(3650)])


def of(digests: Sequence[Digest]) -> Trends:
    nightly = Nightly()
    for night_digest in digests:
        nightly.add(night_digest)
    return trends(digests, nightly, ())


def made(charts: Trends) -> dict[str, Document]:
    return dict(charts.files({}, Gaps({}, {})))


def _night(pattern: Digest, subject: str, night: int, draw: random.Random) -> Digest:
    keep = ("closed", "throughput_per_s")
    scenario = pattern.scenarios[0]
    extract = pattern.extract
    value = extract.values[subject][scenario][keep[0]][keep[1]] * (1 + draw.gauss(0, 0.01))
    control = extract.values[extract.control][scenario][keep[0]][keep[1]] * (1 + draw.gauss(0, 0.01))
    session = f"20260101T{night:06d}Z-sim-lab-{draw.randrange(16**6):06x}"
    values = {
        id_: {scenario: {keep[0]: {keep[1]: figure}}} for id_, figure in ((subject, value), (extract.control, control))
    }
    half = to_digits(abs(draw.gauss(0.01, 0.004)), 3)
    halves: Halves = {id_: {scenario: {keep[0]: {keep[1]: half}}} for id_ in (subject, extract.control)}
    return pattern._replace(
        session=session,
        t=1_450_000_000 + 86_400 * night + draw.randrange(900),
        halves=halves,
        extract=extract.model_copy(update={"session": session, "t": f"{night:06d}", "values": values}),
    )


def test_a_chart_of_ten_years_is_small_and_whole(ten_years: Trends) -> None:
    charts = [document for document in made(ten_years).values() if isinstance(document, SeriesFile)]
    parts = {path: document for path, document in made(ten_years).items() if isinstance(document, SeriesPart)}
    assert len(charts) == 2
    for chart in charts:
        assert len(gzip.compress(to_bytes(chart), 6, mtime=0)) <= CHART_BYTES
        assert PART_POINTS <= len(chart.columns.t) < 2 * PART_POINTS
        times = [t for part in chart.older for t in parts[part.path].columns.t] + list(chart.columns.t)
        assert len(times) == chart.points == 3650 and times == sorted(times)
        assert chart.first == sum(part.points for part in chart.older)
        for part in chart.older:
            assert len(gzip.compress(to_bytes(parts[part.path]), 6, mtime=0)) <= CHART_BYTES


def test_older_parts_stay_as_they_are(ten_years: Trends, branch: Path) -> None:
    fewer = of(ten_years.digests[:-400])
    before = {path: to_bytes(document) for path, document in made(fewer).items() if isinstance(document, SeriesPart)}
    after = {path: to_bytes(document) for path, document in made(ten_years).items()}
    assert before and all(after[path] == content for path, content in before.items())


def test_each_session_without_a_point_lies_in_the_part_of_its_time(ten_years: Trends) -> None:
    """The chart of everything has the gaps of older parts too, each once."""
    series = ten_years.charts[-1].series
    times = [digest.t + 43_200 for digest in ten_years.digests[::50]]
    refused = [Refused(t=t, session=f"s{t}", reason="R7") for t in times]
    documents = dict(ten_years.files({}, Gaps({(series.host, series.subject, series.scenario): refused}, {})))
    chart = next(chart for chart in documents.values() if isinstance(chart, SeriesFile) and chart.refused)
    older = [documents[part.path] for part in chart.older]
    parts = [part.refused for part in older if isinstance(part, SeriesPart)]
    assert len(parts) == len(chart.older) == 6
    assert [gap for part in (*parts, chart.refused) for gap in part] == refused
    for part, gaps in zip(chart.older, parts, strict=True):
        assert gaps and all(part.from_t <= gap.t < part.to_t + 86_400 for gap in gaps)


def test_an_environment_that_comes_back_is_a_turn(ten_years: Trends) -> None:
    """Three nights of kernel a, two of b, then a again: two turns, though the chart has two segments."""
    kernels = ["a", "a", "a", "b", "b", "a"]
    digests = [
        digest._replace(extract=digest.extract.model_copy(update={"environment": {"kernel": kernel}}))
        for digest, kernel in zip(ten_years.digests, kernels, strict=False)
    ]
    for chart in made(of(digests)).values():
        assert isinstance(chart, SeriesFile)
        assert len(chart.segments) == 2
        assert [(turn.index, turn.t) for turn in chart.turns] == [(3, digests[3].t), (5, digests[5].t)]
        assert [turn.changes for turn in chart.turns] == [
            (Difference(name="kernel", before="a", after="b"),),
            (Difference(name="kernel", before="b", after="a"),),
        ]


def test_timelines_have_at_most_120_points_a_line(site: dict[str, bytes]) -> None:
    import json

    timelines = [json.loads(content) for path, content in site.items() if path.count("/") == 4 and "/runs/" in path]
    assert timelines
    for timeline in timelines:
        for panel in timeline["panels"]:
            for line in panel["lines"]:
                assert 0 < sum(map(len, line["pieces"])) <= 120


def test_documents_of_a_first_view_are_small(site: dict[str, bytes]) -> None:
    for name in ("index", "overview", "series", "runs", "alerts", "hosts", "studies", "method", "search"):
        assert len(gzip.compress(site[f"api/v1/{name}.json"], 6, mtime=0)) <= PAGE_BYTES / 2, name
