"""The hosts page: the conditions of each host, as its newest record keeps them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plumbline.publish.hosts import _lines
from tests.host.readings import condition, reading
from .data import published


@pytest.mark.slow
def test_each_host_shows_its_conditions_with_their_day(branch: Path, tmp_path: Path) -> None:
    published(branch, tmp_path / "out")
    found = json.loads((tmp_path / "out/api/v1/hosts.json").read_bytes())["hosts"]
    lab = next(one for one in found if one["host_class"] == "lab")
    assert [one["outcome"] for one in lab["doctor"]] == ["fit", "fit"]
    assert all(one["doctor_t"] >= one["newest"]["t"] for one in found)


def test_a_condition_is_shown_by_the_worst_of_its_readings() -> None:
    before = reading(condition("turbo"), condition("swap", "unknown"))
    after = reading(condition("turbo", "unfit", "boost is 1"), condition("swap"))
    found = {one.name: (one.outcome, one.reading) for one in _lines((before, after))}
    assert found["Turbo"] == ("unfit", "boost is 1")
    assert found["Swap"][0] == "unknown" and found["Governor"][0] == "fit"
