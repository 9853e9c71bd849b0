"""What `verify` found first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """The first place where a record is not what it says.

    `file` is below the session's folder. `metric` is the metric, the rule or the field; `recorded` and
    `recomputed` are its values in JSON, None where there is none.
    """

    problem: str
    file: str
    trial: int | None = None
    phase: str | None = None
    metric: str | None = None
    recorded: str | None = None
    recomputed: str | None = None
