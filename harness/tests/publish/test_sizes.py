"""What a reader has to load stays small, however long the history: sizes on synthetic years."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from plumbline.reporting.publish.model.series import SeriesFile, SeriesPart
from plumbline.reporting.publish.session.work import to_bytes
from plumbline.reporting.publish.trends import PART_POINTS, Trends
from .nights import made, nights, of

CHART_BYTES = 30_000
PAGE_BYTES = 100_000


@pytest.fixture(scope="module")
def ten_years(branch: Path) -> Trends:
    """3,650 nights like the newest night of the branch, with the noise of a host."""
    return of(nights(branch, 3650))


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
