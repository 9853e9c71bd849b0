"""What the front page says of a subject's change since the session before: no word that a drift could turn round."""

from __future__ import annotations

import pytest

from plumbline.model.record import Record
from plumbline.reporting.publish.model.standings import Since
from tests.truth.sessions import Nature, branch, made
from tests.truth.writers import overview

pytestmark = pytest.mark.slow


def since(metric: str, then: Nature, now: Nature, noise: float = 0.003) -> Since:
    """The word on the first of two subjects. Its nature changed from `then` to `now`; the second subject is plain."""
    plain = Nature(1.0, 1.0, now.drift)
    before, today = (made([nature, plain], noise=noise, seed=seed) for seed, nature in enumerate((then, now)))
    return between(before, today, metric=metric)


def between(*nights: Record, metric: str) -> Since:
    """The word on the first subject in the newest session."""
    tables = overview(*branch(nights)).standings[0].tables
    table = next(table for table in tables if table.metric == metric)
    word = next(bar.since for bar in table.bars if "orm" in bar.subject)
    assert word is not None
    return word


def refused(record: Record, subject: str) -> Record:
    """The record with all trials of a subject refused."""
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid"}) if trial.subject == subject else trial
        for trial in record.trials
    )
    return record.model_copy(update={"trials": trials})


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


def test_nothing_is_compared_that_was_measured_otherwise() -> None:
    plain = [Nature(1.0, 1.0, 0.002)] * 2
    before, today = (made(plain, seed=seed) for seed in (1, 2))
    assert between(before, today, metric="throughput_per_s").ratio is not None
    other_kernel = before.model_copy(update={"host": before.host.model_copy(update={"kernel": "5.4.0"})})
    word = between(other_kernel, today, metric="throughput_per_s")
    assert (word.word, word.text, word.ratio) == ("incomparable", "measured otherwise: kernel", None)


def test_a_ratio_to_the_control_is_not_compared_with_a_bare_figure() -> None:
    plain = [Nature(1.0, 1.0, 0.002)] * 2
    before, today = (made(plain, seed=seed) for seed in (1, 2))
    word = between(refused(before, before.plan.control), today, metric="throughput_per_s")
    assert (word.word, word.ratio) == ("incomparable", None)
    assert word.text == "measured otherwise: the control counts in one session alone"


def test_a_latency_is_not_compared_with_that_at_another_rate() -> None:
    plain = [Nature(1.0, 1.0, 0.002)] * 2
    before, today = (made(plain, seed=seed) for seed in (1, 2))
    (scenario,) = before.plan.scenarios
    phases = tuple(
        phase.model_copy(update={"rate_per_s": 90}) if phase.name == "open@100" else phase for phase in scenario.phases
    )
    slower = scenario.model_copy(update={"phases": phases})
    before = before.model_copy(update={"plan": before.plan.model_copy(update={"scenarios": (slower,)})})
    word = between(before, today, metric="latency_p99_ms")
    assert (word.word, word.text) == ("incomparable", "measured otherwise: rate of open load")
    assert between(before, today, metric="throughput_per_s").word != "incomparable"


def test_a_subject_refused_the_night_before_is_compared_with_its_newest_figure() -> None:
    natures = [Nature(1.0, 1.0, 0.002)] * 3
    oldest, before, today = (made(natures, noise=0.003, seed=seed) for seed in (1, 2, 3))
    found = between(oldest, refused(before, before.plan.subjects[0]), today, metric="throughput_per_s")
    assert found.word in ("equivalent", "inconclusive") and found.ratio is not None
    assert found.text.endswith(", since 2026-07-01")
    assert not between(oldest, before, today, metric="throughput_per_s").text.endswith(", since 2026-07-01")


def test_a_subject_without_an_older_figure_has_its_first() -> None:
    natures = [Nature(1.0, 1.0, 0.002)] * 3
    before, today = (made(natures, noise=0.003, seed=seed) for seed in (1, 2))
    found = between(refused(before, before.plan.subjects[0]), today, metric="throughput_per_s")
    assert (found.word, found.text, found.ratio) == ("new", "first figure", None)
