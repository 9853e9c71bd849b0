"""The matrix: every subject by every measure, each measure out of the newest session that could decide it.

A cell says what one session says. What a night did to one subject it did not do to that of another night, so ratios are
to a leader that ran in the same blocks, the ranks of a column are of one session, and who ran beside no leader has
neither.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from plumbline.archive.record.claim import heading
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.host import HostClass
from plumbline.model.plan import Scenario
from plumbline.model.record import Standing
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.naming import DisplayUnit, unit_of, where, with_interval
from plumbline.verdicts.figures.metrics import METRICS, Metric
from .addresses import matrix_page
from .deciding import deciding, measures_of, others, present, superseded
from .digest import Digest
from .measures import PhaseMetric
from .model.matrix import Cell, CellWord, Column, Matrix, MatrixRow, Source
from .overview import HOST_CLASSES, Reader, link
from .table import Nightly, sparks

_SHADES = (1.02, 1.1, 1.25, 1.5, 2.0)
"""The factors to the best up to which each shade reaches; the last shade is for all that is worse."""

_WORDS: dict[str, CellWord] = {
    "faster": "ahead",
    "slower": "behind",
    "equivalent": "equivalent",
    "inconclusive": "undecided",
}

Names = Mapping[str, tuple[str, int | None]]
"""The short name and the mark of a subject, by its id."""


def matrices(
    digests: Sequence[Digest], nightly: Nightly, read: Reader, names: Names, simulated: bool
) -> Iterator[Matrix]:
    """Yield the matrix of each class of hosts and scenario with a trial that counts; newest versions come first.

    `digests` go by time.
    """
    ids = {slug_of(id_): id_ for id_ in names}
    grouped: dict[tuple[HostClass, str], list[Digest]] = {}
    for one in digests:
        for scenario in one.counting:
            grouped.setdefault((one.host_class, scenario), []).append(one)
    old = superseded(scenario for _, scenario in grouped)
    order = sorted(grouped, key=lambda key: (HOST_CLASSES.index(key[0]), key[1] in old, key[1]))
    for host_class, scenario in order:
        counting = grouped[host_class, scenario]
        making = _Making(present(counting), scenario, read, names)
        found = making.matrix(host_class, simulated)
        if found.columns:
            hosts = [one.host for one in making.sources]
            drawn = sparks(found, hosts, scenario, ids, nightly)
            yield found.model_copy(update={"sparks": tuple(drawn)})


@dataclass(frozen=True)
class _Said:
    """The standings of a session by one measure. `ranks`: the ranks of the column are of this session."""

    session: Digest
    found: MetricStandings
    ranks: bool


class _Making:
    """Makes one matrix of `sessions`, which go by time. `sources` are the sessions that have given it a cell so far."""

    def __init__(self, sessions: Sequence[Digest], scenario: str, read: Reader, names: Names) -> None:
        self._sessions, self._id, self._read, self._names = sessions, scenario, read, names
        self.sources: list[Digest] = []

    def matrix(self, host_class: HostClass, simulated: bool) -> Matrix:
        """Return the document."""
        taken = {
            measure: its
            for measure in measures_of(self._sessions, self._id)
            if (its := self._column(measure)) is not None
        }
        subjects: dict[str, AccessClass | None] = {}
        for _, _, cells in taken.values():
            subjects.update({subject: access for subject, (access, _) in cells.items()})
        order = self._ordered(subjects, [cells for _, _, cells in taken.values()])
        place = {subject: index for index, subject in enumerate(order)}
        return Matrix(
            simulated=simulated,
            host_class=host_class,
            scenario=slug_of(self._id),
            heading=heading(host_class),
            page=matrix_page(host_class, slug_of(self._id)),
            sources=tuple(
                Source(session=link(one), host=slug_of(one.host), commit=one.commit) for one in self.sources
            ),
            columns=tuple(
                column.model_copy(update=_decided(its, place)) for column, its, _ in taken.values()
            ),
            classes={
                access: TITLES[access] for access in dict.fromkeys(subjects[one] for one in order) if access
            },
            rows=tuple(
                MatrixRow(
                    subject=slug_of(subject),
                    short=self._names[subject][0],
                    mark=self._names[subject][1],
                    data_access=subjects[subject],
                    cells=tuple(
                        cells[subject][1] if subject in cells else None for _, _, cells in taken.values()
                    ),
                )
                for subject in order
            ),
            sparks=(),
        )

    def _column(
        self, measure: PhaseMetric
    ) -> tuple[Column, list[_Said], dict[str, tuple[AccessClass | None, Cell]]] | None:
        """The measure, what sessions say by it, and the cell of each subject; None where nobody has a steady figure."""
        base = deciding(self._sessions, self._id, measure)
        assert base is not None
        record = self._read(base.session)
        scenario, (phase, name) = record.plan.scenario(self._id), measure
        metric = METRICS[name]
        said = [
            _Said(one, found, ranks=one is base)
            for one in (base, *others(self._sessions, base, self._id, measure))
            if (found := self._found(one, scenario, phase, metric)) is not None
        ]
        rows: dict[str, tuple[_Said, Standing]] = {}
        for its in said:
            for row in its.found.everybody:
                if row.mean is not None and not row.warming_up:
                    rows.setdefault(row.subject, (its, row))
        if not any(row.data_access for _, row in rows.values()):
            return None
        unit = unit_of(metric.unit, [row.mean for _, row in rows.values() if row.mean is not None])
        leaders = {access: _leader(said[0].found, access) for access in said[0].found.classes}
        place = self._source(base)
        cells = {
            subject: (
                row.data_access,
                _cell(its, self._source(its.session), row, leaders.get(row.data_access or "unknown"), unit),
            )
            for subject, (its, row) in rows.items()
        }
        column = Column(
            source=place,
            phase=phase,
            metric=metric.name,
            title=metric.title,
            where=where(scenario, phase),
            symbol=unit.symbol,
            per=unit.per,
            better=metric.better or "lower",
            sound=metric.sound_on_small or record.host.host_class != "small",
            surely=(),
            alike=(),
        )
        return column, said, cells

    def _found(self, one: Digest, asked: Scenario, phase: str, metric: Metric) -> MetricStandings | None:
        """The standings of a session that measured the phase in the way that is asked for."""
        record = self._read(one.session)
        its = record.plan.scenario(self._id)
        alike = where(its, phase) == where(asked, phase)
        return in_record(record, its, phase, metric) if alike else None

    def _source(self, one: Digest) -> int:
        if one not in self.sources:
            self.sources.append(one)
        return self.sources.index(one)

    def _ordered(
        self,
        subjects: Mapping[str, AccessClass | None],
        columns: Sequence[Mapping[str, tuple[AccessClass | None, Cell]]],
    ) -> list[str]:
        """By class, then by the first measure: its ranks, then its ratios; the control last."""

        def key(subject: str) -> tuple[bool, int, bool, int, float, str]:
            access = subjects[subject]
            cell = columns[0][subject][1] if subject in columns[0] else None
            rank = None if cell is None else cell.rank
            far = math.inf if cell is None or cell.ratio is None else abs(math.log(cell.ratio))
            classes = list(TITLES)
            return (
                access is None,
                0 if access is None else classes.index(access),
                rank is None,
                rank or 0,
                far,
                subject,
            )

        return sorted(subjects, key=key) if columns else []


def _leader(found: MetricStandings, access: AccessClass) -> str | None:
    """The best of a class: the first of those that lead it, or the only one of it."""
    rows = [row for row in found.of_class(access) if row.mean is not None and not row.warming_up]
    first = [row for row in rows if row.rank == 1]
    return first[0].subject if first else None


def _cell(said: _Said, source: int, row: Standing, leader: str | None, unit: DisplayUnit) -> Cell:
    found = said.found
    best = next((one for one in found.rows if one.subject == leader and not one.warming_up), None)
    pair = None if best is None or best is row else found.between(row, best)
    word: CellWord = "best" if best is row else "apart" if pair is None else _WORDS[pair.verdict]
    ends = (
        (0.0, 0.0, 0.0)
        if pair is None
        else (pair.comparison.effect, pair.comparison.low, pair.comparison.high)
    )
    logs = ends if row.better == "higher" else (-ends[0], -ends[2], -ends[1])
    ratio, low, high = (None, None, None) if pair is None else (round(math.exp(one), 4) for one in logs)
    mean, *its = (None if one is None else one / unit.per for one in (row.mean, row.low, row.high))
    assert mean is not None and row.mean is not None
    ranks = [one.rank for one in found.of_class(row.data_access or "unknown")]
    return Cell(
        source=source,
        mean=row.mean,
        low=row.low,
        high=row.high,
        text=with_interval(mean, *its),
        rank=row.rank if said.ranks else None,
        tied=said.ranks and row.rank is not None and ranks.count(row.rank) > 1,
        ratio=1.0 if word == "best" else ratio,
        ratio_low=low,
        ratio_high=high,
        word=word,
        shade=_shade(word, ends[0]),
    )


def _shade(word: CellWord, effect: float) -> int | None:
    """By how far behind the best a cell is, where that is decided; `effect` is above zero where it is better."""
    if word in ("undecided", "apart"):
        return None
    return 0 if word != "behind" else sum(math.exp(-effect) > most for most in _SHADES)


def _decided(said: Sequence[_Said], place: Mapping[str, int]) -> dict[str, tuple[tuple[int, int], ...]]:
    """The pairs whose order is decided, and those that are alike, by the first session that compared them."""
    surely, alike, known = [], [], set()
    for its in said:
        rows = [row for row in its.found.rows if row.subject in place]
        for one, other in combinations(rows, 2):
            pair = its.found.between(one, other)
            name = frozenset((one.subject, other.subject))
            if pair is None or name in known:
                continue
            known.add(name)
            here = (place[one.subject], place[other.subject])
            if pair.verdict == "equivalent":
                alike.append(here)
            elif pair.verdict != "inconclusive":
                surely.append(here if pair.verdict == "faster" else here[::-1])
    return {"surely": tuple(sorted(surely)), "alike": tuple(sorted(alike))}
