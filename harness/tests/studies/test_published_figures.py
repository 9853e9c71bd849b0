"""The figures of the five studies as data: whole, and of subjects, scenarios and metrics that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.catalog.reading import read_toml
from plumbline.judge.rules import RULES
from plumbline.model.errors import UsageError
from plumbline.studies.published_figures import PublishedStudy, studies, study_of

CATALOG = read_catalog(Path(__file__).resolve().parents[3])
PUBLISHED = Path(__file__).resolve().parents[2] / "plumbline" / "studies" / "published"


def test_there_are_five_and_each_has_its_suite() -> None:
    assert [study.id for study in studies()] == ["000", "001", "002", "003", "004"]
    for study in studies():
        assert study.suite == f"seed-{study.id}" and study.suite in CATALOG.bench.suites
        assert study_of(study.suite) is study
        assert study.caught and study.caveats
    assert study_of("smoke") is None


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_what_is_set_beside_a_figure_exists(study: PublishedStudy) -> None:
    suite = CATALOG.bench.suites[study.suite]
    subjects = {CATALOG.subject(text).id for text in suite.subjects}
    rules = {rule.id for rule in RULES}
    for asked in study.asked:
        assert asked.scenario in suite.scenarios, asked.about
        for row in asked.rows:
            assert row.subject is None or row.subject in subjects, (asked.about, row.system)
            assert set(row.rules) <= rules


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_texts_are_sentences(study: PublishedStudy) -> None:
    for text in (*study.caught, *study.caveats, *(asked.why for asked in study.asked)):
        assert re.match(r"[A-Z0-9`]", text) and text.endswith("."), text


def test_every_subject_of_the_suite_of_the_first_study_is_a_step() -> None:
    suite = CATALOG.bench.suites["seed-000"]
    first, *_ = study_of("seed-000").asked  # type: ignore[union-attr]
    assert [row.subject for row in first.rows] == [CATALOG.subject(text).id for text in suite.subjects]


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
