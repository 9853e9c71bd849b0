"""Computes how subjects changed since the session before, by their ratios to the control."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Standing
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.verdicts.figures.metrics import Metric
from plumbline.verdicts.stats.amounts import change_with_interval, range_in_words
from plumbline.verdicts.stats.compare import MARGIN, Better
from plumbline.verdicts.stats.drift import Drift
from .model.standings import ChangeWord, Since

FIRST = Since(word="new", ratio=None, low=None, high=None, text="first figure")


@dataclass(frozen=True)
class Changes:
    """The changes of one metric of one phase since the session `before`; `today` holds the standings now.

    `differing` names the components of the phase's environment in which the two sessions differ. A change is claimed
    only where both sessions measured alike, by all that starts a segment of a chart, and where no drift that the phases
    of both sessions leave possible could reverse its direction.
    """

    before: Record
    differing: tuple[str, ...]
    scenario: Scenario
    phase: str
    metric: Metric
    today: MetricStandings

    def of(self, now: Standing) -> Since:
        """Return the change of one subject with a usable figure."""
        standings_before = in_record(self.before, self.scenario, self.phase, self.metric)
        rows_before = () if standings_before is None else standings_before.rows
        row_before = next((row for row in rows_before if row.subject == now.subject), None)
        if standings_before is None or row_before is None or not usable(row_before):
            return FIRST
        if self.differing:
            return _incomparable(", ".join(name.replace("_", " ") for name in self.differing))
        control, control_before = _usable_control(self.today), _usable_control(standings_before)
        if (control is None) != (control_before is None):
            return _incomparable("the control counts in one session alone")
        terms = [(self.today, now, 1), (standings_before, row_before, -1)]
        if control is not None and control_before is not None:
            terms += [(self.today, control, -1), (standings_before, control_before, 1)]
        parts = [(row, sign) for _, row, sign in terms]
        drifts = [(standings.drifts.get(row.subject), sign) for standings, row, sign in terms]
        effect = math.fsum(sign * math.log(row.mean or 1.0) for row, sign in parts)
        halves = [_half(row) for row, _ in parts]
        if None in halves:
            return Since(word="inconclusive", ratio=_rounded(effect), low=None, high=None, text="too few trials")
        # Half widths of independent means add by their squares.
        half = math.sqrt(math.fsum((width or 0.0) ** 2 for width in halves))
        word, text = _word(effect, half, _moves(drifts, now.better), now.better == "higher")
        return Since(
            word=word,
            ratio=_rounded(effect),
            low=_rounded(effect - half),
            high=_rounded(effect + half),
            text=text,
        )


def _moves(drifts: Sequence[tuple[Drift | None, int]], better: Better) -> tuple[float, float]:
    """Return by how much drifts may still lower and raise a ratio's logarithm. A drift has the sign of its figure."""
    down = up = 0.0
    for drift, sign in drifts:
        if drift is not None:
            falls, rises = drift.moves(better)[::sign]
            down, up = down + falls, up + rises
    return down, up


def _word(effect: float, half: float, moves: tuple[float, float], more_is_better: bool) -> tuple[ChangeWord, str]:
    low, high = effect - half, effect + half
    widened_low, widened_high = low - moves[0], high + moves[1]
    if widened_low > 0 or widened_high < 0:
        better = (effect > 0) == more_is_better
        ratio_text = change_with_interval(effect, low, high).partition(" (")[0]
        return ("better", f"▲ better: {ratio_text}") if better else ("worse", f"▼ worse: {ratio_text}")
    if max(widened_high, -widened_low) < MARGIN:
        return "equivalent", "equivalent, within 2 %"
    if low > 0 or high < 0 or max(high, -low) < MARGIN:
        return "inconclusive", "undecided: a drift could turn it round"
    return "inconclusive", f"undecided, {range_in_words(low, high)}"


def usable(row: Standing) -> bool:
    """Return whether a subject has a figure of a warm program."""
    return row.mean is not None and row.mean > 0 and not row.warming_up


def _usable_control(standings: MetricStandings) -> Standing | None:
    return standings.control if standings.control is not None and usable(standings.control) else None


def _incomparable(why: str) -> Since:
    return Since(word="incomparable", ratio=None, low=None, high=None, text=clean_text(f"measured otherwise: {why}"))


def _half(row: Standing) -> float | None:
    """Return half the width of the interval of a figure's logarithm; None without an interval."""
    return None if row.low is None or row.high is None or row.low <= 0 else math.log(row.high / row.low) / 2


def _rounded(log_ratio: float) -> float:
    return round(math.exp(max(-700.0, min(700.0, log_ratio))), 4)
