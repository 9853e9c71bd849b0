"""One line of the table: what was promised, what was measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """`value` over `jobs` sessions or series; the promise is kept from `low` to `high`, both included.

    A value is the share of jobs in which it happened, or, with `is_number`, what the promise says it is.
    """

    promise: str
    noise: str
    jobs: int
    value: float
    low: float
    high: float
    is_number: bool = False

    @property
    def kept(self) -> bool:
        """Whether the value lies where it was promised to."""
        return self.low <= self.value <= self.high
