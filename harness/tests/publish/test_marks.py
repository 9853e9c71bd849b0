"""A subject has one mark, in reports and on all pages."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import pytest

from plumbline.model.subject import Subject
from plumbline.reporting.report.charts.marks import (
    _OF_VARIANTS,
    _VARIANTS,
    COLOURS,
    HOLLOW_FROM,
    SHAPES,
    mark,
    mark_of,
)
from plumbline.subjects.catalog.catalog import read_catalog
from tests.checkout import assert_named
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
        return [re.findall(r"--c\w: (#\w+)", line) for line in path.read_text().splitlines() if "--c0:" in line]

    report = colours(ROOT / "harness/plumbline/reporting/report/templates/report.css")
    pages = colours(SITE / "src/style/tokens.css")
    assert report[0] == pages[0]
    assert {*map(tuple, report[1:])} == {*map(tuple, pages[1:])}
    assert len(report[0]) == COLOURS + 1


@pytest.mark.parametrize("suite", CATALOG.bench.suites)
def test_no_two_subjects_of_a_suite_share_a_mark(suite: str) -> None:
    ids = [subject.id for subject in CATALOG.all_subjects_of(CATALOG.bench.suites[suite])]
    drawn = {mark(mark_of(Subject.parse(id_)), 0, 0) for id_ in ids}
    assert len(drawn) == len(ids)


def test_every_variant_of_the_tree_has_a_place_of_its_own() -> None:
    """A new variant comes at the end of the list: without a place there, its plain form gets a mark by chance.

    That mark may already be another variant's. A variant whose build decided a setting has no plain form.
    """
    control = CATALOG.bench.control.partition("/")[0]
    right = {
        name
        for name, variant in CATALOG.variants.items()
        if not variant.spec.only_in and not CATALOG.own_settings(variant.spec.settings)
    }
    names = {*_VARIANTS} & right
    assert_named("harness/plumbline/reporting/report/charts/marks.py, end of _PLACES", names, right - {control})
    assert len(_VARIANTS) == len({*_VARIANTS}) <= len(_OF_VARIANTS)


# What an eye sees of a colour's linear light. Eyes without the red or the green cones are the common kinds of colour
# blindness, eyes without the blue cones the rare kind (Machado, Oliveira, Fernandes 2009, severity 1).
EYES = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "without red cones": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "without green cones": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "without blue cones": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
# From linear light to cones, and from the cube roots of these to Oklab (Ottosson 2020), where equal steps look equal.
CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
# Two colours closer than this look alike when they do not touch: the pairs that readers mixed up were 0.01 to 0.07
# apart.
APART = {"usual": 0.08, "without red cones": 0.05, "without green cones": 0.05, "without blue cones": 0.05}


def _transformed(matrix: tuple[tuple[float, ...], ...], point: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, point, strict=True)) for row in matrix)


def _as_seen(colour: str, eye: str) -> tuple[float, ...]:
    stored = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    light = tuple(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in stored)
    cones = _transformed(CONES, _transformed(EYES[eye], light))
    return _transformed(OKLAB, tuple(max(value, 0.0) ** (1 / 3) for value in cones))


def _pairs() -> list[tuple[int, int]]:
    """Pairs of places of variants that are compared with each other and whose marks have the same shape.

    A variant that is still to come may be of any class.
    """
    classes = [CATALOG.variants[name].spec.data_access for name in _VARIANTS]
    shapes = [re.sub(r"s\d", "", mark(name, 0, 0)) for name in _OF_VARIANTS]
    return [
        (first, second)
        for first, second in combinations(range(len(_OF_VARIANTS)), 2)
        if shapes[first] == shapes[second] and (second >= len(classes) or classes[first] == classes[second])
    ]


@pytest.mark.parametrize("eye", EYES)
def test_variants_of_a_class_whose_marks_have_one_shape_differ_in_colour(eye: str) -> None:
    themes = {
        tuple(re.findall(r"--c\d: (#\w+)", line))
        for line in (SITE / "src/style/tokens.css").read_text().splitlines()
        if "--c0:" in line
    }
    assert len(themes) == 2
    assert _pairs()
    for pair in _pairs():
        for theme in themes:
            a, b = (_as_seen(theme[_OF_VARIANTS[place] % COLOURS], eye) for place in pair)
            apart = sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5
            assert apart >= APART[eye], [_VARIANTS[place : place + 1] for place in pair]


def test_a_run_and_the_site_agree(site: dict[str, bytes]) -> None:
    index = {subject["slug"]: subject["mark"] for subject in json.loads(site["api/v1/index.json"])["subjects"]}
    compared_marks = 0
    for path, content in site.items():
        if path.startswith("api/v1/compare/"):
            for contender in json.loads(content)["contenders"]:
                compared_marks += 1
                assert contender["mark"] == index[contender["subject"]]
    assert compared_marks
