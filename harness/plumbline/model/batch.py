"""A batch of queries on companies: what a request to /benchmark asks for, and what a program without a server runs."""

from __future__ import annotations

import re
from typing import Literal

from .base import Frozen

# The constants of apps/domain (companies/Batch.java), which spread the keys over the whole table.
COMPANIES = 100_000
STRIDE = 7919
HUNDRED = 100

_ASKED = re.compile(r"GET /benchmark\?query=(one|hundred|sleep)&count=([1-9][0-9]{0,6})\Z")


class Batch(Frozen):
    """A batch: `count` queries of one kind, and what they must have read: `rows`, and the sum of their ids."""

    query: Literal["one", "hundred", "sleep"]
    count: int

    @staticmethod
    def asked_by(operation: str) -> Batch | None:
        """Return the batch of `GET /benchmark?query=one&count=5000`; None for any other operation."""
        match = _ASKED.match(operation)
        return Batch(query=match[1], count=int(match[2])) if match else None  # type: ignore[arg-type]

    @property
    def rows(self) -> int:
        """The number of rows of all its queries."""
        return self.count * (HUNDRED if self.query == "hundred" else 1)

    @property
    def id_sum(self) -> int:
        """The sum of the ids of all rows; ids begin at 1."""
        if self.query == "hundred":
            return self.count * HUNDRED * (HUNDRED + 1) // 2
        return sum(1 + index * STRIDE % COMPANIES for index in range(self.count))
