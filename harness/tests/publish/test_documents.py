"""The published documents have the shape of the schema and say what the records say."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from plumbline.archive.history.collect import series_of, sessions
from plumbline.archive.record.read import read_record
from plumbline.archive.record.standings import standings
from plumbline.reporting.publish.action_documents import FILES
from plumbline.reporting.publish.action_documents import documents as documents_of_action
from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.feed import atom
from plumbline.reporting.publish.model.matrix import Matrix
from plumbline.reporting.publish.model.series import AlertsFile
from plumbline.reporting.publish.model.site import RulesFile, RunIndex, SiteIndex, StudiesFile
from plumbline.reporting.publish.model.standings import Overview
from plumbline.reporting.publish.model.texts import MethodFile, WaysOn
from plumbline.reporting.publish.pages import Pages, Site
from plumbline.reporting.publish.schema import DOCUMENTS, KEPT
from plumbline.reporting.publish.table import Nightly
from plumbline.reporting.publish.texts import search_entries
from .data import ROOT, folders, published, read, tree
from .plain_assets import plain_assets

BY_KIND = {document.model_fields["kind"].default: document for document in DOCUMENTS}
SVG = "{http://www.w3.org/2000/svg}"
ATOM = "{http://www.w3.org/2005/Atom}"


SCHEMA = "api/v1/schema.json"


def documents(site: dict[str, bytes]) -> dict[str, dict[str, Any]]:
    return {
        path: json.loads(content) for path, content in site.items() if path.startswith("api/v1/") and path != SCHEMA
    }


@pytest.mark.slow
def test_every_document_has_its_shape(site: dict[str, bytes]) -> None:
    by_path = documents(site)
    assert {document["kind"] for document in by_path.values()} == set(BY_KIND) - {"ways-on", "series-part"}
    for path, document in by_path.items():
        assert BY_KIND[document["kind"]].model_validate_json(site[path]).simulated, path


def test_a_run_report_names_the_workload_whose_phases_were_not_steady(site: dict[str, bytes]) -> None:
    several = 0
    for run in (document for document in documents(site).values() if document["kind"] == "run"):
        # How large a difference trials can show is a sentence about all workloads.
        sentences = [
            sentence
            for sentence in run["not_guaranteed"]
            if "steady" in sentence.lower() and "may go unseen" not in sentence
        ]
        several += len(sentences) > 1
        assert len(sentences) < 2 or all(re.match(r"\S+@\d+( and \S+@\d+)*: ", sentence) for sentence in sentences), (
            sentences
        )
    assert several


@pytest.mark.slow
def test_the_schema_lies_beside_the_documents(site: dict[str, bytes]) -> None:
    assert site[SCHEMA] == KEPT.read_bytes()


def test_the_kept_schema_accepts_them_and_nothing_else(site: dict[str, bytes]) -> None:
    check = Draft202012Validator(json.loads(KEPT.read_bytes()))
    seen_kinds = set()
    for path, document in documents(site).items():
        if document["kind"] not in seen_kinds:
            seen_kinds.add(document["kind"])
            assert check.is_valid(document), path
            assert not check.is_valid({**document, "more": 1}), path


def test_every_path_in_a_document_leads_to_a_file(site: dict[str, bytes]) -> None:
    def walk(value: object, key: str = "") -> None:
        if isinstance(value, dict):
            for name, child in value.items():
                walk(child, name)
        elif isinstance(value, list):
            for child in value:
                walk(child, key)
        elif isinstance(value, str) and key in ("path", "data", "badge", "timeline", "compare", "older"):
            assert value in site, (key, value)
        elif isinstance(value, str) and key == "page":
            page = re.split("[?#]", value)[0].removeprefix("./")
            assert f"{page}index.html" in site, value

    for document in documents(site).values():
        walk(document)


def drawn(site: dict[str, bytes], folder: Path) -> dict[str, list[str]]:
    """The first page and the matrices as the templates of the site draw them, the first page once for each table."""
    index = json.loads(site["api/v1/index.json"])
    names = {
        f"{group}s": {entry["slug"]: entry for entry in index[f"{group}s"]} for group in ("host", "subject", "scenario")
    }
    names["matrices"] = {entry["page"]: entry for entry in json.loads(site["api/v1/matrix.json"])["matrices"]}
    plain_assets(folder)
    pages, of_site = (
        Pages(read_assets(ROOT / "site" / "templates", folder / "dist")),
        Site("", True, None, None, None, 1, 0),
    )

    def render(name: str, model: BaseModel) -> str:
        return pages.render(name, "index.html", model, of_site, names).decode()

    overview = Overview.model_validate_json(site["api/v1/overview.json"])
    alone = [
        standing.model_copy(update={"tables": (table,)}) for standing in overview.standings for table in standing.tables
    ]
    matrices = [site[path] for path in site if re.match(r"api/v1/matrix/.*/", path)]
    return {
        "whole": [render("overview", overview)],
        "tables": [render("overview", overview.model_copy(update={"standings": (standing,)})) for standing in alone],
        "matrices": [render("matrix", Matrix.model_validate_json(text)) for text in matrices],
    }


@pytest.mark.slow
def test_figures_and_search_results_link_to_charts_that_there_are(site: dict[str, bytes], tmp_path: Path) -> None:
    parts = ("host", "scenario", "phase", "metric", "subject")
    charts = {tuple(entry[part] for part in parts) for entry in json.loads(site["api/v1/series.json"])["series"]}
    shown = {**drawn(site, tmp_path), "search": [site["api/v1/search.json"].decode()]}
    for name, texts in shown.items():
        addresses = [address for text in texts for address in re.findall(r'"(?:\.\./)*(trends/\?[^"]*)"', text)]
        assert addresses, name
        for address in addresses:
            asked = {name: values[0] for name, values in parse_qs(urlsplit(unescape(address)).query).items()}
            for subject in asked["subject"].split(","):
                assert tuple({**asked, "subject": subject}.get(part) for part in parts) in charts, address
    # Not every table has charts.
    assert not all("trends/?" in text for text in shown["tables"])


def test_tables_that_are_drawn_without_a_script_name_their_unit(site: dict[str, bytes], tmp_path: Path) -> None:
    (page,) = drawn(site, tmp_path)["whole"]
    standings_of_all = json.loads(site["api/v1/overview.json"])["standings"]
    titles = [
        f": {table['title']} {table['where']}, {table['symbol']}"
        for standing in standings_of_all
        for table in standing["tables"]
    ]
    headings = re.findall(r'<section class="chart-card"><h2>([^<]*)</h2>', page)
    assert headings
    assert all(heading.endswith(tuple(titles)) for heading in headings), headings


def test_a_chart_holds_the_values_of_the_records(branch: Path, site: dict[str, bytes], tmp_path: Path) -> None:
    import shutil

    clean = tmp_path / "clean"
    shutil.copytree(branch, clean, ignore=shutil.ignore_patterns("broken"))
    series = {chart.id: chart for chart in series_of(sessions(clean, tmp_path / "cache"))}
    charts = [document for document in documents(site).values() if document["kind"] == "series"]
    assert {chart["id"] for chart in charts} == set(series)
    for chart in charts:
        points = series[chart["id"]].points
        columns = chart["columns"]
        assert columns["session"] == [point.session for point in points]
        for value, ratio, point in zip(columns["value"], columns["ratio"], points, strict=True):
            assert math.isclose(value, point.value, rel_tol=1e-5)
            assert (ratio is None) == (point.control is None)
            if ratio is not None and point.control is not None:
                assert math.isclose(ratio, point.value / point.control, rel_tol=1e-4)
        assert columns["t"] == [int(datetime.fromisoformat(str(point.t)).timestamp()) for point in points]


def test_the_list_of_phases_holds_no_connections_of_one_host(site: dict[str, bytes]) -> None:
    scenarios = documents(site)["api/v1/index.json"]["scenarios"]
    loads = {phase["where"] for scenario in scenarios for phase in scenario["phases"] if phase["kind"] == "closed"}
    assert loads == {"at full load"}


def test_standings_are_those_of_the_newest_session(branch: Path, site: dict[str, bytes]) -> None:
    overview = documents(site)["api/v1/overview.json"]
    newest = read(folders(branch)[-1])
    of_fruits = next(standing for standing in overview["standings"] if standing["scenario"] == "fruits-1")
    assert of_fruits["session"]["session"] == newest["plan"]["session"]
    table = next(table for table in of_fruits["tables"] if table["metric"] == "throughput_per_s")
    record = read_record(folders(branch)[-1])
    rows = {
        row.subject.replace("/", "_").replace("+", "~"): row
        for row in standings(record.plan, record.trials, record.steadiness)
        if (row.scenario, row.metric) == ("fruits@1", "throughput_per_s")
    }
    for bar in (*table["bars"], table["control"]):
        row = rows[bar["subject"]]
        assert (bar["mean"], bar["low"], bar["high"], bar["rank"]) == (row.mean, row.low, row.high, row.rank)
    words = {"better", "worse", "equivalent", "inconclusive", "incomparable", "new"}
    assert {bar["since"]["word"] for bar in table["bars"]} <= words


def test_the_commands_of_a_run_work_in_a_clone(branch: Path, site: dict[str, bytes]) -> None:
    """The commands of a run name only files that the first command copies from the data branch."""
    for entry in json.loads(site["api/v1/runs.json"])["runs"]:
        run = json.loads(site[f"api/v1/runs/{entry['session']}.json"])
        assert (branch / run["folder"] / "record.json").is_file()
        assert run["verify"] == [
            f"./bench ci data data --remote origin --evidence {entry['session']}",
            f"./bench verify data/{run['folder']}",
        ]
        assert run["reproduce"][-1] == f"./bench reproduce data/{run['folder']}"


def test_the_feed_tells_sessions_and_links_relatively(site: dict[str, bytes]) -> None:
    feed = ET.fromstring(site["feed.atom"])
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) >= 12
    assert all(entry.findtext(f"{ATOM}title", "").startswith("SIMULATED") for entry in entries)
    for entry in entries:
        link = entry.find(f"{ATOM}link")
        assert link is not None and not link.attrib["href"].startswith(("http", "/"))


@pytest.mark.slow
def test_addresses_are_whole_where_one_is_known(branch: Path, tmp_path: Path) -> None:
    published(branch, tmp_path / "out", address="https://example.org/bench/")
    site = tree(tmp_path / "out")
    places = [
        element.text or "" for element in ET.fromstring(site["sitemap.xml"]).iter() if element.tag.endswith("loc")
    ]
    assert places and all(place.startswith("https://example.org/bench/") for place in places)
    pages = {path.removesuffix("index.html") for path in site if path.endswith("index.html")}
    assert {place.removeprefix("https://example.org/bench/") for place in places} == pages
    assert b"Sitemap: https://example.org/bench/sitemap.xml" in site["robots.txt"]
    assert b'href="https://example.org/bench/run/' in site["feed.atom"]


def test_feed_search_and_exports_have_the_verdict_of_the_pages(branch: Path, site: dict[str, bytes]) -> None:
    record = read_record(folders(branch)[-1]).model_copy(update={"verdict": "invalid"})
    of_session = digest(record)
    assert of_session.word != "invalid"
    feed = ET.fromstring(atom("Plumbline", [of_session], [], None, False))
    assert feed.findtext(f"{ATOM}entry/{ATOM}title", "").endswith(f": {of_session.word}")
    *_, found = search_entries(
        SiteIndex.model_validate_json(site["api/v1/index.json"]),
        {},
        AlertsFile.model_validate_json(site["api/v1/alerts.json"]),
        StudiesFile.model_validate_json(site["api/v1/studies.json"]),
        RulesFile.model_validate_json(site["api/v1/rules.json"]),
        MethodFile.model_validate_json(site["api/v1/method.json"]),
        Nightly(),
        [of_session],
    )
    assert of_session.word in found.words.split() and "invalid" not in found.words.split()
    for entries in documents_of_action(record, None).values():
        assert all(f"verdict {of_session.word}" in entry["extra"] for entry in entries)


def test_documents_for_github_action_benchmark(branch: Path, site: dict[str, bytes]) -> None:
    bigger = json.loads(site["github-action-benchmark/bigger.json"])
    smaller = json.loads(site["github-action-benchmark/smaller.json"])
    assert bigger and smaller
    for entry in (*bigger, *smaller):
        assert {"name", "unit", "value", "extra"} <= set(entry) <= {"name", "unit", "value", "range", "extra"}
        assert isinstance(entry["value"], float) and math.isfinite(entry["value"])
    assert all("Throughput" in entry["name"] or "Requests answered" in entry["name"] for entry in bigger)
    names = [entry["name"] for entry in (*bigger, *smaller)]
    assert len(set(names)) == len(names)
    record = read_record(folders(branch)[-1])
    rows = standings(record.plan, record.trials, record.steadiness)
    row = next(row for row in rows if row.metric == "throughput_per_s" and row.mean)
    entry = next(
        entry
        for entry in bigger
        if entry["name"].startswith(f"{row.subject} {row.scenario}") and "Throughput" in entry["name"]
    )
    assert row.mean is not None
    assert math.isclose(entry["value"], row.mean, rel_tol=1e-8)


def test_a_name_for_the_action_holds_no_rate_of_one_night(branch: Path) -> None:
    record = read_record(folders(branch)[-1])

    def names(rate_per_s: float) -> list[str]:
        scenarios = tuple(
            scenario.model_copy(
                update={
                    "phases": tuple(
                        phase.model_copy(update={"rate_per_s": rate_per_s, "rate_share": 0.8})
                        if phase.kind == "open"
                        else phase
                        for phase in scenario.phases
                    )
                }
            )
            for scenario in record.plan.scenarios
        )
        plan = record.plan.model_copy(update={"scenarios": scenarios})
        documents = documents_of_action(record.model_copy(update={"plan": plan}), None)
        return [entry["name"] for entries in documents.values() for entry in entries]

    assert any("of capacity" in name for name in names(2_400.0))
    assert names(2_400.0) == names(2_300.0)


def test_a_subject_against_itself_has_no_document_for_the_action(branch: Path) -> None:
    record = read_record(folders(branch)[-1])
    against_itself = record.model_copy(update={"plan": record.plan.model_copy(update={"suite": "aa"})})
    assert documents_of_action(against_itself, None) == {}


def test_a_session_of_which_nothing_counts_has_no_empty_document_for_the_action(branch: Path) -> None:
    record = read_record(folders(branch)[-1])
    assert set(documents_of_action(record, None)) == set(FILES.values())
    assert documents_of_action(record.model_copy(update={"trials": ()}), None) == {}


@pytest.mark.parametrize("written", [(), (FILES["lower"],), tuple(FILES.values())])
def test_the_page_links_only_documents_for_the_action_that_were_written(
    written: tuple[str, ...], site: dict[str, bytes], tmp_path: Path
) -> None:
    index = SiteIndex.model_validate_json(site["api/v1/index.json"])
    assert index.exports == tuple(path for path in FILES.values() if path in site)
    plain_assets(tmp_path)
    pages = Pages(read_assets(ROOT / "site" / "templates", tmp_path / "dist"))
    page = pages.render(
        "api",
        "api/index.html",
        index.model_copy(update={"exports": written}),
        Site("Plumbline", True, None, None, None, 1, 0),
        {},
    ).decode()
    assert tuple(re.findall(r'href="\.\./(github-action-benchmark/[^"]*)"', page)) == written


def test_badges_and_pictures(site: dict[str, bytes]) -> None:
    badges = [content for path, content in site.items() if path.startswith("badges/")]
    assert len(badges) == sum(path.startswith("api/v1/series/") for path in site)
    for badge in badges:
        root = ET.fromstring(badge)
        assert root.tag.endswith("svg") and int(root.attrib["width"]) > 100
    labels = [ET.fromstring(badge).findtext(f"{SVG}text", "") for badge in badges]
    assert len(set(labels)) == len(labels)
    assert all(label.startswith("SIMULATED: ") and re.search(r" \S+@\d+: ", label) for label in labels)
    assert any(" at full load (" in label for label in labels)
    pictures = [content for path, content in site.items() if path.startswith("og/")]
    assert pictures and all(picture.startswith(b"\x89PNG\r\n") and len(picture) < 60_000 for picture in pictures)


def test_every_page_says_that_it_is_simulated(site: dict[str, bytes]) -> None:
    pages = [content for path, content in site.items() if path.endswith(".html")]
    matrices = documents(site)["api/v1/matrix.json"]["matrices"]
    studies = documents(site)["api/v1/studies.json"]["studies"]
    classes = documents(site)["api/v1/classes.json"]["classes"]
    assert len(pages) == 16 + 12 + len(matrices) + len(studies) + len(classes)
    assert all(b"Simulated data" in page for page in pages)


def test_the_script_of_the_runs_does_not_write_over_the_links_to_older_ones(
    site: dict[str, bytes], tmp_path: Path
) -> None:
    runs = RunIndex.model_validate_json(site["api/v1/runs.json"]).model_copy(update={"older": ("api/v1/runs-0.json",)})
    hosts = {host["slug"]: host for host in json.loads(site["api/v1/index.json"])["hosts"]}
    plain_assets(tmp_path)
    pages = Pages(read_assets(ROOT / "site" / "templates", tmp_path / "dist"))
    names = {"hosts": hosts, "subjects": {}, "scenarios": {}}
    page = pages.render(
        "runs", "runs/index.html", runs, Site("Plumbline", True, None, None, None, 1, 0), names
    ).decode()
    # site/src/pages/runs.ts replaces the text of #shown.
    shown = re.search(r'<span id="shown"[^>]*>([^<]*)</span>([^\n]*)', page)
    assert shown is not None and shown[1] == f"{len(runs.runs)} newest sessions."
    assert '<a href="../api/v1/runs-0.json">' in shown[2]


def test_the_page_for_a_mistyped_address_has_whole_addresses_where_one_is_known(tmp_path: Path) -> None:
    """A server shows it at any depth, so no relative path of it leads anywhere."""
    address = "https://example.org/bench/"
    plain_assets(tmp_path)
    pages = Pages(read_assets(ROOT / "site" / "templates", tmp_path / "dist"))
    site = Site("Plumbline", True, address, None, None, 1, 0)
    page = pages.render("404", "404.html", WaysOn(simulated=True, pages=()), site, {}).decode()
    assert f'data-root="{address}"' in page
    places = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert places and all(place.startswith((address, "#")) for place in places)
