"""The run report of a comparison of two sides."""

from __future__ import annotations

from pathlib import Path

from markupsafe import escape

from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.pages import Pages, Site
from plumbline.reporting.publish.session.certificate import certificate
from plumbline.reporting.publish.session.work import names_of
from tests.record.comparisons import slower
from .data import ROOT
from .plain_assets import plain_assets


def test_the_run_report_of_a_comparison_begins_with_its_sentence_and_has_its_answers(tmp_path: Path) -> None:
    record, evidence = slower()
    assert record.comparison is not None
    run = certificate(record, evidence, recent=True, folder="runs/one", files={})
    assert run.compared is not None
    assert run.lead == record.comparison.sentence
    assert len(run.compared.answers) == len(record.comparison.answers)
    assert "worse" in {answer.tone for answer in run.compared.answers if answer.leads}
    plain_assets(tmp_path)
    pages = Pages(read_assets(ROOT / "site" / "templates", tmp_path / "dist"))
    site = Site("Plumbline", True, None, None, None, 1, 0)
    page = pages.render("run", f"run/{run.session}/index.html", run, site, names_of(record, {})).decode()
    assert f"<h1>{escape(run.lead)}</h1>" in page
    assert "Head against base" in page and "No figure of this session counts" not in page
    assert all(escape(answer.text) in page for answer in run.compared.answers)
