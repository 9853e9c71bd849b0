"""How trials of equal subjects scatter: four models, and the trials of a real session.

Each model gives log values of trials in the order in which they ran, one row a session. Trials scatter by CV, and the
model adds its own noise. The sizes are chosen so that wrong designs fail as is known: all A before all B under the
drift, A always first under the carry-over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

CV = 0.01
"""The scatter of one trial on a good shared host."""

DRIFT = 0.02
CARRY_OVER = 0.004
BURST_STARTS = 0.05
BURST_SLOWS = 0.02
HEAVY_BURST_SLOWS = 0.05
LINGERS = 0.3

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Floats]
"""(draw, sessions, trials in each) -> log values by session and time."""


def iid(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
    """Draw trials that are independent and Gaussian."""
    return CV * draw.standard_normal((sessions, trials))


def drift(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
    """The host gets 2 % slower, or faster, from the first trial to the last."""
    direction = draw.choice((-1.0, 1.0), (sessions, 1))
    return iid(draw, sessions, trials) + direction * DRIFT * np.linspace(0, 1, trials)


def carry_over(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
    """The second trial of a pair finds a host that the first one warmed: 0.4 % slower."""
    return iid(draw, sessions, trials) - CARRY_OVER * (np.arange(trials) % 2)


def bursts(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
    """A neighbour comes before one trial in twenty, stays for two, and takes 2 % on average (exponential)."""
    return iid(draw, sessions, trials) - _burst_losses(draw, sessions, trials, BURST_SLOWS)


def heavy_bursts(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
    """The same neighbour as in `bursts` takes 5 % on average."""
    return iid(draw, sessions, trials) - _burst_losses(draw, sessions, trials, HEAVY_BURST_SLOWS)


def _burst_losses(draw: np.random.Generator, sessions: int, trials: int, share: float) -> Floats:
    starts = draw.random((sessions, trials)) < BURST_STARTS
    losses: Floats = starts * draw.exponential(share, (sessions, trials))
    losses[:, 1:] += losses[:, :-1]
    return losses


def lingering(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
    """Each trial keeps 0.3 of the deviation of the trial before it: ABBA lets a part of that into the ratio."""
    values = iid(draw, sessions, trials)
    for place in range(1, trials):
        values[:, place] += LINGERS * values[:, place - 1]
    return values


MODELS: Mapping[str, Noise] = {"iid": iid, "drift": drift, "carry-over": carry_over, "bursts": bursts}

BEYOND: Mapping[str, Noise] = {
    "bursts": bursts,
    "bursts of 5 %": heavy_bursts,
    "each trial keeps 0.3 of the last": lingering,
}
"""Noises that no promise covers, or not every promise."""


def resampled(groups: Sequence[Sequence[float]]) -> Noise:
    """Return noise drawn from real trials: a group has the log values of two or more trials of one subject.

    It draws deviations of trials from the mean of their group, widened by sqrt(n / (n - 1)), since that mean was
    computed from the same trials.
    """
    deviations = np.concatenate(
        [(np.array(group) - np.mean(group)) * np.sqrt(len(group) / (len(group) - 1)) for group in groups]
    )

    def noise(draw: np.random.Generator, sessions: int, trials: int) -> Floats:
        return draw.choice(deviations, (sessions, trials))

    return noise


def abba(draw: np.random.Generator, trials: Floats) -> Floats:
    """Return differences head - base by session and pair, for pairs in ABBA order with a random start by session."""
    second_less_first = trials[:, 1::2] - trials[:, 0::2]
    sessions, pairs = second_less_first.shape
    base_first = (draw.integers(0, 2, (sessions, 1)) + np.arange(pairs)) % 2 == 0
    return np.where(base_first, second_less_first, -second_less_first)
