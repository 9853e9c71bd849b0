"""The figures of the five studies as data: complete, and of subjects, scenarios and metrics that exist."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.reporting.studies.published_figures import PublishedStudy, studies, study_of
from plumbline.subjects.catalog.reading import read_toml
from plumbline.subjects.plan.phases import scenario_of
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
    for question in study.asked:
        rows = {row.subject for row in question.rows if row.subject is not None}
        missing = [
            rows - {CATALOG.subject(text).id for text in suite.subjects}
            for suite in suites
            if question.scenario in suite.scenarios
        ]
        assert set() in missing, (question.about, missing)
        assert {rule for row in question.rows for rule in row.rules} <= rules


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_texts_are_sentences(study: PublishedStudy) -> None:
    for text in (*study.caught, *study.caveats, *(question.why for question in study.asked)):
        assert re.match(r"[A-Z0-9`]", text) and text.endswith("."), text


def ids(suite: str) -> list[str]:
    return [CATALOG.subject(text).id for text in CATALOG.bench.suites[suite].subjects]


def test_every_subject_of_the_suites_of_the_first_study_is_a_step() -> None:
    inserting, reading, on_four_cpus, inserting_on_mysql, reading_on_mysql, drifting = study_of("seed-000").asked  # type: ignore[union-attr]
    steps = (*inserting.rows, *reading.rows[1:])
    assert [row.subject for row in (*steps, *on_four_cpus.rows[1:])] == ids("seed-000")
    assert [row.subject for row in drifting.rows] == [row.subject for row in steps]
    assert [row.subject for row in (*inserting_on_mysql.rows, *reading_on_mysql.rows[1:])] == ids("seed-000-mysql")
    for question, on_mysql in ((inserting, inserting_on_mysql), (reading, reading_on_mysql)):
        assert [row.published for row in question.rows] == [row.published for row in on_mysql.rows]


def test_the_drift_of_the_first_study_is_measured_from_an_empty_table_on() -> None:
    suite, drift = CATALOG.bench.suites["seed-000"], CATALOG.scenario("zipcode-drift")
    phases = scenario_of("zipcode-drift", drift, suite).phases
    assert drift.prepare == "zipcode-empty"
    assert [phase.kind for phase in phases] == ["start", "probe", "closed", "after"]


def test_the_first_study_has_its_database_and_its_pool() -> None:
    subjects = [Subject.parse(text) for text in ids("seed-000-mysql")]
    assert {(subject.engine, subject.settings["pool"]) for subject in subjects} == {("mysql", "95")}


def test_the_mistake_of_the_first_study_can_be_made_on_its_releases() -> None:
    """From 3.35 on, Quarkus interprets the annotation of blocking transactions as a reactive transaction."""
    pom = (CATALOG.root / "apps" / "pom.xml").read_text(encoding="utf-8")
    versions = re.findall(r"<quarkus(?:-mysql)?\.version>(\d+)\.(\d+)", pom)
    assert len(versions) == 2
    assert all((int(major), int(minor)) < (3, 35) for major, minor in versions)


@pytest.mark.parametrize("variant", ["standalone-r2dbc", "spring4-webflux-r2dbc"])
def test_r2dbc_has_all_of_its_permutations_in_the_second_study(variant: str) -> None:
    of_variant = [subject for subject in map(Subject.parse, ids("seed-001")) if subject.variant == variant]
    chosen_settings = [CATALOG.settings_of(subject) for subject in of_variant]
    names = ("r2dbc-api", "r2dbc-loops", "pool-warm-up", "pool-initial")
    assert {tuple(settings[name] for name in names) for settings in chosen_settings} == set(
        product(("connection", "client"), ("own", "driver"), ("on", "off"), ("max", "half"))
    )
    assert len(chosen_settings) == 16


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
