"""Bound how far a figure may still drift: its change from end to end of the measured part, compared with the noise
around it.

Seconds of one process resemble their neighbours, and collections come in bursts; an interval that took seconds for
independent would promise far too much. So the drift is compared with the other slow movements of the same noise. The
logs of each process's seconds pass a median of three, which takes single wild seconds out, and are written as a sum of
polynomials that are orthonormal over the seconds (Gram 1883): degree 0 is the level, degree 1 the drift, degrees 2 to 5
are noise as slow as the drift itself. Under noise of any short memory their coefficients scatter alike, by the long-run
variance, and are nearly independent. Their squares estimate it, and Student's t does the rest (Phillips 2005 and
Mueller 2007; Lazarus, Lewis, Stock and Watson 2018 on why so few terms keep the promise where Newey and West 1987 does
not):

    d_j = k c_j1,  D = mean d_j,  v = (sum of c_jd^2, d = 2..5, + sum of (d_j - D)^2 / k^2) / (4 J + J - 1)
    interval of the drift: D +- t(5 J - 1) k sqrt(v / J)

for J processes, where k turns a coefficient into the rise of its line from the first second to the last. Differences
in level between processes stay out, as degree 0 of each process; differences in drift are part of v (the levels of
variance of Kalibera and Jones 2013). A curve that bends puts its bend into v, which widens the interval. The bound is
that of a line all the same: a step in the last seconds may pass it (docs/promises.md).

Decide whether a warm-up is over. The question is asked while the warm-up runs, from all seconds of its load so far.

The answer follows from how far the last third of the load drifted (`drift`). A program that is still being compiled
follows something like a power of time: what it gains in the last third of a warm-up of 40 s it gains again in the 20 s
after it, so that a gain seen there is about the drift that figures would have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import mul

from .compare import Better
from .interval import mean, quantile
from .steady import filtered

LEAST_S = 14
"""The fewest seconds of a process: after a median of three, fewer seconds hold no noise as slow as a drift. A phase of
15 s has 14 whole seconds.
"""

NOISE_DEGREES = 4
"""The number of polynomials, besides the drift's, from which the noise is estimated. With more of them the fast ones,
which noise with a memory hardly moves, make the noise look smaller than it is. With fewer of them the interval of one
process gets as wide as its figure.
"""

BOUND_CONFIDENCE = 0.95
"""The one-sided confidence with which the drift is no greater than its bound."""

CHANGING_CONFIDENCE = 0.998
"""The one-sided confidence of each direction. A flat curve is called changing in 0.4 % of cases, and in about 1 % if a
second's noise resembles the second before (docs/promises.md).
"""

LONGEST_ADVICE_S = 3600
"""The longest advice: nobody waits longer than these further seconds."""

POWER = 0.95
"""The power with which further seconds are planned. The planned noise is an estimate itself: of flat curves eight in
ten are within the limit after those seconds.
"""

LAB_LIMIT = 0.02
"""The limit on a host of class lab: a figure stays within 2 %, the margin within which sides are equivalent."""

OTHER_LIMIT = 0.20
"""The limit on other hosts: a figure that may still move by a fifth is not of a warm program."""


@dataclass(frozen=True)
class Drift:
    """The change of a figure from end to end of its measured part.

    `estimate` is a log ratio, above zero where the figure got better (a cost fell, a rate rose), with its standard
    `error` and the `degrees` of freedom that this was estimated with. `processes` were measured, the
    shortest of them for `seconds`.
    """

    estimate: float
    error: float
    degrees: int
    seconds: int
    processes: int

    @cached_property
    def low(self) -> float:
        """The lower bound: the change is greater in 99.8 % of cases."""
        return self.estimate - quantile(self.degrees, CHANGING_CONFIDENCE) * self.error

    @cached_property
    def high(self) -> float:
        """The upper bound: the change is smaller in 99.8 % of cases."""
        return self.estimate + quantile(self.degrees, CHANGING_CONFIDENCE) * self.error

    @property
    def changing(self) -> bool:
        """Whether it is proven that the figure still changes, for better or worse, however little."""
        return self.low > 0 or self.high < 0

    @cached_property
    def may_improve(self) -> float:
        """The log ratio by which the figure may still get better: warm-up has only this direction.

        An estimate below zero is chance, and takes nothing from what the noise would hide.
        """
        return max(0.0, self.estimate) + quantile(self.degrees, BOUND_CONFIDENCE) * self.error

    @cached_property
    def may_worsen(self) -> float:
        """The log ratio by which the figure may still get worse: 0, unless it is proven to be getting worse."""
        if self.high >= 0:
            return 0.0
        return quantile(self.degrees, BOUND_CONFIDENCE) * self.error - self.estimate

    def moves(self, better: Better) -> tuple[float, float]:
        """Return how far the log of the figure may still fall, and rise."""
        ends = self.may_worsen, self.may_improve
        return ends if better == "higher" else ends[::-1]

    @property
    def bound(self) -> float:
        """How far the figure may still drift, as a share: 0.04 reads "steady within 4 %"."""
        return math.expm1(max(self.may_improve, self.may_worsen))

    @property
    def still_on_its_way(self) -> bool:
        """Whether the figure is proven to change by more than a lab would let pass."""
        return max(self.low, -self.high) > math.log1p(LAB_LIMIT)

    def steady_within(self, limit: float) -> bool:
        """Return whether the bound is no wider than `limit`, a share, and the figure is not `still_on_its_way`."""
        return self.bound <= limit and not self.still_on_its_way

    def times(self, factor: float) -> Drift:
        """Return the drift of a figure whose logarithm moves `factor` times as far."""
        return replace(self, estimate=factor * self.estimate, error=factor * self.error)

    def more_s(self, limit: float) -> int | None:
        """Return the further seconds of each process after which a steady figure would be shown within `limit`.

        None where the figure changes, or where that would take longer than an hour. The error falls with the root of
        the seconds.
        """
        if self.changing or limit <= 0:
            return None
        reach = quantile(self.degrees, BOUND_CONFIDENCE) + quantile(self.degrees, POWER)
        times = reach * self.error / math.log1p(limit)
        if times * times * self.seconds > LONGEST_ADVICE_S:
            return None
        return max(LEAST_S, math.ceil((times * times - 1) * self.seconds))

    def more_processes(self, limit: float) -> int | None:
        """Return how many more processes of this length do the same as `more_s`: the error falls with all seconds."""
        more_s = self.more_s(limit)
        return None if more_s is None else math.ceil(more_s * self.processes / self.seconds)


def moves_of_ratio(one: Drift, other: Drift, better: Better) -> tuple[float, float]:
    """Return how far the log ratio of two figures, one / other, may still fall, and rise."""
    (one_falls, one_rises), (other_falls, other_rises) = one.moves(better), other.moves(better)
    return one_falls + other_rises, one_rises + other_falls


def drift(processes: Sequence[Sequence[float]], better: Better) -> Drift | None:
    """Return the drift of one figure of a subject, from the values of each process second by second.

    None where there is no process, or a process has fewer than LEAST_S seconds, or two seconds in a row that have no
    logarithm.
    """
    smooth = [filtered(process) for process in processes]
    if not smooth or any(len(seconds) < LEAST_S or min(seconds) <= 0 for seconds in smooth):
        return None
    sign = 1.0 if better == "higher" else -1.0
    slopes: list[float] = []
    scales: list[float] = []
    squares: list[float] = []
    for seconds in smooth:
        logs = [sign * math.log(value) for value in seconds]
        slope, *noise = (math.fsum(map(mul, row, logs)) for row in _polynomials(len(logs)))
        scales.append(_rise(len(logs)))
        slopes.append(slope * scales[-1])
        squares += [coefficient**2 for coefficient in noise]
    estimate = mean(slopes)
    squares += [((slope - estimate) / scale) ** 2 for slope, scale in zip(slopes, scales, strict=True)]
    count = len(smooth)
    degrees = NOISE_DEGREES * count + count - 1
    variance = math.fsum(squares) / degrees
    error = math.sqrt(variance * math.fsum(scale**2 for scale in scales)) / count
    return Drift(estimate, error, degrees, min(map(len, smooth)), count)


@lru_cache(maxsize=1024)
def _polynomials(seconds: int) -> tuple[tuple[float, ...], ...]:
    """Return degrees 1 to 5, orthonormal over equal steps: each is x times the last, less its part along the lower."""
    positions = [2 * second / (seconds - 1) - 1 for second in range(seconds)]
    polynomials = [[1 / math.sqrt(seconds)] * seconds]
    for _ in range(1 + NOISE_DEGREES):
        row = [x * value for x, value in zip(positions, polynomials[-1], strict=True)]
        for lower in polynomials:
            part = math.fsum(map(mul, row, lower))
            row = [value - part * lower_value for value, lower_value in zip(row, lower, strict=True)]
        length = math.sqrt(math.fsum(map(mul, row, row)))
        polynomials.append([value / length for value in row])
    return tuple(tuple(row) for row in polynomials[1:])


def _rise(seconds: int) -> float:
    """Return how far the line with coefficient 1 rises from the first second to the last."""
    line = _polynomials(seconds)[0]
    return line[-1] - line[0]


LEVEL = 0.2
"""The one-sided level: a gain beyond it is seen, a smaller gain may be chance. It is high, since a false alarm costs
one cycle more, and an unseen gain the trial.
"""

UNSEEN_MAX = 0.10
"""The largest log ratio that noise may hide: if the noise would hide a larger gain, nothing is known yet of the
warm-up.
"""


@dataclass(frozen=True)
class Gain:
    """The gain of the last seconds as a log ratio, and the size of a gain that their noise would hide."""

    gain: float
    unseen: float

    @property
    def goes_on(self) -> bool:
        """Whether a gain is seen; a gain below what a lab host has to show counts as none."""
        return self.gain > max(LAB_LIMIT, self.unseen)

    @property
    def is_over(self) -> bool:
        """Whether no gain is seen although the noise would not hide it."""
        return not self.goes_on and self.unseen <= UNSEEN_MAX


def gain_of(values: Sequence[float], better: Better) -> Gain | None:
    """Return the gain within the last third of `values`, one for each second; None for too few values, or a 0."""
    last_third = drift([values[-max(LEAST_S, len(values) // 3) :]], better)
    if last_third is None:
        return None
    return Gain(last_third.estimate, quantile(last_third.degrees, 1 - LEVEL) * last_third.error)
