"""Makes the page of studies: published figures beside the newest session that answers the same question."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.model.subject import slug_of
from plumbline.reporting.report.comparison_view import StudyFigure
from plumbline.reporting.report.parts.clean import clean
from plumbline.reporting.report.parts.naming import names
from plumbline.reporting.report.parts.study import study_answer
from plumbline.reporting.studies.published_figures import PublishedQuestion, PublishedStudy, studies
from plumbline.reporting.studies.replication import replications, unmeasured
from .digest import Digest
from .model.site import StudiesFile, Study, StudyTable
from .overview import Reader, link


def studies_file(digests: Sequence[Digest], read: Reader, simulated: bool) -> StudiesFile:
    """Return every study by question. `digests` go by time, `read` gives the record of a session."""
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


def _fullest(asked: PublishedQuestion, places: Sequence[tuple[Digest, str]]) -> Digest | None:
    """Return the newest of the sessions that have the most of the question's subjects; None where none has any."""
    subjects = {row.subject for row in asked.rows if row.subject is not None}

    def has(place: tuple[Digest, str]) -> int:
        one, scenario = place
        return sum(
            2 * (scenario in one.worst.get(its, ())) + (scenario in one.gaps.get(its, ())) for its in subjects
        )

    best = max(places, key=has, default=None)
    return None if best is None or not has(best) else best[0]


def _table(
    study: PublishedStudy, asked: PublishedQuestion, chosen: Digest | None, read: Reader
) -> StudyTable:
    if chosen is not None:
        record = read(chosen.session)
        for answered in replications(study, record, {}):
            if answered.asked == asked:
                answer = clean(study_answer(answered, names(record.plan), record.plan))
                refused = [_refused(chosen, row.subject, answered.scenario) for row in asked.rows]
                figures = tuple(map(_with_refusal, answer.figures, refused))
                words = {**dict(answer), "figures": figures}
                return StudyTable(**words, host=slug_of(chosen.host), session=link(chosen))
    return StudyTable(**dict(study_answer(unmeasured(asked), {}, None)), host=None, session=None)


def _refused(chosen: Digest, subject: str | None, scenario: str) -> str | None:
    """Return the reason where no trial of a subject counts."""
    return None if subject is None else chosen.gaps.get(subject, {}).get(scenario)


def _with_refusal(figure: StudyFigure, refused: str | None) -> StudyFigure:
    note = "; ".join(part for part in (figure.note, refused and f"refused: {refused}") if part)
    return figure.model_copy(update={"note": note})
