"""What the front page says of a subject's change since the session before: no word that a drift could turn round."""

from __future__ import annotations

import pytest

from plumbline.reporting.publish.model.standings import Since
from tests.truth.sessions import Nature, branch, made
from tests.truth.writers import overview

pytestmark = pytest.mark.slow


def since(metric: str, then: Nature, now: Nature, noise: float = 0.003) -> Since:
    """The word on the first of two subjects. Its nature changed from `then` to `now`; the second subject is plain."""
    plain = Nature(1.0, 1.0, now.drift)
    before, today = (made([nature, plain], noise=noise, seed=seed) for seed, nature in enumerate((then, now)))
    tables = overview(*branch([before, today])).standings[0].tables
    table = next(table for table in tables if table.metric == metric)
    word = next(bar.since for bar in table.bars if "orm" in bar.subject)
    assert word is not None
    return word


@pytest.mark.parametrize("metric", ["throughput_per_s", "app_cpu_us_per_request"])
def test_a_change_is_claimed_unless_a_drift_could_turn_it_round(metric: str) -> None:
    faster = {drift: since(metric, Nature(1.0, 1.0, drift), Nature(1.1, 1.0, drift)) for drift in (0.002, 0.08)}
    assert faster[0.002].word == "better"
    assert (faster[0.08].word, faster[0.08].text) == (
        "inconclusive",
        "undecided: a drift could turn it round",
    )
    # What was measured is the same.
    assert faster[0.08].ratio == faster[0.002].ratio
    slower = {drift: since(metric, Nature(1.1, 1.0, drift), Nature(1.0, 1.0, drift)) for drift in (0.002, 0.08)}
    assert (slower[0.002].word, slower[0.08].word) == ("worse", "inconclusive")


def test_nothing_is_equivalent_that_a_drift_could_take_apart() -> None:
    natures = [Nature(1.0, 1.0, drift) for drift in (0.002, 0.02)]
    words = [since("throughput_per_s", nature, nature, noise=0.0).word for nature in natures]
    assert words == ["equivalent", "inconclusive"]


def test_a_start_needs_no_steady_state() -> None:
    word = since("first_response_ms", Nature(1.0, 1.0, 0.08), Nature(1.0, 1.3, 0.08))
    assert word.word == "better"
