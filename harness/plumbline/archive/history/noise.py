"""Reads from earlier sessions how much trials scatter, and how often equal sides were told apart."""

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


def noise_book(extracts: Iterable[Extract], host: str, host_class: HostClass) -> NoiseBook:
    """Return the noise of every metric, from the sessions of this host; where it has none, from those of its class."""
    found = list(extracts)
    of_class = [one for one in found if one.environment["host_class"] == host_class]
    own = [one for one in of_class if one.host == host]
    kind = f"hosts of class {host_class}"
    return {**_book(of_class, kind), **_book(own, f"this host ({host})")}


def _book(extracts: Sequence[Extract], where: str) -> dict[tuple[str, str, str], Noise]:
    parts: dict[tuple[str, str, str], list[Scatter]] = {}
    for one in extracts:
        for scenario, phases in one.scatter.items():
            for phase, metrics in phases.items():
                for metric, (squares, degrees) in metrics.items():
                    parts.setdefault((scenario, phase, metric), []).append(Scatter(squares, int(degrees)))
    book = {}
    for key, its in parts.items():
        whole = pooled(its)
        if whole.degrees >= DEGREES_MIN and whole.squares > 0:
            cv = math.sqrt(whole.squares / whole.degrees)
            book[key] = Noise(*key, cv=cv, degrees=whole.degrees, sessions=len(its), where=where)
    return book


# Equal sides may be told apart in this share of sessions.
PROMISED = LEVEL


@dataclass(frozen=True)
class EqualSides:
    """The rate of false differences in comparisons of equal sides. `flagged` are the sessions, by name, in which any
    question of equal sides read faster or slower.

    The unit is the session: its questions are of the same trials, and share one family. `low` and `high` are the 95 %
    interval of the rate.
    """

    sessions: int
    flagged: tuple[str, ...]
    low: float
    high: float

    @property
    def rate(self) -> float:
        """Flagged sessions over all."""
        return len(self.flagged) / self.sessions


def equal_sides_rate(extracts: Iterable[Extract]) -> EqualSides | None:
    """Return the rate of false differences over all sessions that compared a subject with itself; None without any."""
    asked = [one for one in extracts if one.equal_sides]
    if not asked:
        return None
    flagged = tuple(
        one.session for one in asked if any(word in ("faster", "slower") for word in one.equal_sides.values())
    )
    return EqualSides(len(asked), flagged, *share_interval(len(flagged), len(asked)))
