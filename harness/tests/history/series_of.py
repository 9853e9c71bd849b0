"""Made-up series: levels with noise, and optionally a control that shares the host's steps."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from plumbline.archive.history.points import Point, Points
from plumbline.archive.history.series import FigureSeries
from plumbline.verdicts.figures.metrics import Better


def series(
    levels: Sequence[float],
    *,
    control: Sequence[float] | None = None,
    environments: Sequence[str] | None = None,
    labels: Sequence[Mapping[str, str]] | None = None,
    better: Better | None = "higher",
    cv: float = 0.01,
    seed: int = 1,
    name: str = "s",
    subject: str = "",
) -> FigureSeries:
    """One point a night; values and controls scatter independently."""
    draw = random.Random(seed)
    points = []
    for night, level in enumerate(levels):
        value = level * (1 + draw.gauss(0, cv))
        control_value = None if control is None else control[night] * (1 + draw.gauss(0, cv / 10))
        environment = {} if environments is None else {"kernel": environments[night]}
        points.append(
            Point(
                t=f"night {night:04}",
                session=f"s{night:04}",
                value=value,
                control=control_value,
                environment=environment,
                labels={} if labels is None else labels[night],
                commit=f"{night:012x}{0:028x}",
            )
        )
    return FigureSeries(id=name, better=better, points=Points.of(points), subject=subject)


def first(full_series: FigureSeries, nights: int) -> FigureSeries:
    """The series as it was after the given number of nights."""
    return replace(full_series, points=full_series.points[:nights])
