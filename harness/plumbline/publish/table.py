"""The points of all charts in columns: history's, and what only charts show."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from plumbline.history.collect import Key, PointTable
from plumbline.model.record import Verdict
from .digest import Digest, to_digits

VALID, ADVISORY = 0, 1
NONE = -1.0
_VALUE_DIGITS, _RATIO_DIGITS = 6, 5
WORDS: tuple[Verdict, ...] = ("valid", "advisory")


@dataclass
class Shown:
    """The values that charts show of a series, in parallel to its columns: `value` and `ratio` are rounded to a few
    digits.

    `ratio` and `half` are below 0 where there is none; `verdict` is a place in WORDS.
    """

    value: array[float] = field(default_factory=lambda: array("d"))
    ratio: array[float] = field(default_factory=lambda: array("d"))
    half: array[float] = field(default_factory=lambda: array("d"))
    verdict: array[int] = field(default_factory=lambda: array("b"))

    def add(self, value: float, control: float | None, half: float | None, verdict: int) -> None:
        """Add a point."""
        self.value.append(to_digits(value, _VALUE_DIGITS))
        self.ratio.append(to_digits(value / control, _RATIO_DIGITS) if control else NONE)
        self.half.append(NONE if half is None else half)
        self.verdict.append(verdict)


@dataclass
class Nightly:
    """The points of all sessions, which are added in the order of time; `t` are the times of the sessions."""

    t: list[int] = field(default_factory=list)
    table: PointTable = field(default_factory=PointTable)
    shown: dict[Key, Shown] = field(default_factory=dict)

    def add(self, one: Digest) -> None:
        """Add a session at the end."""
        self.t.append(one.t)
        self.table.add(one.extract)
        against = one.extract.values.get(one.extract.control, {})
        for subject, scenarios in one.extract.values.items():
            for scenario, phases in scenarios.items():
                verdict = ADVISORY if one.worst[subject][scenario] == "advisory" else VALID
                for phase, metrics in phases.items():
                    control = (
                        {} if subject == one.extract.control else against.get(scenario, {}).get(phase, {})
                    )
                    halves = one.halves[subject][scenario][phase]
                    for metric, value in metrics.items():
                        its = self.shown.setdefault((one.host, subject, scenario, phase, metric), Shown())
                        its.add(value, control.get(metric), halves[metric], verdict)
