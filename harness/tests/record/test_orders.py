"""An order within a class is decided when neither chance nor a drift could turn it round."""

from __future__ import annotations

import math
import random
import re
from functools import cache

import pytest

from plumbline.archive.record.orders import HOPELESS_AFTER, SubjectOrder, orders
from plumbline.archive.record.standings import of_metric
from plumbline.model.record import Steadiness, Trial
from plumbline.verdicts.figures.metrics import METRICS
from tests.judge.planned import SUBJECTS, plan
from tests.record.sessions import record

QUARKUS, SPRING = SUBJECTS[:2]
BLOCKS = 6


@cache
def measured_trial() -> Trial:
    return next(trial for trial in record().trials if trial.role == "measured")


def trials(ratio: float, verdict: str = "valid", blocks: int = BLOCKS) -> list[Trial]:
    """Trials of both subjects; Spring serves `ratio` times the requests of Quarkus, give or take 1 %."""
    draw = random.Random(7)
    return [
        measured_trial().model_copy(
            update={
                "number": 2 * block + place,
                "block": block,
                "subject": subject,
                "scenario": "fruits@1",
                "verdict": verdict,
                "figures": {
                    "closed": {"throughput_per_s": 1000 * factor * math.exp(draw.gauss(0, 0.01))},
                },
            }
        )
        for block in range(1, blocks + 1)
        for place, (subject, factor) in enumerate(((QUARKUS, 1.0), (SPRING, ratio)))
    ]


def proven(drift: float, error: float = 0.001) -> list[Steadiness]:
    """What the closed phase of both subjects proved: Quarkus drifts by `drift`, a log ratio, and Spring not at all."""
    return [
        Steadiness(
            subject=subject,
            scenario="fruits@1",
            phase="closed",
            metric="throughput_per_s",
            processes=BLOCKS,
            measured_s=20.0,
            load_s=40.0,
            estimate=estimate,
            error=error,
            degrees=29,
            bound=0.01,
            proven=True,
            more_s=None,
            words="steady within 1 %",
        )
        for subject, estimate in ((QUARKUS, drift), (SPRING, 0.0))
    ]


def order_of(measured: list[Trial], rows: list[Steadiness]) -> SubjectOrder:
    (found,) = orders(plan(subjects=(QUARKUS, SPRING)), measured, rows)
    return found


def test_far_apart_and_steady_is_decided() -> None:
    found = order_of(trials(1.2), proven(0.0))
    assert found.decided and found.further_blocks is None
    # The words come from the same engine as the rank and the sentence of the standings.
    assert re.fullmatch(r"throughput \d\d % less \(99 % interval \d\d to \d\d %\)", found.words)


def test_alike_and_steady_is_equivalent() -> None:
    assert order_of(trials(1.0), proven(0.0)).decided


@pytest.mark.parametrize(("ratio", "drift"), [(1.2, 0.3), (1.0, 0.05)])
def test_what_a_drift_could_turn_round_is_not_decided(ratio: float, drift: float) -> None:
    found = order_of(trials(ratio), proven(drift))
    assert not found.decided and found.worth_more
    assert "undecided" in found.words and "a drift within what the phases proved could" in found.words.lower()


def test_a_drift_that_only_the_bounds_leave_open_says_how_many_blocks_more() -> None:
    found = order_of(trials(1.2), proven(0.0, error=0.2))
    assert not found.decided and found.further_blocks is not None and found.further_blocks > 1
    assert f"or {found.further_blocks} more processes" in found.words


def test_a_drift_that_nobody_knows_decides_nothing() -> None:
    warming = [
        trial.model_copy(
            update={"figures": {"closed": {"warming_throughput_per_s": trial.figures["closed"]["throughput_per_s"]}}}
        )
        for trial in trials(1.2)
    ]
    assert not order_of(warming, []).decided


def test_what_is_decided_is_what_the_standings_say() -> None:
    session_plan = plan(subjects=(QUARKUS, SPRING))
    for ratio in (1.0, 1.004, 1.02, 1.2):
        for drift in (0.0, 0.05, 0.3):
            order, rows = order_of(trials(ratio), proven(drift)), proven(drift)
            found = of_metric(
                session_plan, session_plan.scenarios[0], "closed", METRICS["throughput_per_s"], trials(ratio), rows
            )
            assert found is not None and order.pair is not None
            assert order.pair == found.rankings["orm"].between(order.other, order.one)
            assert order.pair.comparison.effect <= 0
            ranks = {row.rank for row in found.of_class("orm")}
            assert (ranks == {1, 2}) == (order.decided and order.pair.verdict != "equivalent")


def test_what_can_be_told_by_more_blocks_says_how_many() -> None:
    found = order_of(trials(1.01, blocks=4), proven(0.0))
    assert not found.decided and found.further_blocks is not None and found.further_blocks >= 1


def test_invalid_trials_count_for_nothing_and_are_not_waited_for() -> None:
    found = order_of(trials(1.2, verdict="invalid", blocks=HOPELESS_AFTER), proven(0.0))
    assert not found.decided and not found.worth_more and "no trial of one of them counted" in found.words
    assert order_of(trials(1.2, verdict="invalid", blocks=HOPELESS_AFTER - 1), proven(0.0)).worth_more
