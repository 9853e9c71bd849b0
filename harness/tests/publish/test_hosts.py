"""The hosts page: what the doctor said, where a report lies on the branch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .data import published


def hosts_of(data: Path, out: Path) -> list[dict]:
    published(data, out)
    return json.loads((out / "api/v1/hosts.json").read_bytes())["hosts"]


@pytest.fixture
def copy(branch: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(branch, tmp_path / "data"))


def test_each_host_shows_its_report_with_its_day(branch: Path, tmp_path: Path) -> None:
    found = hosts_of(branch, tmp_path / "out")
    lab = next(one for one in found if one["host_class"] == "lab")
    assert [one["outcome"] for one in lab["doctor"]] == ["fit", "fit"]
    assert all(one["doctor_t"] >= one["newest"]["t"] for one in found)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"host": 1}', b"\xff", b" " * (2**20 + 1)])
def test_a_report_that_cannot_be_read_is_none(copy: Path, tmp_path: Path, content: bytes) -> None:
    (copy / "hosts" / "sim-lab" / "doctor.json").write_bytes(content)
    lab = hosts_of(copy, tmp_path / "out")[0]
    assert (lab["doctor"], lab["doctor_t"]) == ([], None)


def test_no_link_is_followed(copy: Path, tmp_path: Path) -> None:
    report = copy / "hosts" / "sim-lab" / "doctor.json"
    report.rename(tmp_path / "elsewhere.json")
    report.symlink_to(tmp_path / "elsewhere.json")
    assert hosts_of(copy, tmp_path / "out")[0]["doctor"] == []


def test_a_report_of_no_time_has_none(copy: Path, tmp_path: Path) -> None:
    report = copy / "hosts" / "sim-lab" / "doctor.json"
    report.write_bytes(json.dumps({**json.loads(report.read_bytes()), "examined_at": "soon"}).encode())
    lab = hosts_of(copy, tmp_path / "out")[0]
    assert len(lab["doctor"]) == 2 and lab["doctor_t"] is None
