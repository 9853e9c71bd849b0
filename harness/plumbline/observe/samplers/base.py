"""What a sampler is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ..processes import Processes
from ..roots import Roots
from ..targets import Targets

Row = Mapping[str, float | None]


@dataclass(frozen=True)
class Tick:
    """One look: what is looked at now, and the processes' files, shared by all samplers of this tick."""

    targets: Targets
    processes: Processes


class Sampler(Protocol):
    """Reads one source each second."""

    def sample(self, tick: Tick) -> Row:
        """Columns and their values now; None (or no key) for what can't be read. Never raises for that."""

    def close(self) -> None:
        """Closes files and connections."""


MakeSampler = Callable[[Roots], Sampler]
