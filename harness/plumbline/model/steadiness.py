"""The bound of a figure's drift, as a record keeps it beside the figure."""

from __future__ import annotations

from pydantic import Field

from .base import Frozen
from .comparison import Side


class Steadiness(Frozen):
    """The steadiness of one metric of a phase, by all processes of a subject under a scenario (stats/drift.py).

    `estimate` is the change from end to end of the measured part, a log ratio above zero where the figure got better,
    with its standard `error` and `degrees` of freedom; they and the `bound` are None where the phase is too short to
    tell. `bound` is a share: 0.04 is "steady within 4 %". Where it is not `proven`, the figures of the phase are those
    of a program that warms up, in its first `load_s` seconds of load. `more_s` are the further seconds of each process
    that would do, None where nobody knows. `words` say it in a clause.
    """

    side: Side | None = None
    subject: str
    scenario: str
    phase: str
    metric: str
    processes: int
    measured_s: float = Field(description="seconds of the shortest process")
    load_s: float
    estimate: float | None
    error: float | None
    degrees: int | None
    bound: float | None
    proven: bool
    more_s: int | None
    words: str
