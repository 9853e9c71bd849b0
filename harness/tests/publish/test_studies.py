"""What the studies published beside what is measured here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.figures.metrics import METRICS
from plumbline.publish import studies as module
from plumbline.publish.digest import Digest, digest
from plumbline.publish.reading import read
from .data import ROOT, folders

EXAMPLES = ROOT / "results" / "examples"


def examples() -> list[Digest]:
    found = [digest(read(folder)) for folder in folders(EXAMPLES)]
    return sorted(found, key=lambda one: one.t)


def shown(digests: list[Digest]) -> dict[str, Any]:
    folder_of = {folder.name: folder for folder in folders(EXAMPLES)}
    file = module.studies_file(digests, lambda session: read(folder_of[session]), simulated=False)
    return {one["id"]: one for one in json.loads(file.model_dump_json())["studies"]}


def test_every_figure_names_what_can_be_measured_here() -> None:
    catalog = read_catalog(ROOT)
    for study in module._studies():
        catalog.suite(study["suite"])
        for table in study["table"]:
            assert table["metric"] in METRICS
            for row in table["rows"]:
                subject = catalog.subject(row["subject"])
                assert subject.id == row["subject"]
                assert catalog.serves(catalog.variant(subject.variant), table["scenario"]), row["system"]


def test_figures_are_set_against_one_row_there_and_here() -> None:
    table = shown(examples())["002"]["tables"][0]
    quarkus, spring = table["figures"]
    assert (quarkus["ratio"], spring["ratio"]) == (1.0, pytest.approx(7238 / 19255, rel=1e-2))
    # The newest session with both, though there is a newer one with the first alone.
    assert quarkus["measured"]["session"] == spring["measured"]["session"]
    assert quarkus["measured"]["ratio"] == 1.0 and spring["measured"]["ratio"] not in (None, 1.0)
    assert "±" in spring["measured"]["text"] and not spring["measured"]["refused"]


def test_where_all_trials_were_refused_the_referee_speaks() -> None:
    refused = [one for one in examples() if one.gaps.get("spring4-mvc-jpa/jvm/pg")]
    spring = shown(refused)["002"]["tables"][0]["figures"][1]["measured"]
    assert spring["refused"] and spring["ratio"] is None and spring["text"]


def test_what_was_never_measured_stands_alone() -> None:
    for study in shown([]).values():
        for table in study["tables"]:
            assert all(one["measured"] is None and one["published"] for one in table["figures"])


def test_a_row_without_a_number_has_no_ratio() -> None:
    r2dbc = shown([])["001"]["tables"][0]["figures"][2]
    assert r2dbc["published"] == "25.5 to 41.5 s" and r2dbc["ratio"] is None
