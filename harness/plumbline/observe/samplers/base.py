"""The interface of a sampler."""

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
    """The data that all samplers of one tick share: the targets, and the files of the processes."""

    targets: Targets
    processes: Processes


class Sampler(Protocol):
    """Reads one source each second."""

    def sample(self, tick: Tick) -> Row:
        """Return columns and their values now; None (or no key) for what can't be read. Never raises for that."""

    def close(self) -> None:
        """Close files and connections."""


MakeSampler = Callable[[Roots], Sampler]
