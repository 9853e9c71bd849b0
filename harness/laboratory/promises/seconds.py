"""How the seconds of a process scatter, and how the cost of a program that warms up falls: models to test drifts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BURST_STARTS = 0.05
BURST_SLOWS = 4.0
BURST_STAYS = 0.5
"""A collection begins in one second of twenty, costs four standard deviations on average (exponential), and half as
much in the second after it."""

PROCESS_CV = 0.01
"""Processes of one program differ by this much, whatever the noise within each process."""


@dataclass(frozen=True)
class Noise:
    """The noise of a second's log value: `cv` is its standard deviation without collections.

    `memory` is the share of the noise that stays in the next second.
    """

    cv: float
    memory: float = 0.5


NOISES: Mapping[str, Noise] = {"noise of 1 %": Noise(0.01), "3 %": Noise(0.03), "8 %": Noise(0.08)}

BEYOND: Mapping[str, Noise] = {"3 %, 0.8 of it stays": Noise(0.03, 0.8), "3 %, 0.9 stays": Noise(0.03, 0.9)}
"""Noise with a longer memory, that no promise covers: a neighbour who comes for ten seconds and goes."""

BEND = 2.0
"""A fall follows exp(-2 t) over the measured part: most of it at the beginning, as warm-ups do."""


def course(seconds: int, fall: float) -> Floats:
    """Return the log of a cost that falls by a share from the first second to the last; it is 0 at the last."""
    times = np.linspace(0.0, 1.0, seconds)
    remaining: Floats = (np.exp(-BEND * times) - math.exp(-BEND)) / (1 - math.exp(-BEND))
    return -math.log1p(-fall) * remaining


def straight(seconds: int, fall: float) -> Floats:
    """Return the log of a cost that falls by a share in a straight line from the first second to the last."""
    line: Floats = np.linspace(-math.log1p(-fall), 0.0, seconds)
    return line


def late(seconds: int, fall: float, last: int) -> Floats:
    """Return the log of a cost that is flat, and lower by a share in its `last` seconds."""
    step: Floats = np.full(seconds, -math.log1p(-fall))
    step[-last:] = 0.0
    return step


def noise(draw: np.random.Generator, processes: int, seconds: int, noise_model: Noise) -> Floats:
    """Return deviations of log costs, one row a process: an autoregression of order one plus garbage collections."""
    steps = draw.standard_normal((processes, seconds))
    values = np.empty((processes, seconds))
    values[:, 0] = steps[:, 0]
    for second in range(1, seconds):
        kept_share, new_share = noise_model.memory, math.sqrt(1 - noise_model.memory**2)
        values[:, second] = kept_share * values[:, second - 1] + new_share * steps[:, second]
    starts = draw.random((processes, seconds)) < BURST_STARTS
    collections = starts * draw.exponential(BURST_SLOWS, (processes, seconds))
    collections[:, 1:] += BURST_STAYS * collections[:, :-1]
    scattered: Floats = noise_model.cv * (values + collections)
    return scattered


def costs(draw: np.random.Generator, processes: int, noise_model: Noise, logs: Floats) -> Floats:
    """Return the CPU time per request of each second of each process of one subject, whose log follows `logs`."""
    levels = PROCESS_CV * draw.standard_normal((processes, 1))
    values: Floats = np.exp(levels + logs + noise(draw, processes, len(logs), noise_model))
    return values
