"""Makes the matrix: every subject by every measure, each measure from the newest session that could decide it.

A cell shows the result of one session. The conditions of one night do not hold for another, so a ratio is to a leader
that ran in the same blocks, all ranks of a column are of one session, and a subject that ran beside no leader has
neither ratio nor rank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from plumbline.archive.record.claim import equivalent, heading
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.host import HostClass
from plumbline.model.plan import Scenario
from plumbline.model.record import Standing
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.naming import DisplayUnit, control_name, phase_in_words, unit_of, with_interval
from plumbline.verdicts.figures.metrics import METRICS, Metric
from .addresses import matrix_page
from .deciding import (
    deciding_session,
    measures_of,
    sessions_of_last_month,
    superseded,
    supplementing_sessions,
)
from .digest import Digest
from .measures import PhaseMetric
from .model.matrix import Cell, CellWord, Column, Matrix, MatrixRow, Source
from .overview import HOST_CLASSES, Reader, link
from .starts import WORDS
from .table import Nightly, sparks

_SHADES = (1.02, 1.1, 1.25, 1.5, 2.0)
"""Each shade reaches up to one of these factors to the best subject; the last shade is for all worse subjects."""

Names = Mapping[str, tuple[str, int | None]]
"""The short name and the mark of a subject, by its id."""


def matrices(
    digests: Sequence[Digest], nightly: Nightly, read: Reader, names: Names, simulated: bool
) -> Iterator[Matrix]:
    """Yield the matrix of each class of hosts and scenario with a trial that counts; newest versions come first.

    `digests` are in the order of time.
    """
    ids = {slug_of(id_): id_ for id_ in names}
    grouped: dict[tuple[HostClass, str], list[Digest]] = {}
    for digest in digests:
        for scenario in digest.counting:
            grouped.setdefault((digest.host_class, scenario), []).append(digest)
    old = superseded(scenario for _, scenario in grouped)
    order = sorted(grouped, key=lambda key: (HOST_CLASSES.index(key[0]), key[1] in old, key[1]))
    for host_class, scenario in order:
        counting = grouped[host_class, scenario]
        maker = _Making(sessions_of_last_month(counting), scenario, nightly, read, names)
        matrix = maker.matrix(host_class, simulated)
        if matrix.columns:
            hosts = [digest.host for digest in maker.sources]
            charts = sparks(matrix, hosts, scenario, ids, nightly)
            yield matrix.model_copy(update={"sparks": tuple(charts)})


@dataclass(frozen=True)
class _Said:
    """The standings of a session by one measure. `ranks` says whether the column takes its ranks from this session."""

    session: Digest
    found: MetricStandings
    ranks: bool


class _Making:
    """Makes one matrix of `sessions`, which are in the order of time. `sources` are those that gave a cell so far."""

    def __init__(self, sessions: Sequence[Digest], scenario: str, nightly: Nightly, read: Reader, names: Names) -> None:
        self._sessions, self._id, self._nightly, self._read, self._names = sessions, scenario, nightly, read, names
        self.sources: list[Digest] = []

    def matrix(self, host_class: HostClass, simulated: bool) -> Matrix:
        """Return the document of the matrix."""
        columns = {
            measure: column_parts
            for measure in measures_of(self._sessions, self._id)
            if (column_parts := self._column(measure)) is not None
        }
        subjects: dict[str, AccessClass | None] = {}
        for _, _, cells in columns.values():
            subjects.update({subject: access for subject, (access, _) in cells.items()})
        order = self._ordered(subjects, [cells for _, _, cells in columns.values()])
        place = {subject: index for index, subject in enumerate(order)}
        of_control = control_name(self._read(self._sessions[-1].session).plan.scenario(self._id))
        return Matrix(
            simulated=simulated,
            host_class=host_class,
            scenario=slug_of(self._id),
            heading=heading(host_class),
            page=matrix_page(host_class, slug_of(self._id)),
            sources=tuple(
                Source(session=link(digest), host=slug_of(digest.host), commit=digest.commit) for digest in self.sources
            ),
            columns=tuple(
                column.model_copy(update=_decided(results, place)) for column, results, _ in columns.values()
            ),
            classes={
                access: TITLES[access] for access in dict.fromkeys(subjects[subject] for subject in order) if access
            },
            rows=tuple(
                MatrixRow(
                    subject=slug_of(subject),
                    short=of_control if subjects[subject] is None else self._names[subject][0],
                    mark=self._names[subject][1],
                    data_access=subjects[subject],
                    cells=tuple(cells[subject][1] if subject in cells else None for _, _, cells in columns.values()),
                )
                for subject in order
            ),
            sparks=(),
        )

    def _column(
        self, measure: PhaseMetric
    ) -> tuple[Column, list[_Said], dict[str, tuple[AccessClass | None, Cell]]] | None:
        """Return the column, the results of its sessions, and each subject's cell; None without any steady figure."""
        base = deciding_session(self._sessions, self._id, measure)
        assert base is not None
        record = self._read(base.session)
        scenario, (phase, name) = record.plan.scenario(self._id), measure
        metric = METRICS[name]
        results = [
            _Said(digest, standings, ranks=digest is base)
            for digest in (base, *supplementing_sessions(self._sessions, base, self._id, measure))
            if (standings := self._standings_of(digest, scenario, phase, metric)) is not None
        ]
        rows: dict[str, tuple[_Said, Standing]] = {}
        for result in results:
            for row in result.found.everybody:
                if row.mean is not None and not row.warming_up:
                    rows.setdefault(row.subject, (result, row))
        if not any(row.data_access for _, row in rows.values()):
            return None
        unit = unit_of(metric.unit, [row.mean for _, row in rows.values() if row.mean is not None])
        leaders = {access: _leader(results[0].found, access) for access in results[0].found.classes}
        place = self._index_of_source(base)
        cells = {
            subject: (
                row.data_access,
                _cell(
                    result,
                    self._index_of_source(result.session),
                    row,
                    leaders.get(row.data_access or "unknown"),
                    unit,
                    self._nightly.trend((result.session.host, subject, self._id, phase, name)),
                ),
            )
            for subject, (result, row) in rows.items()
        }
        column = Column(
            source=place,
            phase=phase,
            metric=metric.name,
            title=metric.title,
            where=phase_in_words(scenario, phase),
            symbol=unit.symbol,
            per=unit.per,
            better=metric.better or "lower",
            sound=metric.sound_on_small or record.host.host_class != "small",
            surely=(),
            alike=(),
        )
        return column, results, cells

    def _standings_of(
        self, digest: Digest, asked_scenario: Scenario, phase: str, metric: Metric
    ) -> MetricStandings | None:
        """Return the standings of a session; None where it measured the phase otherwise than the scenario asks for."""
        record = self._read(digest.session)
        planned = record.plan.scenario(self._id)
        alike = phase_in_words(planned, phase) == phase_in_words(asked_scenario, phase)
        return in_record(record, planned, phase, metric) if alike else None

    def _index_of_source(self, digest: Digest) -> int:
        if digest not in self.sources:
            self.sources.append(digest)
        return self.sources.index(digest)

    def _ordered(
        self,
        subjects: Mapping[str, AccessClass | None],
        columns: Sequence[Mapping[str, tuple[AccessClass | None, Cell]]],
    ) -> list[str]:
        """Return the subjects by class, then by rank and ratio in the first measure; the control comes last."""

        def key(subject: str) -> tuple[bool, int, bool, int, float, str]:
            access = subjects[subject]
            cell = columns[0][subject][1] if subject in columns[0] else None
            rank = None if cell is None else cell.rank
            distance = math.inf if cell is None or cell.ratio is None else abs(math.log(cell.ratio))
            classes = list(TITLES)
            return (
                access is None,
                0 if access is None else classes.index(access),
                rank is None,
                rank or 0,
                distance,
                subject,
            )

        return sorted(subjects, key=key) if columns else []


