"""All texts that are written about a session, by writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plumbline.model.record import Record
from plumbline.reporting.publish import badges, feed
from plumbline.reporting.publish.action_documents import documents
from plumbline.reporting.publish.assets import Assets, read_assets
from plumbline.reporting.publish.classes import classes_file
from plumbline.reporting.publish.digest import digest, without_points
from plumbline.reporting.publish.matrix import matrices
from plumbline.reporting.publish.model.classes import ClassesFile
from plumbline.reporting.publish.model.matrix import Matrix
from plumbline.reporting.publish.model.standings import Overview
from plumbline.reporting.publish.overview import standings
from plumbline.reporting.publish.session.certificate import certificate
from plumbline.reporting.publish.session.comparing import compare_document
from plumbline.reporting.publish.session.work import PublishContext
from plumbline.reporting.publish.site import Content, files, overview_picture
from plumbline.reporting.publish.table import Nightly
from plumbline.reporting.publish.trends import Trends, trends
from plumbline.reporting.report import html, markdown, terminal
from plumbline.reporting.report.compose import compose
from tests.checkout import ROOT
from tests.publish.plain_assets import plain_assets
from tests.report.pages import Page


def overview(*records: Record) -> Overview:
    """The document of the front page, for sessions in the order of time."""
    by_session = {record.plan.session: record for record in records}
    return Overview(
        simulated=False,
        standings=standings([digest(record) for record in records], Nightly(), by_session.__getitem__),
        open_alerts=0,
        sessions=len(records),
        left_out_records=0,
    )


def grids(*records: Record) -> tuple[Matrix, ...]:
    """The matrices of these sessions."""
    by_session, nightly = {record.plan.session: record for record in records}, Nightly()
    digests = [digest(record) for record in records]
    for session_digest in digests:
        nightly.add(session_digest)
    names = {id_: (id_, None) for record in records for id_ in (*record.plan.subjects, record.plan.control)}
    return tuple(matrices(digests, nightly, by_session.__getitem__, names, False))


def class_pages(*records: Record) -> ClassesFile:
    """The document of the pages of classes, for these sessions."""
    by_session = {record.plan.session: record for record in records}
    digests = [digest(record) for record in records]
    return classes_file(digests, overview(*records).standings, {}, by_session.__getitem__, False)


def site_of(*records: Record) -> dict[str, str]:
    """Path -> text of every file that the site publishes of these sessions, made with the site's own templates."""
    by_session, nightly = {record.plan.session: record for record in records}, Nightly()
    digests = [digest(record) for record in records]
    for session_digest in digests:
        nightly.add(session_digest)
    context = PublishContext(Path(), Path(), site_assets(), "https://example.org/", None, "Plumbline", {})
    shown = [without_points(session_digest) for session_digest in digests]
    content = Content(context, shown, nightly, shown, (), {}, (), (), len(records), ROOT / "docs")
    return {
        path: unescape(file_bytes.decode())
        for path, file_bytes in files(content, by_session.__getitem__)
        if path.endswith((".html", ".json", ".xml", ".svg"))
    }


_FOLDER = TemporaryDirectory()


@cache
def site_assets() -> Assets:
    """The site's own templates, with scripts and styles that do nothing."""
    plain_assets(Path(_FOLDER.name))
    return read_assets(ROOT / "site" / "templates", Path(_FOLDER.name) / "dist")


def charts(record: Record) -> Trends:
    """The charts of a data branch that holds this session alone."""
    session_digest, nightly = digest(record), Nightly()
    nightly.add(session_digest)
    return trends([session_digest], nightly, ())


def everything(record: Record) -> dict[str, str]:
    """Writer -> text."""
    view = compose(record, {})
    front = overview(record)
    return {
        "terminal": " ".join(terminal.render(record, {}, 100, False).split()),
        "markdown": markdown.document(view).replace("\\", ""),
        "html": Page(html.page(view)).text,
        "json": json.dumps([row.model_dump(mode="json") for row in record.standings]),
        "front page": front.model_dump_json(),
        "run page": certificate(record, {}, recent=True, folder="x", files={}).model_dump_json(),
        "class pages": class_pages(record).model_dump_json(),
        "compare page": compare_document(record, {}, recent=True).model_dump_json(),
        "picture": " ".join(_picture(front, record)),
        "feed": unescape(feed.atom("Plumbline", [digest(record)], (), None, False).decode()),
        "badges": " ".join(badges.badge(chart, chart.series.phase, False).decode() for chart in charts(record).charts),
        "github-action-benchmark": json.dumps(documents(record, None), ensure_ascii=False),
        "comment": markdown.brief(view, "Measured").replace("\\", ""),
    }


def _picture(front: Overview, record: Record) -> Iterator[str]:
    lines, bars = overview_picture(front)
    yield from lines
    yield from (f"{name} {figure}" for name, _, figure in bars)


def tables(record: Record) -> dict[str, dict[tuple[str, str], Any]]:
    """Writer -> (phase, metric) -> (the result in words, subject -> rank)."""
    view = compose(record, {}).scenarios[0]
    shown = (*view.lead, *view.bounded, *view.unsteady, *view.others)
    front = overview(record)
    run = certificate(record, {}, recent=True, folder="x", files={})
    return {
        "report": {
            (table.phase, table.metric): (table.sentence, {row.name.id: row.rank for row in table.rows})
            for table in shown
        },
        "told": dict.fromkeys((table.phase, table.metric) for table in (*view.lead, *view.bounded, *view.unsteady)),
        "front page": {
            (table.phase, table.metric): (table.said, {_id(record, bar.subject): bar.rank for bar in table.bars})
            for standing in front.standings
            for table in standing.tables
            if table.metric != "build_wall_s"
        },
        "run page": {
            (table.phase, table.metric): (
                table.said,
                {_id(record, bar.subject): bar.rank for bar in table.bars if "control" not in bar.subject},
            )
            for table in run.tables
        },
    }


def _id(record: Record, slug: str) -> str:
    from plumbline.model.subject import slug_of

    return next(subject for subject in record.plan.subjects if slug_of(subject) == slug)
