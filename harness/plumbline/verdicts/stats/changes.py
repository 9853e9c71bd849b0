"""Find where a series of sessions changes: E-divisive splits under a t test, as in Apache Otava.

The method is Otava's (Fleming et al. 2023, "Hunter: using change point detection to hunt for performance regressions",
on Matteson and James 2014). In windows of 50 values, each of which overlaps half of the next, it seeks the split
that maximises the energy statistic between the two sides,

    Q(tau, kappa) = mn/(m+n) (2/(mn) sum |x_i - y_j| - 2/(n(n-1)) sum |x_i - x_k| - 2/(m(m-1)) sum |y_j - y_k|)

for x = [0, tau) and y = [tau, kappa). Where Student's t test between [0, tau) and [tau, end) finds the split
significant at a weak level, both parts are searched again. Then the weakest change of the whole series is dropped and
the segments on both sides of it are joined, until every change that is left is significant at P_MAX and larger than
MAGNITUDE_LEAST.

The method is written anew here because Otava's release pins one numpy for each Python and depends on database and cloud
clients, which a lock for all Pythons can't hold. Two repairs: variances divide by n - 1, where Otava divides by n and
finds p values too small in short segments; and a step that two windows place a little apart is reported once, where
least squares puts it.

Values are logarithms, so that a difference is a relative change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .interval import CONFIDENCE, quantile, two_sided_p

# Replayed night by night, this level lets through about one false candidate in 2,000 nights and finds a step of two
# standard deviations after five nights.
P_MAX = 1e-4
# A first pass must not lose what the whole series will show: ten times the level, as in Otava.
WEAK_P_MAX = 10 * P_MAX
# Smaller steps are real as often as not and matter to nobody.
MAGNITUDE_LEAST = 0.01
# Fewer values say nothing of their spread.
SEGMENT_LEAST = 3
WINDOW = 50

Logs = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """A change at `index`, the first value of the new level: the mean after it minus the mean before it.

    `low` and `high` are the t interval of the difference, `before` and `after` the two means; all are logarithms. Each
    side reaches to the next change or the end.
    """

    index: int
    difference: float
    low: float
    high: float
    p: float
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """The new level over the old one."""
        return math.exp(self.difference)


def change_points(logs: Sequence[float]) -> tuple[Change, ...]:
    """Return the changes of a series of logarithms, in order. Raises ValueError where a value is not finite."""
    values = np.asarray(logs, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("a value is not finite")
    if len(values) < 2 * SEGMENT_LEAST:
        return ()
    # Differences of running sums lose no digits where the values are close to 0.
    sums = _Sums(values - values.mean())
    cuts = _cuts_apart(sums, sorted(_weak_cuts(values)))
    cuts = _significant_cuts(sums, cuts)
    if cuts:
        cuts = _significant_cuts(sums, _cuts_by_least_squares(sums, cuts))
    edges = [0, *cuts, len(values)]
    return tuple(_change(values, start, cut, end) for start, cut, end in zip(edges, edges[1:], edges[2:], strict=False))


class _Sums:
    """Running sums of values and squares, for means and squared deviations of any slice."""

    def __init__(self, values: Logs) -> None:
        self.count = len(values)
        self._sums = np.concatenate(([0.0], np.cumsum(values)))
        self._squares = np.concatenate(([0.0], np.cumsum(values * values)))

    def deviations(self, start: int, end: int) -> float:
        """Return the sum of squared deviations from the slice's mean."""
        total = self._sums[end] - self._sums[start]
        return max(0.0, float(self._squares[end] - self._squares[start] - total * total / (end - start)))

    def t_test(self, start: int, cut: int, end: int) -> tuple[float, float]:
        """Return the difference of means and the p value of Student's t test; p is 1 if a side is too short."""
        left, right = cut - start, end - cut
        difference = float((self._sums[end] - self._sums[cut]) / right - (self._sums[cut] - self._sums[start]) / left)
        if min(left, right) < SEGMENT_LEAST:
            return difference, 1.0
        squares = self.deviations(start, cut) + self.deviations(cut, end)
        error = math.sqrt(squares / (left + right - 2) * (1 / left + 1 / right))
        if error == 0:
            return difference, 0.0 if difference else 1.0
        return difference, two_sided_p(left + right - 2, difference / error)

    def best_cut(self, start: int, end: int) -> int:
        """Return the cut with the least squared deviations on both sides; each side holds SEGMENT_LEAST values."""
        cuts = np.arange(start + SEGMENT_LEAST, end - SEGMENT_LEAST + 1)
        left = self._sums[cuts] - self._sums[start]
        right = self._sums[end] - self._sums[cuts]
        explained = left * left / (cuts - start) + right * right / (end - cuts)
        return int(cuts[int(np.argmax(explained))])


