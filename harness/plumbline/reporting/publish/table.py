"""Holds the points of all charts in columns (those of history, those that only charts show), and draws small charts."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from plumbline.archive.history.collect import Key, PointTable
from plumbline.model.record import Verdict
from .addresses import trend_page
from .digest import HALF_DIGITS, Digest, to_digits
from .model.matrix import Matrix, Spark, SparkLine

VALID, ADVISORY = 0, 1
NONE = -1.0
_VALUE_DIGITS, _RATIO_DIGITS = 6, 5
WORDS: tuple[Verdict, ...] = ("valid", "advisory")


@dataclass
class ChartColumns:
    """The values that charts show of a series, in parallel to the series' columns. `value` and `ratio` are rounded to a
    few digits.

    `ratio`, `half` and `ratio_half` are below 0 where a point has none; `verdict` is an index in WORDS.
    """

    value: array[float] = field(default_factory=lambda: array("d"))
    ratio: array[float] = field(default_factory=lambda: array("d"))
    half: array[float] = field(default_factory=lambda: array("d"))
    ratio_half: array[float] = field(default_factory=lambda: array("d"))
    verdict: array[int] = field(default_factory=lambda: array("b"))

    def add(
        self, value: float, half: float | None, control: float | None, control_half: float | None, verdict: int
    ) -> None:
        """Add a point; `half` is that of its value, `control_half` that of the control's."""
        self.value.append(to_digits(value, _VALUE_DIGITS))
        self.ratio.append(to_digits(value / control, _RATIO_DIGITS) if control else NONE)
        self.half.append(NONE if half is None else half)
        # Half widths of independent means add by their squares. The control does not run in every block, so that only
        # few of its trials have a partner in their block.
        self.ratio_half.append(
            NONE if half is None or control_half is None else to_digits(math.hypot(half, control_half), HALF_DIGITS)
        )
        self.verdict.append(verdict)


@dataclass
class Nightly:
    """The points of all sessions, which are added in the order of time; `t` has the time of each session."""

    t: list[int] = field(default_factory=list)
    table: PointTable = field(default_factory=PointTable)
    shown: dict[Key, ChartColumns] = field(default_factory=dict)

    def add(self, digest: Digest) -> None:
        """Add a session at the end."""
        self.t.append(digest.t)
        self.table.add(digest.extract)
        control_values = digest.extract.values.get(digest.extract.control, {})
        control_halves = digest.halves.get(digest.extract.control, {})
        for subject, scenarios in digest.extract.values.items():
            for scenario, phases in scenarios.items():
                verdict = ADVISORY if digest.worst[subject][scenario] == "advisory" else VALID
                for phase, metrics in phases.items():
                    against = subject != digest.extract.control
                    control = control_values.get(scenario, {}).get(phase, {}) if against else {}
                    control_half = control_halves.get(scenario, {}).get(phase, {}) if against else {}
                    halves = digest.halves[subject][scenario][phase]
                    for metric, value in metrics.items():
                        columns = self.shown.setdefault((digest.host, subject, scenario, phase, metric), ChartColumns())
                        columns.add(value, halves[metric], control.get(metric), control_half.get(metric), verdict)

    def trend(self, key: Key) -> str | None:
        """Return the address of the page with the chart of a series; None where there is no such series."""
        return trend_page(*key) if key in self.shown else None


_LINES = 4
"""The number of lines that a reader can follow in a chart of this size."""

_NIGHTS = 60
_LEAST_RANGE = 1.05
"""A chart spans at least this factor to either side of its middle, so that noise looks like noise."""


def sparks(
    grid: Matrix, hosts: Sequence[str], scenario: str, ids: Mapping[str, str], nightly: Nightly
) -> Iterator[Spark]:
    """Yield a small chart for each measure that has a line of at least two nights.

    `hosts` are the hosts of the matrix's sources; `ids` gives the id of a subject by its slug.
    """
    for place, column in enumerate(grid.columns):
        ranked = [
            (cell.rank, row)
            for row, matrix_row in enumerate(grid.rows)
            if (cell := matrix_row.cells[place]) is not None and cell.rank is not None
        ]
        lines: list[SparkLine] = []
        for _, row in sorted(ranked):
            key = (hosts[column.source], ids[grid.rows[row].subject], scenario, column.phase, column.metric)
            points = _points(nightly, key)
            if len(points) > 1 and len(lines) < _LINES:
                lines.append(SparkLine(row=row, points=points))
        if lines:
            ratios = [ratio for line in lines for _, ratio in line.points]
            middle = math.sqrt(min(ratios) * max(ratios))
            reach = max(max(ratios) / middle, _LEAST_RANGE)
            times = [t for line in lines for t, _ in line.points]
            yield Spark(
                column=place,
                since=min(times),
                until=max(times),
                low=middle / reach,
                high=middle * reach,
                lines=tuple(lines),
            )


def _points(nightly: Nightly, key: tuple[str, str, str, str, str]) -> tuple[tuple[int, float], ...]:
    if key not in nightly.shown:
        return ()
    nights, ratios = nightly.table.columns[key].at, nightly.shown[key].ratio
    points = [(nightly.t[night], ratio) for night, ratio in zip(nights, ratios, strict=True) if ratio != NONE]
    return tuple(points[-_NIGHTS:])
