"""The published A/A rate: how often sessions told equal sides apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from plumbline.stats.compare import LEVEL
from plumbline.stats.share import share_interval
from .extract import Extract

PROMISED = LEVEL


@dataclass(frozen=True)
class EqualSides:
    """`flagged` are the sessions, by name, in which any question of equal sides read faster or slower.

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
    """Over all sessions that compared a subject with itself; None where there is none."""
    asked = [one for one in extracts if one.equal_sides]
    if not asked:
        return None
    flagged = tuple(
        one.session for one in asked if any(word in ("faster", "slower") for word in one.equal_sides.values())
    )
    return EqualSides(len(asked), flagged, *share_interval(len(flagged), len(asked)))
