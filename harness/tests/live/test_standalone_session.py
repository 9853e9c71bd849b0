"""A real short session of a program without a server: the referee knows as much of it as of the control."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .checkout import make_checkout
from .test_session import BENT_BY_NEIGHBOURS

pytestmark = pytest.mark.slow

PROGRAM, CONTROL = "standalone-jdbc/jvm/pg", "control/jvm/pg"
SUITE = f"""
[suites.tiny]
about = "batches of a program, seconds a phase"
subjects = ["{PROGRAM}"]
scenarios = ["companies-t1"]
blocks = 1
budget = "5m"
phases = [
    {{ kind = "warm-up", time = "2s" }},
    {{ kind = "closed", time = "4s" }},
]
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    checkout = make_checkout(tmp_path_factory.mktemp("clone"), SUITE)
    ended = checkout.bench("run", "--suite", "tiny", "--json")
    document: dict[str, Any] = json.loads(Path(ended.document["record"]).read_text())
    return document


def findings(record: dict[str, Any], subject: str, outcome: str) -> set[str]:
    trials = [trial for trial in record["trials"] if trial["subject"] == subject]
    assert trials
    return {finding["rule"] for trial in trials for finding in trial["findings"] if finding["outcome"] == outcome}


def test_nothing_is_unknown_of_it_that_is_known_of_the_control(record: dict[str, Any]) -> None:
    assert findings(record, PROGRAM, "unknown") <= findings(record, CONTROL, "unknown")


def test_it_is_invalid_by_neighbours_alone(record: dict[str, Any]) -> None:
    assert findings(record, PROGRAM, "invalid") <= BENT_BY_NEIGHBOURS


def test_only_the_load_generator_does_not_apply(record: dict[str, Any]) -> None:
    assert findings(record, PROGRAM, "n/a") - findings(record, CONTROL, "n/a") == {"R4"}


def test_it_has_the_figures_of_the_others(record: dict[str, Any]) -> None:
    """Quantiles aside, which need more batches than a short phase has room for."""
    names = {
        subject: {
            (phase, name)
            for trial in record["trials"]
            if trial["subject"] == subject
            for phase, figures in trial["figures"].items()
            for name, value in figures.items()
            if value is not None
        }
        for subject in (PROGRAM, CONTROL)
    }
    assert ("closed", "warming_throughput_per_s") in names[PROGRAM]
    missing = {name for _, name in names[CONTROL] - names[PROGRAM]}
    assert {name for name in missing if not name.removeprefix("warming_").startswith(("load_", "latency_"))} == set()
