"""Records of before figures had to prove themselves: what they are read as."""

from __future__ import annotations

import json

import pytest

from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.read import PROVEN_SINCE, parse_record
from plumbline.model.record import Outcome, Record
from plumbline.verdicts.figures.metrics import METRICS, WARMING
from tests.record.sessions import record


def older(outcome: Outcome) -> Record:
    """The made-up session as an older version wrote it, with one word of rule R29 on every trial."""
    document = json.loads(canonical_bytes(record()))
    document["versions"]["figures"] = PROVEN_SINCE - 1
    del document["steadiness"]
    for trial in document["trials"]:
        trial["findings"] = [one for one in trial["findings"] if one["rule"] != "R29"] + [
            {"rule": "R29", "phase": "closed", "outcome": outcome, "reading": "So it was.", "value": None,
             "unit": None, "threshold": None}
        ]  # fmt: skip
    return parse_record(canonical_bytes(document))


def named(found: Record) -> set[str]:
    return {metric for trial in found.trials for its in trial.figures.values() for metric in its}


def test_what_the_rule_passed_is_read_as_it_stands() -> None:
    found = older("pass")
    assert found.standings == record().standings
    assert not named(found) & set(WARMING.values())


@pytest.mark.parametrize("outcome", ["warn", "unknown", "n/a"])
def test_what_it_did_not_pass_is_a_figure_while_warming_up(outcome: Outcome) -> None:
    found = older(outcome)
    assert not named(found) & set(WARMING)
    assert named(found) & set(WARMING.values())
    assert {row.metric for row in found.standings} == {
        "first_response_ms",
        "rss_idle_bytes",
        "first_10_s_requests",
    }


def test_nothing_is_ranked_or_compared_by_what_was_measured_while_warming_up() -> None:
    for steady, warming in WARMING.items():
        assert METRICS[warming].better is None
        assert not METRICS[warming].primary
        assert METRICS[warming].unit == METRICS[steady].unit