def _weak_cuts(values: Logs) -> set[int]:
    """Return the cuts of all windows that are significant at the weak level."""
    count = len(values)
    if count <= WINDOW:
        return _cuts_of_slice(values)
    starts = sorted({*range(0, count - WINDOW, WINDOW // 2), count - WINDOW})
    windows = np.stack([values[start : start + WINDOW] for start in starts])
    cuts: set[int] = set()
    for index in np.flatnonzero(_may_split(windows)):
        cuts |= {starts[index] + cut for cut in _cuts_of_slice(windows[index])}
    return cuts


def _may_split(windows: Logs) -> NDArray[np.bool_]:
    """Return for each row whether any cut is significant at the weak level; where none is, the energy's cut isn't."""
    width = windows.shape[1]
    cuts = np.arange(SEGMENT_LEAST, width - SEGMENT_LEAST + 1)
    centred = windows - windows.mean(axis=1, keepdims=True)
    left = centred.cumsum(axis=1)[:, cuts - 1]
    # The part of the squared deviations that a cut explains, where the values have mean 0.
    explained = (left * left * (1 / cuts + 1 / (width - cuts))).max(axis=1)
    least_t = quantile(width - 2, 1 - WEAK_P_MAX / 2)
    unexplained = np.maximum((centred * centred).sum(axis=1) - explained, 0.0)
    # The small slack allows for rounding: the exact test follows.
    return np.asarray(explained * (width - 2) * (1 + 1e-9) >= least_t * least_t * unexplained)


def _cuts_of_slice(values: Logs) -> set[int]:
    """Return the cut of a slice if it is significant, and then the cuts of both its parts."""
    if len(values) < 2 * SEGMENT_LEAST:
        return set()
    cut = _energy_cut(values)
    if _Sums(values - values.mean()).t_test(0, cut, len(values))[1] >= WEAK_P_MAX:
        return set()
    return _cuts_of_slice(values[:cut]) | {cut} | {cut + inner for inner in _cuts_of_slice(values[cut:])}


def _energy_cut(values: Logs) -> int:
    """Return the tau of the greatest Q(tau, kappa)."""
    count = len(values)
    taus, kappas = np.triu_indices(count + 1, k=SEGMENT_LEAST)
    long_enough = (taus >= SEGMENT_LEAST) & (taus <= count - SEGMENT_LEAST)
    taus, kappas = taus[long_enough], kappas[long_enough]
    table = np.zeros((count + 1, count + 1))
    table[1:, 1:] = np.abs(values[:, None] - values[None, :]).cumsum(axis=0).cumsum(axis=1)
    corner = np.diagonal(table)
    n, m = taus, kappas - taus
    between = table[taus, kappas] - corner[taus]
    left, right = corner[taus] / 2, (corner[kappas] - 2 * table[taus, kappas] + corner[taus]) / 2
    energy = 2 / (m * n) * between - 2 / (n * (n - 1)) * left - 2 / (m * (m - 1)) * right
    return int(taus[int(np.argmax(m * n / (m + n) * energy))])


def _cuts_apart(sums: _Sums, cuts: list[int]) -> list[int]:
    """Return the cuts; of two cuts that are closer together than a segment, only the one that explains more."""
    kept: list[int] = []
    for cut in cuts:
        if kept and cut - kept[-1] < SEGMENT_LEAST:
            start = kept[-2] if len(kept) > 1 else 0
            close_cuts = (kept.pop(), cut)
            cut = min(
                close_cuts,
                key=lambda place: sums.deviations(start, place) + sums.deviations(place, sums.count),
            )
        kept.append(cut)
    return kept


def _significant_cuts(sums: _Sums, cuts: list[int]) -> list[int]:
    """Return the cuts that stay: the weakest is dropped, one at a time, first by significance, then by size."""
    cuts = list(cuts)
    while cuts:
        edges = [0, *cuts, sums.count]
        tests = [sums.t_test(start, cut, end) for start, cut, end in zip(edges, edges[1:], edges[2:], strict=False)]
        weakest = max(range(len(cuts)), key=lambda index: tests[index][1])
        if tests[weakest][1] < P_MAX:
            weakest = min(range(len(cuts)), key=lambda index: abs(tests[index][0]))
            if math.expm1(abs(tests[weakest][0])) > MAGNITUDE_LEAST:
                break
        del cuts[weakest]
    return cuts


def _cuts_by_least_squares(sums: _Sums, cuts: list[int]) -> list[int]:
    """Return each cut moved to where least squares puts it between its neighbours."""
    edges = [0, *cuts, sums.count]
    for place in range(1, len(edges) - 1):
        edges[place] = sums.best_cut(edges[place - 1], edges[place + 1])
    return edges[1:-1]


def _change(values: Logs, start: int, cut: int, end: int) -> Change:
    left, right = (values[start:cut].tolist(), values[cut:end].tolist())
    before, after = math.fsum(left) / len(left), math.fsum(right) / len(right)
    squares = math.fsum((value - before) ** 2 for value in left) + math.fsum((value - after) ** 2 for value in right)
    degrees = len(left) + len(right) - 2
    error = math.sqrt(squares / degrees * (1 / len(left) + 1 / len(right)))
    difference = after - before
    half = quantile(degrees, 1 - (1 - CONFIDENCE) / 2) * error
    p = two_sided_p(degrees, difference / error) if error else 0.0
    return Change(cut, difference, difference - half, difference + half, p, before, after)
