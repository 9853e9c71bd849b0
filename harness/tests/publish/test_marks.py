"""A subject has one mark, in reports and on all pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.model.subject import Subject
from plumbline.report.charts.marks import (
    _MOST_VARIANTS,
    _VARIANTS,
    COLOURS,
    HOLLOW_FROM,
    SHAPES,
    mark,
    mark_of,
)
from .data import ROOT

SITE = ROOT / "site"
CATALOG = read_catalog(ROOT, [])


def test_pages_draw_the_shapes_of_reports() -> None:
    script = (SITE / "src/lib/marks.ts").read_text()
    template = (SITE / "templates/parts.html").read_text()
    for text in (
        re.search(r"SHAPES = (\[.*?\])", script, re.S),
        re.search(r"set shapes = (\[.*?\]) %", template),
    ):
        assert text is not None
        assert tuple(json.loads(text[1].replace(",\n]", "]"))) == SHAPES
    assert f"HOLLOW_FROM = {HOLLOW_FROM};" in script and f"COLOURS = {COLOURS};" in script
    assert f"mark >= {HOLLOW_FROM}" in template


def test_pages_have_the_colours_of_reports() -> None:
    def colours(path: Path) -> list[list[str]]:
        return [
            re.findall(r"--c\w: (#\w+)", line) for line in path.read_text().splitlines() if "--c0:" in line
        ]

    report = colours(ROOT / "harness/plumbline/report/templates/report.css")
    pages = colours(SITE / "src/style/tokens.css")
    assert report[0] == pages[0]
    assert {*map(tuple, report[1:])} == {*map(tuple, pages[1:])}
    assert len(report[0]) == COLOURS + 1


@pytest.mark.parametrize("suite", CATALOG.bench.suites)
def test_no_two_subjects_of_a_suite_share_a_mark(suite: str) -> None:
    ids = [one.id for one in CATALOG.all_subjects_of(CATALOG.bench.suites[suite])]
    drawn = {mark(mark_of(Subject.parse(id_)), 0, 0) for id_ in ids}
    assert len(drawn) == len(ids)


def test_every_variant_of_the_tree_has_a_place_of_its_own() -> None:
    """A new one comes at the end of the list: its plain form would get one by chance otherwise, perhaps another's.

    One whose build decided a setting has no plain form.
    """
    control = CATALOG.bench.control.partition("/")[0]
    right = {
        name
        for name, one in CATALOG.variants.items()
        if not one.spec.only_in and not CATALOG.own_settings(one)
    }
    assert right - {control} <= {*_VARIANTS}
    assert len(_VARIANTS) == len({*_VARIANTS}) <= _MOST_VARIANTS


def test_a_run_and_the_site_agree(site: dict[str, bytes]) -> None:
    index = {one["slug"]: one["mark"] for one in json.loads(site["api/v1/index.json"])["subjects"]}
    asked = 0
    for path, content in site.items():
        if path.startswith("api/v1/compare/"):
            for one in json.loads(content)["contenders"]:
                asked += 1
                assert one["mark"] == index[one["subject"]]
    assert asked
