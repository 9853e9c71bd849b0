"""A figure of a program that may still warm up is marked wherever it stands beside a steady one."""

from __future__ import annotations

import re

import pytest

from plumbline.model.record import Record
from plumbline.reporting.report import html, markdown, terminal
from plumbline.reporting.report.charts.interval import interval_chart
from plumbline.reporting.report.compose import compose
from tests.report.pages import Page
from tests.report.session import session
from tests.truth.sessions import Nature, made

STEADY = [Nature(1.0, 1.0, 0.005), Nature(1.5, 1.0, 0.005)]
COLD = "spring3-mvc-jpa"


@pytest.fixture(scope="module")
def mixed() -> Record:
    """Two subjects of a class are ranked, and the third may still warm up."""
    return made([*STEADY, Nature(3.0, 1.0, None)])


def test_every_format_marks_the_figure(mixed: Record) -> None:
    view = compose(mixed, {})
    (throughput,) = [table for table in view.scenarios[0].lead if table.metric == "throughput_per_s"]
    assert [(row.name.short, row.place) for row in throughput.rows] == [
        ("spring4-mvc-jpa", "1"),
        ("quarkus-rest-orm", "2"),
        (COLD, "while warming up"),
    ]
    assert throughput.sentence.endswith(f" {COLD} may still be warming up.")
    assert re.search(rf"\| while warming up \| {COLD} +\|", markdown.document(view).replace("\\", ""))
    assert re.search(rf"{COLD} +warming up: ", terminal.render(mixed, {}, 200, False))
    chart = interval_chart("c", throughput)
    assert chart.count(">while warming up</text>") == 1
    assert f"{throughput.rows[2].text}, while warming up" in chart
    assert "spring4-mvc-jpa " in chart and ", rank 1;" in chart


def test_a_page_marks_it_in_all_tables(mixed: Record) -> None:
    page = Page(html.page(compose(mixed, {})))
    cells = [text for tag, text in page.texts if tag == "td" and text.startswith("while warming up")]
    # Tables of ranks have the mark in place of the rank, and the table of all other figures before the figure.
    assert "while warming up" in cells
    assert any(cell.startswith("while warming up: ") for cell in cells)
    rows = [row.name.short for chart in compose(mixed, {}).scenarios[0].cpu for row in chart.rows]
    assert f"{COLD}, while warming up" in rows and "spring4-mvc-jpa" in rows


def test_a_session_names_the_figures_that_were_not_proven(mixed: Record) -> None:
    assert (
        compose(mixed, {})
        .scenarios[0]
        .steady.startswith(
            f"Not proven steady: {COLD} in throughput and application CPU per request at full load (100 connections), "
            f"mean latency at 100 requests/s, mean latency at 800 requests/s. {COLD}: too short to tell"
        )
    )


def test_a_session_that_is_steady_speaks_of_loaded_subjects_in_one_plain_sentence() -> None:
    text = html.page(compose(made(STEADY), {}))
    assert "in every subject that was loaded; no order is claimed that such a drift could turn round.</li>" in text


def test_percentiles_of_a_program_that_may_be_warming_up_stand_beside_no_other() -> None:
    steady, evidence = session(invalid=False, steady=True)
    warming, _ = session(invalid=False, steady=False)
    cold = steady.plan.subjects[0]
    trials = tuple(
        later if later.subject == cold else trial for trial, later in zip(steady.trials, warming.trials, strict=True)
    )
    ladders = compose(steady.model_copy(update={"trials": trials}), evidence).scenarios[0].latency
    subjects = {ladder.where: {line.name.id for line in ladder.lines} for ladder in ladders}
    warm = {steady.plan.control, *steady.plan.subjects} - {cold}
    assert {where: found for where, found in subjects.items() if where.endswith("while warming up")}
    for where, found in subjects.items():
        assert found == ({cold} if where.endswith(", while warming up") else warm)
