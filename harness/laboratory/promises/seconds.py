"""How the seconds of a process scatter, and how a program that warms up falls: what puts drifts to the test."""

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
"""Processes of one program differ by as much, whatever the noise within each."""


@dataclass(frozen=True)
class Noise:
    """Of a second's log value: its standard deviation, collections not counted, and how much stays in the next one."""

    cv: float
    memory: float = 0.5


NOISES: Mapping[str, Noise] = {"noise of 1 %": Noise(0.01), "3 %": Noise(0.03), "8 %": Noise(0.08)}

BEYOND: Mapping[str, Noise] = {"3 %, 0.8 of it stays": Noise(0.03, 0.8), "3 %, 0.9 stays": Noise(0.03, 0.9)}
"""Noise with a longer memory, that no promise covers: a neighbour who comes for ten seconds and goes."""

BEND = 2.0
"""A fall follows exp(-2 t) over the measured part: most of it at the beginning, as warm-ups do."""


def course(seconds: int, fall: float) -> Floats:
    """The log of a cost that falls by a share from the first second to the last; 0 at the last."""
    at = np.linspace(0.0, 1.0, seconds)
    left: Floats = (np.exp(-BEND * at) - math.exp(-BEND)) / (1 - math.exp(-BEND))
    return -math.log1p(-fall) * left


def noise(draw: np.random.Generator, processes: int, seconds: int, its: Noise) -> Floats:
    """Deviations of log costs, one row a process: an autoregression of order one, collections on top."""
    steps = draw.standard_normal((processes, seconds))
    found = np.empty((processes, seconds))
    found[:, 0] = steps[:, 0]
    for second in range(1, seconds):
        kept, new = its.memory, math.sqrt(1 - its.memory**2)
        found[:, second] = kept * found[:, second - 1] + new * steps[:, second]
    starts = draw.random((processes, seconds)) < BURST_STARTS
    taken = starts * draw.exponential(BURST_SLOWS, (processes, seconds))
    taken[:, 1:] += BURST_STAYS * taken[:, :-1]
    scattered: Floats = its.cv * (found + taken)
    return scattered


def costs(draw: np.random.Generator, processes: int, seconds: int, its: Noise, fall: float) -> Floats:
    """CPU time per request of each second of each process of one subject, 1 at the end of its fall."""
    levels = PROCESS_CV * draw.standard_normal((processes, 1))
    found: Floats = np.exp(levels + course(seconds, fall) + noise(draw, processes, seconds, its))
    return found
