"""Where a result of a host that is no lab stands alone, the word *advisory* stands with it."""

from __future__ import annotations

import re

import pytest

from plumbline.model.host import HostClass
from plumbline.reporting.publish.badges import badge
from plumbline.reporting.publish.site import overview_picture
from tests.truth.sessions import Nature, branch, made
from tests.truth.writers import charts, overview, site_of

pytestmark = pytest.mark.slow

NATURES = [Nature(1.0, 1.0, 0.002), Nature(1.2, 1.0, 0.002)]


@pytest.mark.parametrize(("host_class", "advisory"), [("lab", False), ("shared", True)])
def test_badge_picture_and_description_have_the_word(host_class: HostClass, advisory: bool) -> None:
    (record,) = branch([made(NATURES, host_class=host_class)])
    badges = [badge(chart, "at full load", False).decode() for chart in charts(record).charts]
    assert badges and {", advisory" in text for text in badges} == {advisory}
    (title, *_), _ = overview_picture(overview(record))
    assert title.startswith("Advisory: ") == advisory
    description = re.search('<meta name="description" content="([^"]*)"', site_of(record)["index.html"])
    assert description is not None and description[1].startswith("Advisory: ") == advisory


def test_the_card_of_another_host_has_the_word() -> None:
    lab, shared = branch([made(NATURES, host_class=host_class) for host_class in ("lab", "shared")])
    elsewhere = shared.model_copy(update={"host": shared.host.model_copy(update={"name": "elsewhere"})})
    page = site_of(lab, elsewhere)["index.html"]
    (words,) = re.findall('<span class="what">([^<]* on elsewhere, [^<]*)</span>', page)
    assert words.endswith(", advisory")


def test_a_table_of_another_session_has_the_word_of_that_session_without_a_script() -> None:
    whole, part = made(NATURES), made(NATURES, seed=2)
    trials = tuple(
        trial.model_copy(
            update={
                "verdict": "advisory",
                "figures": {phase: figures for phase, figures in trial.figures.items() if phase != "closed"},
            }
        )
        for trial in part.trials
    )
    page = site_of(*branch([whole, part.model_copy(update={"trials": trials})]))["index.html"]
    tables = re.findall('<section class="chart-card"><h2>[^<]*</h2><p>(Advisory: )?[^<]*<a href="run/(20260.0.)', page)
    assert set(tables) == {("", "20260701"), ("Advisory: ", "20260702")}
