"""Computes how subjects changed since the session before, by their ratios to the control."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Standing
from plumbline.verdicts.figures.metrics import Metric
from plumbline.verdicts.stats.amounts import against, between
from plumbline.verdicts.stats.compare import MARGIN, Better
from plumbline.verdicts.stats.drift import Drift
from .model.standings import ChangeWord, Since


@dataclass(frozen=True)
class Changes:
    """The changes of one metric of one phase since the session `before`; `today` are the standings now.

    No change is claimed that a drift within what the phases of both sessions proved could turn round.
    """

    before: Record | None
    scenario: Scenario
    phase: str
    metric: Metric
    today: MetricStandings

    def of(self, now: Standing) -> Since | None:
        """Return the change of one subject; None without a session before, without a figure, and while it warms up."""
        if self.before is None or not _usable(now):
            return None
        then = self._then()
        its = None if then is None else next((one for one in then.rows if one.subject == now.subject), None)
        if its is None or then is None or not _usable(its):
            return Since(word="new", ratio=None, low=None, high=None, text="new")
        parts = [(now, 1), (its, -1)]
        drifts = [(self.today.drifts.get(now.subject), 1), (then.drifts.get(its.subject), -1)]
        if (
            self.today.control is not None
            and then.control is not None
            and _usable(self.today.control)
            and _usable(then.control)
        ):
            control, before = self.today.control, then.control
            parts += [(control, -1), (before, 1)]
            drifts += [(self.today.drifts.get(control.subject), -1), (then.drifts.get(before.subject), 1)]
        effect = math.fsum(sign * math.log(row.mean or 1.0) for row, sign in parts)
        halves = [_half(row) for row, _ in parts]
        if None in halves:
            return Since(
                word="inconclusive", ratio=_rounded(effect), low=None, high=None, text="too few trials"
            )
        # Half widths of independent means add by their squares.
        half = math.sqrt(math.fsum((one or 0.0) ** 2 for one in halves))
        word, text = _word(effect, half, _moves(drifts, now.better), now.better == "higher")
        return Since(
            word=word,
            ratio=_rounded(effect),
            low=_rounded(effect - half),
            high=_rounded(effect + half),
            text=text,
        )

    def _then(self) -> MetricStandings | None:
        if self.before is None or self.scenario.id not in {one.id for one in self.before.plan.scenarios}:
            return None
        return in_record(self.before, self.scenario, self.phase, self.metric)


def _moves(drifts: Sequence[tuple[Drift | None, int]], better: Better) -> tuple[float, float]:
    """Return by how much drifts may still lower and raise the log of a ratio, in which each figure has its sign."""
    down = up = 0.0
    for drift, sign in drifts:
        if drift is not None:
            falls, rises = drift.moves(better)[::sign]
            down, up = down + falls, up + rises
    return down, up


def _word(
    effect: float, half: float, moves: tuple[float, float], more_is_better: bool
) -> tuple[ChangeWord, str]:
    low, high = effect - half, effect + half
    widened_low, widened_high = low - moves[0], high + moves[1]
    if widened_low > 0 or widened_high < 0:
        better = (effect > 0) == more_is_better
        said = against(effect, low, high).partition(" (")[0]
        return ("better", f"▲ better: {said}") if better else ("worse", f"▼ worse: {said}")
    if max(widened_high, -widened_low) < MARGIN:
        return "equivalent", "equivalent, within 2 %"
    if low > 0 or high < 0 or max(high, -low) < MARGIN:
        return "inconclusive", "undecided: a drift could turn it round"
    return "inconclusive", f"undecided, {between(low, high)}"


def _usable(row: Standing) -> bool:
    return row.mean is not None and row.mean > 0 and not row.warming_up


def _half(row: Standing) -> float | None:
    """Return half the width of the interval of the logarithm."""
    return None if row.low is None or row.high is None or row.low <= 0 else math.log(row.high / row.low) / 2


def _rounded(log_ratio: float) -> float:
    return round(math.exp(max(-700.0, min(700.0, log_ratio))), 4)
