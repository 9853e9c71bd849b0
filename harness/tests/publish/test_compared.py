"""Sessions that are compared: the run report of a comparison of two sides, and the documents of the page Compare."""

from __future__ import annotations

from pathlib import Path

import pytest
from markupsafe import escape

from plumbline.model.plan import Phase, Scenario
from plumbline.model.record import Record
from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.catalogue import run_indexes, site_index
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.model.compare import CompareFile
from plumbline.reporting.publish.model.runs import RunFile
from plumbline.reporting.publish.pages import Pages, Site
from plumbline.reporting.publish.session.certificate import certificate
from plumbline.reporting.publish.session.comparing import compare_document
from plumbline.reporting.publish.session.work import names_of
from plumbline.reporting.report import html
from plumbline.reporting.report.compose import compose
from plumbline.subjects.plan.phases import with_rates
from tests.record.comparisons import slower
from tests.record.sessions import record
from tests.record.test_agreement import again
from tests.report.session import scenario, session
from tests.truth.writers import grids, overview
from .data import ROOT
from .plain_assets import plain_assets


def report_of(whole: Record) -> RunFile:
    return certificate(whole, {}, recent=True, folder="runs/one", files={})


def page_of(whole: Record, folder: Path) -> str:
    """The page of a session as the site's own template draws it."""
    run = report_of(whole)
    plain_assets(folder)
    pages = Pages(read_assets(ROOT / "site" / "templates", folder / "dist"))
    site = Site("Plumbline", True, None, None, None, 1, 0)
    return pages.render("run", f"run/{run.session}/index.html", run, site, names_of(whole, {})).decode()


def test_the_run_report_of_a_comparison_begins_with_its_sentence_and_has_its_answers(tmp_path: Path) -> None:
    whole, _ = slower()
    assert whole.comparison is not None
    run = report_of(whole)
    assert run.compared is not None
    assert run.lead == whole.comparison.sentence
    assert len(run.compared.answers) == len(whole.comparison.answers)
    assert "worse" in {answer.tone for answer in run.compared.answers if answer.leads}
    page = page_of(whole, tmp_path)
    assert f"<h1>{escape(run.lead)}</h1>" in page
    assert "Head against base" in page and "No figure of this session counts" not in page
    assert all(escape(answer.text) in page for answer in run.compared.answers)


def test_the_run_report_of_a_session_that_was_run_again_begins_with_how_many_ratios_agree(tmp_path: Path) -> None:
    whole = again(record("lab", 5), record("lab", 5), factor=1.0)
    run, page = report_of(whole), page_of(whole, tmp_path)
    count = len(whole.agreements)
    assert run.lead == f"Of {count} ratios of {whole.plan.session} (there), {count} disagree."
    assert f"<h1>{run.lead}</h1>" in page
    assert page.count('<span class="badge worse">disagrees</span>') == count > 0
    assert run.tables and "Run again: do the ratios agree?" in page
    assert report_of(record("lab", 5)).reproduction is None


def test_the_headline_of_a_run_report_names_its_workload() -> None:
    run = report_of(session(scenarios=(scenario("fruits"), scenario("orders")), host_class="lab")[0])
    assert run.headline[0].endswith(", fruits@1") and ", fruits@1: " in run.lead


@pytest.mark.parametrize(
    ("of_control", "name"), [(None, "control"), ("GET /fruits/{name}", "control (GET /fruits/{name})")]
)
def test_a_control_with_another_operation_is_named_by_it_and_has_no_ratio(
    of_control: str | None, name: str, tmp_path: Path
) -> None:
    posting = scenario().model_copy(update={"operation": "POST /fruits", "control_operation": of_control})
    whole, _ = session(scenarios=(posting,), host_class="lab", invalid=False)
    alike = of_control is None
    table = overview(whole).standings[0].tables[0]
    assert table.control is not None and table.control.short == name
    assert [bar.ratio is not None for bar in table.bars] == [alike] * 3
    assert {row.short for matrix in grids(whole) for row in matrix.rows if row.data_access is None} == {name}
    contenders = compare_document(whole, {}, recent=False).contenders
    by_control = {contender.control: contender.operation for contender in contenders}
    assert by_control == {False: "POST /fruits", True: of_control or "POST /fruits"}
    index = site_index([digest(whole)], {whole.plan.session: whole}, {}, left_out=0)
    assert [entry.control_operation for entry in index.scenarios] == [of_control]
    assert ("control (GET /fruits/{name})" in html.page(compose(whole, {}))) is not alike
    assert ("The control runs GET /fruits/{name} instead" in page_of(whole, tmp_path)) is not alike


def test_the_list_of_runs_says_which_sessions_have_subjects_to_compare() -> None:
    night = record("lab", 5)
    refused = night.model_copy(
        update={"trials": tuple(trial.model_copy(update={"verdict": "invalid"}) for trial in night.trials)}
    )
    for whole, comparable in ((night, True), (refused, False), (slower()[0], False)):
        ((_, runs),) = run_indexes([digest(whole)], frozenset(), True)
        assert runs.runs[0].comparable is comparable
        assert bool(compare_document(whole, {}, recent=False).contenders) is comparable


def test_sessions_that_were_measured_otherwise_are_told_apart() -> None:
    def document(scenario: Scenario) -> CompareFile:
        plan = night.plan.model_copy(update={"scenarios": (scenario,)})
        return compare_document(night.model_copy(update={"plan": plan}), {}, recent=False)

    night = record("lab", 5)
    (scenario,) = night.plan.scenarios
    shared = Phase(kind="open", name="open@80%", duration_s=10, rate_share=0.8)
    with_share = scenario.model_copy(update={"phases": (*scenario.phases, shared)})
    assert document(with_share).phases != document(scenario).phases
    # Each session finds a capacity of its own.
    assert document(with_rates(with_share, 900)).phases == document(with_rates(with_share, 800)).phases
    assert {"host_class", "workload", "figures", "kernel"} <= set(document(scenario).environment)
    # A suite has other scenarios, too: `phases` tells of each alone.
    assert document(with_share).environment == document(scenario).environment
    assert document(scenario).word == night.verdict
