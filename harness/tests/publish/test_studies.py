"""The published figures of the studies beside the figures that are measured here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plumbline.archive.record import read as record_read
from plumbline.reporting.publish.digest import Digest, digest
from plumbline.reporting.publish.reading import read_record
from plumbline.reporting.publish.studies import studies_file
from plumbline.reporting.studies.published_figures import studies
from .data import ROOT, folders

EXAMPLES = ROOT / "results" / "examples"


def examples() -> list[Digest]:
    digests = [digest(read_record(folder)[0]) for folder in folders(EXAMPLES)]
    return sorted(digests, key=lambda session: session.t)


def shown(digests: list[Digest]) -> dict[str, Any]:
    folder_of = {folder.name: folder for folder in folders(EXAMPLES)}
    file = studies_file(digests, lambda session: read_record(folder_of[session])[0], simulated=False)
    return {study["id"]: study for study in json.loads(file.model_dump_json())["studies"]}


def fruits(digests: list[Digest]) -> Any:
    return next(table for table in shown(digests)["002"]["tables"] if table["about"] == "GET /fruits at full load")


def test_every_question_of_every_study_is_there() -> None:
    studies_by_id = shown([])
    for study in studies():
        assert [table["about"] for table in studies_by_id[study.id]["tables"]] == [
            question.about for question in study.asked
        ]


def test_a_figure_that_was_not_proven_to_be_of_a_warm_program_answers_nothing() -> None:
    assert {figure["measured"] for figure in fruits(examples())["figures"]} == {"not proven steady"}


def test_the_newest_session_with_the_most_subjects_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    # As if the figures of the examples had been proven.
    monkeypatch.setattr(record_read, "PROVEN_SINCE", 0)
    table = fruits(examples())
    # A newer session has only the first of the two subjects.
    assert table["session"]["session"] == "20261121T202608Z-vm-a1c3d3"
    quarkus, spring = table["figures"]
    assert quarkus["published"] == "19,255 tps" and spring["published_ratio"].startswith("0.376")
    assert "±" in spring["measured"] and spring["ratio"] and spring["word"] and table["summary"]


def test_a_lab_answers_before_newer_sessions_of_other_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_read, "PROVEN_SINCE", 0)
    digests = examples()
    newest = fruits(digests)["session"]["session"]
    on_lab = [
        session if session.session == newest else session._replace(host_class="lab")
        for session in digests
        if session.worst or session.gaps
    ]
    assert fruits(on_lab)["session"]["session"] != newest


def test_where_all_trials_were_refused_the_referee_speaks() -> None:
    refused = [session for session in examples() if session.gaps.get("spring4-mvc-jpa/jvm/pg")]
    spring = fruits(refused)["figures"][1]
    assert "refused: " in spring["note"]


def test_what_was_never_measured_stands_alone_with_its_ratio() -> None:
    table = fruits([])
    assert table["session"] is None
    assert [figure["measured"] for figure in table["figures"]] == ["not yet", "not yet"]
    assert table["figures"][1]["published_ratio"].startswith("0.376") and table["figures"][1]["ratio"] == ""
