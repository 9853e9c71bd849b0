"""Makes the page of studies: published figures beside the newest session that answers the same question."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.figures.metrics import METRICS
from plumbline.model.slugs import slug_of
from plumbline.report.parts.clean import clean_text
from plumbline.report.parts.numbers import plain
from plumbline.report.parts.study import study_table
from plumbline.report.parts.subjects import names
from plumbline.report.study_view import StudyRow
from plumbline.report.study_view import StudyTable as Answer
from plumbline.studies.beside import beside
from plumbline.studies.published_figures import Asked, studies
from plumbline.studies.published_figures import Study as Source
from .digest import Digest
from .model.studies import StudiesFile, Study, StudyFigure, StudyRuled, StudyRuling, StudyTable
from .overview import Reader, link

NOT_YET = "not yet"


def studies_file(digests: Sequence[Digest], read: Reader, simulated: bool) -> StudiesFile:
    """Every study, question by question. `digests` are in the order of time, `read` gives the record of a session."""
    newest: dict[str, list[tuple[Digest, str]]] = {}
    for one in reversed(digests):
        for scenario in one.scenarios:
            newest.setdefault(scenario.partition("@")[0], []).append((one, scenario))
    return StudiesFile(
        simulated=simulated,
        studies=tuple(
            Study(
                id=one.id,
                title=one.title,
                year=one.year,
                question=one.question,
                caught=one.caught,
                caveats=one.caveats,
                tables=tuple(
                    _table(one, asked, _fullest(asked, newest.get(asked.scenario, ())), read)
                    for asked in one.asked
                ),
                command=f"./bench run --suite {one.suite}",
            )
            for one in studies()
        ),
    )


def _fullest(asked: Asked, places: Sequence[tuple[Digest, str]]) -> Digest | None:
    """The newest of the sessions that have the most of the question's subjects; None where none has any."""
    subjects = {row.subject for row in asked.rows if row.subject is not None}

    def has(place: tuple[Digest, str]) -> int:
        one, scenario = place
        return sum(
            2 * (scenario in one.worst.get(its, ())) + (scenario in one.gaps.get(its, ())) for its in subjects
        )

    best = max(places, key=has, default=None)
    return None if best is None or not has(best) else best[0]


def _table(study: Source, asked: Asked, chosen: Digest | None, read: Reader) -> StudyTable:
    if chosen is not None:
        record = read(chosen.session)
        for answered in beside(study, record, {}):
            if answered.asked == asked:
                return _answered(
                    study_table(record, answered, names(record.plan)), asked, chosen, answered.scenario
                )
    metric = METRICS[asked.metric]
    return StudyTable(
        about=asked.about,
        metric=metric.title,
        where=asked.scenario,
        unit="",
        against="the first row" if asked.against == "first" else "the row before",
        summary="",
        why=asked.why,
        host=None,
        session=None,
        figures=tuple(_alone(asked, place) for place in range(len(asked.rows))),
        ruled=(),
    )


def _answered(table: Answer, asked: Asked, chosen: Digest, scenario: str) -> StudyTable:
    return StudyTable(
        about=table.about,
        metric=table.metric,
        where=clean_text(table.where),
        unit=table.unit,
        against=table.against,
        summary=table.summary,
        why=table.why,
        host=slug_of(chosen.host),
        session=link(chosen),
        figures=tuple(
            _figure(
                row, None if source.subject is None else chosen.gaps.get(source.subject, {}).get(scenario)
            )
            for row, source in zip(table.rows, asked.rows, strict=True)
        ),
        ruled=tuple(
            StudyRuled(
                system=one.system,
                said=tuple(
                    StudyRuling(rule=rule, outcome=outcome, reading=clean_text(reading))
                    for rule, outcome, reading in one.said
                ),
            )
            for one in table.rulings
        ),
    )


def _figure(row: StudyRow, refused: str | None) -> StudyFigure:
    """`refused` is the reason where no trial of the row counts."""
    return StudyFigure(
        system=row.system,
        subject=row.subject,
        published=row.published,
        published_ratio=row.published_ratio,
        measured=clean_text(row.measured),
        ratio=row.ratio,
        word=row.word,
        tone=row.tone,
        note=clean_text("; ".join(part for part in (row.note, refused and f"refused: {refused}") if part)),
    )


def _alone(asked: Asked, place: int) -> StudyFigure:
    """A row that nobody measured here yet."""
    row, other = asked.rows[place], asked.rows[0 if asked.against == "first" else max(place - 1, 0)]
    ratio = row.published / other.published if place and row.published and other.published else None
    later = " (later)" if row.source == "later" else ""
    return StudyFigure(
        system=row.system,
        subject=row.subject or "",
        published="" if row.published is None else f"{row.published:,.10g} {row.unit}{later}",
        published_ratio="" if ratio is None else plain(ratio),
        measured="not a subject here" if row.subject is None else NOT_YET,
        ratio="",
        word="",
        tone="",
        note=row.note,
    )