def _leader(standings: MetricStandings, access: AccessClass) -> str | None:
    """Return the leader with the best mean, the base of a class's ratios; None where no subject has rank 1."""
    rows = [row for row in standings.of_class(access) if row.mean is not None and not row.warming_up]
    leaders = [row for row in rows if row.rank == 1]
    return leaders[0].subject if leaders else None


def _cell(result: _Said, source: int, row: Standing, leader: str | None, unit: DisplayUnit, trend: str | None) -> Cell:
    standings = result.found
    best = next((other for other in standings.rows if other.subject == leader and not other.warming_up), None)
    pair = None if best is None or best is row else standings.between(row, best)
    members = standings.of_class(row.data_access or "unknown")
    sharing = [other for other in members if result.ranks and row.rank is not None and other.rank == row.rank]
    word: CellWord = "best" if best is row else "apart" if pair is None else WORDS[pair.verdict]
    if row.rank == 1 and not equivalent(standings, sharing):
        word = "undecided"
    logs = (None, None, None) if pair is None else pair.comparison.log_ratios(row.better)
    ratio, low, high = (None if log is None else round(math.exp(log), 4) for log in logs)
    mean, *ends = (None if figure is None else figure / unit.per for figure in (row.mean, row.low, row.high))
    assert mean is not None and row.mean is not None
    return Cell(
        source=source,
        mean=row.mean,
        low=row.low,
        high=row.high,
        text=with_interval(mean, *ends),
        rank=row.rank if result.ranks else None,
        tied=len(sharing) > 1,
        ratio=1.0 if best is row else ratio,
        ratio_low=low,
        ratio_high=high,
        word=word,
        shade=_shade(word, 0.0 if pair is None else pair.comparison.effect),
        trend=trend,
    )


def _shade(word: CellWord, effect: float) -> int | None:
    """Return the shade of a cell by its distance behind the best; None where the order is not decided.

    `effect` is above zero where the cell is better.
    """
    if word in ("undecided", "apart"):
        return None
    return 0 if word != "behind" else sum(math.exp(-effect) > most for most in _SHADES)


def _decided(results: Sequence[_Said], place: Mapping[str, int]) -> dict[str, tuple[tuple[int, int], ...]]:
    """Return the pairs of rows with a decided order, and the equivalent pairs, by the first session with both."""
    surely, alike, compared = [], [], set()
    for result in results:
        rows = [row for row in result.found.rows if row.subject in place]
        for row, other in combinations(rows, 2):
            pair = result.found.between(row, other)
            ids = frozenset((row.subject, other.subject))
            if pair is None or ids in compared:
                continue
            compared.add(ids)
            places = (place[row.subject], place[other.subject])
            if pair.verdict == "equivalent":
                alike.append(places)
            elif pair.verdict != "inconclusive":
                surely.append(places if pair.verdict == "faster" else places[::-1])
    return {"surely": tuple(sorted(surely)), "alike": tuple(sorted(alike))}
