"""docs/scale.md says what `./bench benchmark million results/repeats` prints."""

from __future__ import annotations

import pytest
from benchmarks import million

from plumbline.cli.console import ROOT

pytestmark = pytest.mark.slow

BEGIN, END = "<!-- million: ./bench benchmark million results/repeats -->\n", "<!-- /million -->\n"


def test_the_page_has_the_table_of_the_command() -> None:
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    table = page.partition(BEGIN)[2].partition(END)[0]
    assert table == million.text([ROOT / "results" / "repeats"])


def test_a_rate_ten_times_as_high_takes_ten_times_the_generators() -> None:
    folders = [ROOT / "results" / "repeats"]
    usual, tenfold = (million.text(folders, rate).splitlines()[2].split("|")[2] for rate in (50_000, 500_000))
    assert (usual.strip(), tenfold.strip()) == ("10", "100")
