"""Makes all files that are not of one session alone: pages, API, badges, the feed, documents for other programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from plumbline.archive.history.alerts import Alert
from plumbline.model.record import Record
from .action_documents import documents
from .addresses import API, matrix_file, run_page
from .alerts import alerts_file, newest_first
from .badges import badge, picture
from .catalogue import newest_of_hosts, newest_of_scenarios, run_indexes, site_index
from .classes import classes_file
from .digest import Digest
from .feed import FEED, atom, robots, sitemap
from .gaps import gaps_of
from .hosts import hosts_file
from .matrix import matrices
from .model.classes import ClassesFile
from .model.hosts import HostQuiet
from .model.matrix import Matrix, MatrixEntry, MatrixIndex
from .model.site import IntegrityFile, LeftOut, SeriesIndex, SiteIndex, StudiesFile
from .model.standings import Overview
from .model.texts import SearchFile, WaysOn
from .overview import standings
from .pages import Pages, Site, date
from .rules import rules_file
from .schema import schema_bytes
from .session.work import PublishContext, to_bytes
from .starts import starts_file
from .studies import studies_file
from .table import Nightly
from .texts import PAGES, method_file, pages, search_entries
from .trends import Trends, trends

File = tuple[str, bytes]
"""The path and the content of a file."""


@dataclass(frozen=True)
class Content:
    """The data of the site. `digests` and `nightly` are in the order of time, `recent` are the newest digests."""

    place: PublishContext
    digests: Sequence[Digest]
    nightly: Nightly
    recent: Sequence[Digest]
    ledger: Sequence[Alert]
    quiet: Mapping[str, HostQuiet]
    left_out: tuple[LeftOut, ...]
    evidence: tuple[LeftOut, ...]
    records: int
    docs: Path


def files(content: Content, read: Callable[[str], Record]) -> Iterator[File]:
    """Yield every file, each path once. `read` reads the record of a session again."""
    digests, place = content.digests, content.place
    reader = cache(read)
    newest = [*newest_of_hosts(digests).values(), *newest_of_scenarios(digests).values()]
    records = {digest.session: reader(digest.session) for digest in newest}
    simulated = any(digest.simulated for digest in digests)
    left_out = sum(omission.is_record for omission in content.left_out)
    exports = documents(reader(digests[-1].session), place.address) if digests else {}
    index = site_index(digests, records, place.axes, left_out).model_copy(update={"exports": tuple(exports)})
    trend_analysis = trends(digests, content.nightly, content.ledger)
    yield from _trend_files(trend_analysis, digests, simulated)
    alerts = alerts_file(trend_analysis, simulated)
    studies = studies_file(digests, reader, simulated)
    rules = rules_file(digests, simulated)
    method = method_file(content.docs, simulated)
    overview = Overview(
        simulated=simulated,
        standings=standings(digests, content.nightly, reader),
        open_alerts=len(alerts.open),
        sessions=len(digests),
        left_out_records=left_out,
    )
    subject_names = {subject.id: (subject.short, subject.mark) for subject in index.subjects}
    grids = tuple(matrices(digests, content.nightly, reader, subject_names, simulated))
    runs = dict(run_indexes(digests, frozenset(digest.session for digest in content.recent), simulated))
    models: dict[str, tuple[str, BaseModel]] = {
        "overview": (f"{API}/overview.json", overview),
        "trends": (f"{API}/index.json", index),
        "runs": (f"{API}/runs.json", runs.pop(f"{API}/runs.json")),
        "alerts": (f"{API}/alerts.json", alerts),
        "hosts": (f"{API}/hosts.json", hosts_file(digests, records, content.quiet, simulated)),
        "starts": (f"{API}/starts.json", starts_file(digests, reader, simulated)),
        "classes": (
            f"{API}/classes.json",
            classes_file(digests, overview.standings, place.axes, reader, simulated),
        ),
        "studies": (f"{API}/studies.json", studies),
        "method": (f"{API}/method.json", method),
        "rules": (f"{API}/rules.json", rules),
        "integrity": (f"{API}/integrity.json", _integrity(content, simulated)),
    }
    api: dict[str, BaseModel] = {
        **dict(models.values()),
        **runs,
        f"{API}/matrix.json": _matrix_index(grids, simulated),
        **{matrix_file(grid.host_class, grid.scenario): grid for grid in grids},
        f"{API}/series.json": SeriesIndex(simulated=simulated, series=trend_analysis.entries()),
        f"{API}/search.json": SearchFile(
            simulated=index.simulated,
            entries=tuple(
                search_entries(index, place.axes, alerts, studies, rules, method, content.nightly, content.recent)
            ),
        ),
    }
    for path, document in api.items():
        yield path, to_bytes(document)
    yield f"{API}/schema.json", schema_bytes()
    rendered = dict(_pages(content, index, {name: model for name, (_, model) in models.items()}, grids))
    yield from rendered.items()
    yield from _pictures(index, overview)
    yield FEED, atom(index.title, digests, newest_first(alerts), place.address, simulated)
    yield "robots.txt", robots(place.address)
    yield ".nojekyll", b""
    if place.address is not None:
        addresses = [path.removesuffix("index.html") for path in rendered if path.endswith("index.html")]
        addresses += [run_page(digest.session) for digest in reversed(digests)]
        yield "sitemap.xml", sitemap(addresses, place.address)
    for path, entries in exports.items():
        yield path, _pretty(entries)
    for path, source in place.assets.files.items():
        yield path, source.read_bytes()


def _trend_files(trend_analysis: Trends, digests: Sequence[Digest], simulated: bool) -> Iterator[File]:
    for path, document in trend_analysis.files(gaps_of(digests)):
        yield path, to_bytes(document)
    for chart in trend_analysis.charts:
        yield chart.badge, badge(chart, trend_analysis.phase_words(chart), simulated)


def _integrity(content: Content, simulated: bool) -> IntegrityFile:
    counts = Counter(omission.cause for omission in content.left_out)
    return IntegrityFile(
        simulated=simulated,
        records=content.records,
        shown=len(content.digests),
        causes={cause: counts[cause] for cause in sorted(counts)},
        left_out=content.left_out,
        evidence=content.evidence,
    )


def _matrix_index(grids: Sequence[Matrix], simulated: bool) -> MatrixIndex:
    return MatrixIndex(
        simulated=simulated,
        matrices=tuple(
            MatrixEntry(
                host_class=grid.host_class,
                scenario=grid.scenario,
                page=grid.page,
                path=matrix_file(grid.host_class, grid.scenario),
                subjects=len(grid.rows),
            )
            for grid in grids
        ),
    )


def _pages(
    content: Content, index: SiteIndex, models: Mapping[str, BaseModel], grids: Sequence[Matrix]
) -> Iterator[File]:
    place = content.place
    render = Pages(place.assets)
    site = Site(
        title=index.title,
        simulated=index.simulated,
        address=place.address,
        repository=place.repository,
        newest=None if index.newest_t is None else date(index.newest_t),
        sessions=index.sessions,
        left_out_records=index.left_out_records,
    )
    names = {
        "hosts": {host.slug: host.model_dump(mode="json") for host in index.hosts},
        "subjects": {subject.slug: subject.model_dump(mode="json") for subject in index.subjects},
        "scenarios": {scenario.slug: scenario.model_dump(mode="json") for scenario in index.scenarios},
    }
    ways_on = WaysOn(simulated=index.simulated, pages=tuple(pages()))
    models_by_page = {
        **models,
        "compare": models["runs"],
        "search": ways_on,
        "api": index,
        "404": ways_on,
    }
    for name, model in models_by_page.items():
        path = {"overview": "index.html", "404": "404.html"}.get(name, f"{name}/index.html")
        yield path, render.render(name, path, model, site, names)
    all_studies = models["studies"]
    assert isinstance(all_studies, StudiesFile)
    for study in all_studies.studies:
        path = f"studies/{study.id}/index.html"
        only_study = all_studies.model_copy(update={"studies": (study,)})
        yield path, render.render("studies", path, only_study, site, names)
    all_classes = models["classes"]
    assert isinstance(all_classes, ClassesFile)
    for access_class in all_classes.classes:
        only_class = all_classes.model_copy(update={"classes": (access_class,), "prices": ()})
        yield (
            f"{access_class.page}index.html",
            render.render("classes", f"{access_class.page}index.html", only_class, site, names),
        )
    entries = _matrix_index(grids, index.simulated)
    names_with_matrices = {
        **names,
        "matrices": {grid.page: grid.model_dump(mode="json") for grid in entries.matrices},
    }
    for folder, grid in (("matrix/", grids[0] if grids else entries), *((grid.page, grid) for grid in grids)):
        path = f"{folder}index.html"
        yield path, render.render("matrix", path, grid, site, names_with_matrices)


def _pictures(index: SiteIndex, overview: Overview) -> Iterator[File]:
    """Yield the pictures that others show beside a link: sentences and bars of the overview, else the page's name."""
    lines, bars = overview_picture(overview)
    for title, page, _ in (*PAGES, ("Run", "run/", ""), ("Search", "search/", "")):
        name = page.strip("/") or "overview"
        picture_lines, picture_bars = (tuple(lines), tuple(bars)) if name == "overview" else ((), ())
        yield f"og/{name}.png", picture(index.title, title, picture_lines, picture_bars, index.simulated)


def overview_picture(overview: Overview) -> tuple[list[str], list[tuple[str, float, str]]]:
    """Return the lines and bars of the overview's picture, from the first class of the first table that may lead."""
    standing, headline = next(
        (
            (standing, table)
            for standing in overview.standings
            for table in standing.tables
            if table.sound and not table.warming_up
        ),
        (None, None),
    )
    if standing is None or headline is None or not headline.classes:
        return [], []
    first = headline.classes[0]
    verdict = next(said.verdict for said in (standing, *standing.others) if said.session == headline.session)
    title = f"{'' if verdict == 'valid' else f'{verdict.capitalize()}: '}{headline.title} {headline.where}"
    bars = [
        (bar.short, bar.mean / headline.per, bar.text)
        for bar in [bar for bar in headline.bars if bar.data_access == first.data_access and not bar.warming_up][:6]
        if bar.mean is not None
    ]
    return [f"{title}, {first.title.lower()}" if first.title else title, first.said], bars


def _pretty(entries: object) -> bytes:
    return json.dumps(entries, indent=1, ensure_ascii=False).encode("utf-8") + b"\n"
