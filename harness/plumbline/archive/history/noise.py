"""Reads from earlier sessions how much trials scatter, and how often comparisons found equal sides different."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plumbline.model.host import HostClass
from plumbline.subjects.plan.detectable import Noise, NoiseBook
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interval import share_interval
from plumbline.verdicts.stats.places import Scatter, pooled
from .extract import Extract

# With fewer degrees of freedom a standard deviation may be off by more than half.
DEGREES_MIN = 4


def noise_book(extracts: Iterable[Extract], host: str, host_class: HostClass, *, duet: bool = False) -> NoiseBook:
    """Return the noise of every metric, from sessions of this host, or where it has none, from hosts of its class.

    Two applications on the CPUs of a `duet` scatter otherwise than one that has the host to itself: the noise is of
    sessions of the same design.
    """
    of_class = [
        extracted
        for extracted in extracts
        if extracted.environment["host_class"] == host_class and extracted.duet == duet
    ]
    own = [extracted for extracted in of_class if extracted.host == host]
    kind = f"hosts of class {host_class}"
    return {**_book(of_class, kind), **_book(own, f"this host ({host})")}


def _book(extracts: Sequence[Extract], where: str) -> dict[tuple[str, str, str], Noise]:
    parts: dict[tuple[str, str, str], list[Scatter]] = {}
    for extracted in extracts:
        for scenario, phases in extracted.scatter.items():
            for phase, metrics in phases.items():
                for metric, (squares, degrees) in metrics.items():
                    parts.setdefault((scenario, phase, metric), []).append(Scatter(squares, int(degrees)))
    book = {}
    for key, scatters in parts.items():
        pooled_scatter = pooled(scatters)
        if pooled_scatter.degrees >= DEGREES_MIN and pooled_scatter.squares > 0:
            cv = math.sqrt(pooled_scatter.squares / pooled_scatter.degrees)
            book[key] = Noise(*key, cv=cv, degrees=pooled_scatter.degrees, sessions=len(scatters), where=where)
    return book


# The share of sessions in which equal sides may be found different.
PROMISED = LEVEL


@dataclass(frozen=True)
class EqualSides:
    """The rate of false differences in comparisons of equal sides. `flagged` are the names of the sessions in
    which any question of equal sides had the verdict faster or slower.

    The unit is the session: its questions are of the same trials, and share one family. `low` and `high` are the 95 %
    interval of the rate.
    """

    sessions: int
    flagged: tuple[str, ...]
    low: float
    high: float

    @property
    def rate(self) -> float:
        """The share of the sessions that are flagged."""
        return len(self.flagged) / self.sessions


def equal_sides_rate(extracts: Iterable[Extract]) -> EqualSides | None:
    """Return the rate of false differences over all sessions that compared a subject with itself; None without any."""
    compared = [extracted for extracted in extracts if extracted.equal_sides]
    if not compared:
        return None
    flagged = tuple(
        extracted.session
        for extracted in compared
        if any(word in ("faster", "slower") for word in extracted.equal_sides.values())
    )
    return EqualSides(len(compared), flagged, *share_interval(len(flagged), len(compared)))
