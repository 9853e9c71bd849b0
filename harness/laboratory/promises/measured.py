"""One line of the table: a promise, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """A promise with the `value` that was measured over `jobs` sessions or series.

    The promise is kept if the value lies from `low` to `high`, both included. The value is the share of jobs in which
    the promised event happened, or, with `is_number`, a number that the promise names.
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
        """Whether the value lies in the promised range."""
        return self.low <= self.value <= self.high
