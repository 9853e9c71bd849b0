"""The interval of a ratio to the control holds the scatter of both sides."""

from __future__ import annotations

import math
from functools import cache

import pytest

from plumbline.archive.record.read import read_record
from plumbline.model.record import Record
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.pages import Pages, Site
from plumbline.reporting.publish.session.certificate import certificate
from plumbline.reporting.publish.session.work import names_of
from plumbline.reporting.publish.table import NONE, ChartColumns, Nightly
from plumbline.reporting.report import html, markdown
from plumbline.reporting.report.compose import compose
from plumbline.verdicts.stats.interval import t_interval
from tests.truth.writers import site_assets
from .data import ROOT, folders

SUBJECT, PHASE, METRIC = "vertx-pg/jvm/pg", "start", "first_response_ms"


@cache
def example() -> Record:
    folder = next(folder for folder in folders(ROOT / "results" / "examples") if folder.name.endswith("1c3d20"))
    return read_record(folder)


def half_of(record: Record, subject: str) -> float:
    """Half the 99 % interval of the logarithm of a subject's value, from its trials."""
    logs = [
        math.log(trial.figures[PHASE][METRIC])
        for trial in record.trials
        if trial.subject == subject and trial.role in ("measured", "control")
    ]
    interval = t_interval(logs, 0.99)
    assert interval.high is not None
    return interval.high - interval.mean


def charted(record: Record, subject: str) -> ChartColumns:
    nightly = Nightly()
    session = digest(record)
    nightly.add(session)
    return nightly.shown[session.host, subject, record.plan.scenarios[0].id, PHASE, METRIC]


def test_a_ratio_to_the_control_scatters_as_both_sides_do() -> None:
    record = example()
    own, of_control = half_of(record, SUBJECT), half_of(record, record.plan.control)
    assert of_control > 10 * own, "the control of this session scatters more than the subject"
    chart = charted(record, SUBJECT)
    assert chart.half[0] == pytest.approx(own, rel=1e-2)
    assert chart.ratio_half[0] == pytest.approx(math.hypot(own, of_control), rel=1e-2)


def test_a_control_of_two_trials_gives_the_ratio_no_interval() -> None:
    record = example()
    first_of_control = next(trial for trial in record.trials if trial.role == "control")
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid"}) if trial is first_of_control else trial
        for trial in record.trials
    )
    chart = charted(record.model_copy(update={"trials": trials}), SUBJECT)
    assert chart.half[0] > 0 and chart.ratio[0] > 0
    assert chart.ratio_half[0] == NONE


def test_the_control_has_no_ratio_to_itself() -> None:
    record = example()
    chart = charted(record, record.plan.control)
    assert (chart.ratio[0], chart.ratio_half[0]) == (NONE, NONE)


def test_a_small_ratio_to_the_control_keeps_its_digits_on_all_pages() -> None:
    (folder,) = folders(ROOT / "results" / "starts")
    record = read_record(folder)
    run = certificate(record, {}, recent=True, folder="x", files={})
    least = min(bar.ratio for table in run.tables for bar in table.bars if bar.ratio is not None)
    assert least == 0.0179
    view = compose(record, {})
    site = Site("Plumbline", False, None, None, None, 0, 0)
    page = Pages(site_assets()).render("run", "run/x/index.html", run, site, names_of(record, {}))
    for text in (page.decode(), html.page(view), markdown.document(view).replace("\\", "")):
        assert "0.0179" in text
