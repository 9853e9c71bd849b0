"""How records are read that are older than the proof of figures."""

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
        trial["findings"] = [finding for finding in trial["findings"] if finding["rule"] != "R29"] + [
            {"rule": "R29", "phase": "closed", "outcome": outcome, "reading": "So it was.", "value": None,
             "unit": None, "threshold": None}
        ]  # fmt: skip
    return parse_record(canonical_bytes(document))


def metric_names(older_record: Record) -> set[str]:
    return {
        metric for trial in older_record.trials for phase_figures in trial.figures.values() for metric in phase_figures
    }


def test_what_the_rule_passed_is_read_as_it_stands() -> None:
    found = older("pass")
    assert found.standings == tuple(row for row in record().standings if row.metric != "first_10_s_requests")
    assert not metric_names(found) & set(WARMING.values())


@pytest.mark.parametrize("outcome", ["warn", "unknown", "n/a"])
def test_what_it_did_not_pass_is_a_figure_while_warming_up(outcome: Outcome) -> None:
    found = older(outcome)
    assert not metric_names(found) & set(WARMING)
    assert metric_names(found) & set(WARMING.values())
    assert {row.metric for row in found.standings} == {
        "first_response_ms",
        "rss_idle_bytes",
    }


@pytest.mark.parametrize(("figures", "is_read"), [(9, False), (10, True)])
def test_requests_of_the_first_ten_seconds_count_since_k6_counts_them(figures: int, is_read: bool) -> None:
    document = json.loads(canonical_bytes(record()))
    document["versions"]["figures"] = figures
    found = parse_record(canonical_bytes(document))
    assert ("first_10_s_requests" in metric_names(found)) is is_read
    assert ("first_10_s_requests" in {row.metric for row in found.standings}) is is_read
    assert metric_names(found) >= metric_names(record()) - {"first_10_s_requests"}


def test_nothing_is_ranked_or_compared_by_what_was_measured_while_warming_up() -> None:
    for steady, warming in WARMING.items():
        assert METRICS[warming].better is None
        assert not METRICS[warming].primary
        assert METRICS[warming].unit == METRICS[steady].unit
