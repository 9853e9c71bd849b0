"""One line of the table: what was promised, what was measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """`share` of `jobs` in which it happened; the promise is kept from `low` to `high`, both included."""

    promise: str
    noise: str
    jobs: int
    share: float
    low: float
    high: float

    @property
    def kept(self) -> bool:
        """Whether the share lies where it was promised to."""
        return self.low <= self.share <= self.high
