"""`./bench benchmark history` looks at 300 series, whatever record it takes its host from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.history import FIGURES, session, timed, write

from plumbline.cli.console import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("folder", ["repeats", "starts"])
def test_a_session_has_the_figures_of_all_its_subjects(folder: str, tmp_path: Path) -> None:
    pattern = json.loads(next((ROOT / "results" / folder).glob("*/record.json")).read_bytes())
    subjects = ["control/jvm/pg", *(f"variant-{number}/jvm/pg" for number in range(30))]
    for night in range(2):
        write(tmp_path / "data", session(pattern, night, subjects))
    series = timed("From nothing", tmp_path / "data", tmp_path / "cache").series
    watched = sum(map(len, FIGURES.values()))
    assert sum(not line.control for line in series) == 30 * watched == 300
