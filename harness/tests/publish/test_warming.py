"""A figure of a program that may still warm up is marked beside steady ones, and stands in no picture."""

from __future__ import annotations

import re
from pathlib import Path

from plumbline.model.subject import slug_of
from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.pages import Pages, Site
from plumbline.reporting.publish.session.certificate import certificate
from plumbline.reporting.publish.session.work import names_of
from plumbline.reporting.publish.site import overview_picture
from tests.truth.sessions import Nature, made
from tests.truth.writers import overview
from .data import ROOT
from .plain_assets import plain_assets

# Two subjects of a class are ranked, and the third may still warm up.
MIXED = made([Nature(1.0, 1.0, 0.005), Nature(1.5, 1.0, 0.005), Nature(3.0, 1.0, None)])


def test_the_run_page_marks_it(tmp_path: Path) -> None:
    plain_assets(tmp_path)
    pages = Pages(read_assets(ROOT / "site" / "templates", tmp_path / "dist"))
    run = certificate(MIXED, {}, recent=True, folder="runs/one", files={})
    site = Site("Plumbline", True, None, None, None, 1, 0)
    page = pages.render("run", f"run/{run.session}/index.html", run, site, names_of(MIXED, {})).decode()
    values = re.findall(r'<td role="cell" class="value"[^>]*>(.*?)</td>', page)
    texts = [re.sub("<[^>]*>", "", value) for value in values]
    (throughput,) = [table for table in run.tables if table.metric == "throughput_per_s"]
    marked = [bar.subject for bar in throughput.bars if f"{bar.text} while warming up" in texts]
    assert marked == [slug_of(MIXED.plan.subjects[2])]


def test_the_shared_picture_has_no_bar_of_it() -> None:
    _, bars = overview_picture(overview(MIXED))
    assert [name for name, _, _ in bars] == ["spring4-mvc-jpa", "quarkus-rest-orm"]
