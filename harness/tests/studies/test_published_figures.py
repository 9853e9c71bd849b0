"""The figures of the five studies as data: whole, and of subjects, scenarios and metrics that exist."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.reporting.studies.published_figures import PublishedStudy, studies, study_of
from plumbline.subjects.catalog.reading import read_toml
from plumbline.verdicts.judge.rules import RULES
from tests.checkout import CATALOG

PUBLISHED = Path(__file__).resolve().parents[2] / "plumbline" / "reporting" / "studies" / "published"


def test_there_are_five_and_each_has_its_suite() -> None:
    assert [study.id for study in studies()] == ["000", "001", "002", "003", "004"]
    for study in studies():
        assert study.suite == f"seed-{study.id}"
        for name in (study.suite, *study.also_in):
            assert name in CATALOG.bench.suites
            assert study_of(name) is study
        assert study.caught and study.caveats
    assert study_of("smoke") is None


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_what_is_set_beside_a_figure_exists(study: PublishedStudy) -> None:
    suites = [CATALOG.bench.suites[name] for name in (study.suite, *study.also_in)]
    rules = {rule.id for rule in RULES}
    for asked in study.asked:
        rows = {row.subject for row in asked.rows if row.subject is not None}
        missing = [
            rows - {CATALOG.subject(text).id for text in suite.subjects}
            for suite in suites
            if asked.scenario in suite.scenarios
        ]
        assert set() in missing, (asked.about, missing)
        assert {rule for row in asked.rows for rule in row.rules} <= rules


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_texts_are_sentences(study: PublishedStudy) -> None:
    for text in (*study.caught, *study.caveats, *(asked.why for asked in study.asked)):
        assert re.match(r"[A-Z0-9`]", text) and text.endswith("."), text


def ids(suite: str) -> list[str]:
    return [CATALOG.subject(text).id for text in CATALOG.bench.suites[suite].subjects]


def test_every_subject_of_the_suites_of_the_first_study_is_a_step() -> None:
    first, on_mysql, _, on_four_cpus = study_of("seed-000").asked  # type: ignore[union-attr]
    assert [row.subject for row in (*first.rows, *on_four_cpus.rows[1:])] == ids("seed-000")
    assert [row.subject for row in on_mysql.rows] == ids("seed-000-mysql")
    assert [row.published for row in first.rows] == [row.published for row in on_mysql.rows]


def test_the_first_study_has_its_database_and_its_pool() -> None:
    subjects = [Subject.parse(text) for text in ids("seed-000-mysql")]
    assert {(one.engine, one.settings["pool"]) for one in subjects} == {("mysql", "95")}


def test_the_mistake_of_the_first_study_can_be_made_on_its_releases() -> None:
    """From 3.35 on Quarkus takes the annotation of blocking transactions for a reactive transaction."""
    apps = CATALOG.root / "apps"
    poms = (apps / "pom.xml", apps / "quarkus-rest-reactive-deadlock" / "pom.xml")
    found = re.findall(r"<quarkus\.version>(\d+)\.(\d+)", "".join(pom.read_text(encoding="utf-8") for pom in poms))
    assert len(found) == 2
    assert all((int(major), int(minor)) < (3, 35) for major, minor in found)


@pytest.mark.parametrize("variant", ["standalone-r2dbc", "spring4-webflux-r2dbc"])
def test_r2dbc_has_all_of_its_permutations_in_the_second_study(variant: str) -> None:
    mine = [one for one in map(Subject.parse, ids("seed-001")) if one.variant == variant]
    chosen = [CATALOG.settings_of(one) for one in mine]
    names = ("r2dbc-api", "r2dbc-loops", "pool-warm-up", "pool-initial")
    assert {tuple(one[name] for name in names) for one in chosen} == set(
        product(("connection", "client"), ("own", "driver"), ("on", "off"), ("max", "half"))
    )
    assert len(chosen) == 16


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{ system = "x", subject = "a/jvm/pg", published = 1.5 }', "belong together"),
        ('{ system = "x" }', "neither a subject nor a published figure"),
        ('{ system = "x", subjekt = "a/jvm/pg" }', "unknown key"),
    ],
)
def test_half_a_row_is_refused(tmp_path: Path, row: str, said: str) -> None:
    text = (PUBLISHED / "000.toml").read_text()
    begin = text.index("rows = [")
    (tmp_path / "000.toml").write_text(f"{text[:begin]}rows = [{row}]\n")
    with pytest.raises(UsageError, match=said):
        read_toml(tmp_path / "000.toml", PublishedStudy, "000.toml")
