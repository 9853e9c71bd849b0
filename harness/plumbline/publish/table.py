"""The points of all charts in columns, kept from one run to the next: history's, and what only charts show."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plumbline.history.points import Columns, Nights
from plumbline.history.table import Key, Table
from plumbline.model.finding import Verdict
from .digest import Digest, to_digits

VALID, ADVISORY = 0, 1
NONE = -1.0
_VALUE_DIGITS, _RATIO_DIGITS = 6, 5
WORDS: tuple[Verdict, ...] = ("valid", "advisory")


@dataclass
class Shown:
    """In parallel to a series' columns, what charts show: `value` and `ratio` rounded to a few digits, which takes as
    long as all the rest and so is done once; `ratio` and `half` are below 0 where there is none; `verdict` is a place
    in WORDS."""

    value: array[float] = field(default_factory=lambda: array("d"))
    ratio: array[float] = field(default_factory=lambda: array("d"))
    half: array[float] = field(default_factory=lambda: array("d"))
    verdict: array[int] = field(default_factory=lambda: array("b"))

    def add(self, value: float, control: float | None, half: float | None, verdict: int) -> None:
        """One point more."""
        self.value.append(to_digits(value, _VALUE_DIGITS))
        self.ratio.append(to_digits(value / control, _RATIO_DIGITS) if control else NONE)
        self.half.append(NONE if half is None else half)
        self.verdict.append(verdict)

    def columns(self) -> tuple[array[Any], ...]:
        """All of them."""
        return self.value, self.ratio, self.half, self.verdict


@dataclass
class Nightly:
    """`keys` are those of the records, by session in the order in which the table has them; `t` their times."""

    keys: list[str] = field(default_factory=list)
    t: list[int] = field(default_factory=list)
    table: Table = field(default_factory=Table)
    shown: dict[Key, Shown] = field(default_factory=dict)

    def add(self, key: str, one: Digest) -> None:
        """A session more, at the end."""
        self.keys.append(key)
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

    def arranged(self, order: Sequence[str]) -> Nightly:
        """The points of these records alone, all of which it has, in this order."""
        its, nights = Nightly(), self.table.nights
        place_of = {key: place for place, key in enumerate(self.keys)}
        places = [place_of[key] for key in order]
        its.keys, its.t = list(order), [self.t[place] for place in places]
        moved = np.full(len(self.keys), -1)
        moved[places] = np.arange(len(places))
        its.table = Table(
            nights=Nights(
                t=[nights.t[place] for place in places],
                session=[nights.session[place] for place in places],
                commit=[nights.commit[place] for place in places],
                environment=array("i", (nights.environment[place] for place in places)),
                environments=nights.environments,
            ),
            labels=self.table.labels,
            controls=self.table.controls,
        )
        for key, columns in self.table.columns.items():
            at = moved[np.asarray(columns.at)]
            kept = np.flatnonzero(at >= 0)
            kept = kept[np.argsort(at[kept], kind="stable")]
            if len(kept):
                shown = self.shown[key]
                its.table.columns[key] = Columns(
                    array("i", at[kept].tolist()),
                    _taken(columns.value, kept),
                    _taken(columns.control, kept),
                    _taken(columns.label, kept),
                )
                its.shown[key] = Shown(*(_taken(column, kept) for column in shown.columns()))
        return its

    def series(self) -> list[tuple[Key, int]]:
        """Every series with the number of its points, as `columns` gives them."""
        return [(key, len(its.at)) for key, its in self.table.columns.items()]

    def columns(self) -> Iterator[bytes]:
        """The columns of each series, one after the other."""
        for key in self.table.columns:
            for column in self._of(key):
                yield column.tobytes()

    def restore(
        self,
        nights: Iterable[tuple[str, Digest]],
        series: Iterable[tuple[list[str], int]],
        columns: memoryview,
    ) -> None:
        """Fill an empty table; raises ValueError where `columns` are not those of `series`."""
        for key, one in nights:
            self.keys.append(key)
            self.t.append(one.t)
            its = one.extract
            self.table.nights.add(its.t, its.session, its.commit, one.environment)
        start = 0
        for (host, subject, scenario, phase, metric), count in series:
            name = (host, subject, scenario, phase, metric)
            self.table.columns[name], self.shown[name] = Columns(), Shown()
            for column in self._of(name):
                end = start + count * column.itemsize
                column.frombytes(columns[start:end])
                start = end
        if start != len(columns):
            raise ValueError("columns of another length")

    def _of(self, key: Key) -> tuple[array[Any], ...]:
        its = self.table.columns[key]
        return its.at, its.value, its.control, its.label, *self.shown[key].columns()

    def chain(self) -> list[bytes]:
        """For each place a digest of all sessions up to there, by name and time."""
        running, found = hashlib.blake2b(digest_size=12), []
        for t, session in zip(self.t, self.table.nights.session, strict=True):
            running.update(f"{t} {session}\n".encode())
            found.append(running.digest())
        return found


def _taken(column: array[Any], places: NDArray[np.intp]) -> array[Any]:
    return array(column.typecode, np.asarray(column)[places].tobytes())
