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
from .deciding import scale_of
from .digest import Digest
from .model.site import StudiesFile, Study, StudyTable
from .overview import HOST_CLASSES, Reader, link


def studies_file(digests: Sequence[Digest], read: Reader, simulated: bool) -> StudiesFile:
    """Return every study, question by question. `digests` are in the order of time, `read` gives a session's record."""
    newest: dict[str, list[tuple[Digest, str]]] = {}
    for digest in reversed(digests):
        for scenario in digest.scenarios:
            newest.setdefault(scenario.partition("@")[0], []).append((digest, scenario))
    return StudiesFile(
        simulated=simulated,
        studies=tuple(
            Study(
                id=study.id,
                title=study.title,
                year=study.year,
                question=study.question,
                caught=study.caught,
                caveats=study.caveats,
                tables=tuple(
                    _table(study, question, _fullest(question, newest.get(question.scenario, ())), read)
                    for question in study.asked
                ),
                command=f"./bench run --suite {study.suite}",
            )
            for study in studies()
        ),
    )


def _fullest(question: PublishedQuestion, sessions: Sequence[tuple[Digest, str]]) -> Digest | None:
    """Return the session that answers a question best; None where no session has a subject of it.

    Sessions of a lab come first, then those at the whole scale, then those with the most subjects, then the newest.
    """
    subjects = {row.subject for row in question.rows if row.subject is not None}

    def coverage(session: tuple[Digest, str]) -> int:
        digest, scenario = session
        return sum(
            2 * (scenario in digest.worst.get(subject, ())) + (scenario in digest.gaps.get(subject, ()))
            for subject in subjects
        )

    def worth(session: tuple[Digest, str]) -> tuple[int, float, int]:
        digest, scenario = session
        return -HOST_CLASSES.index(digest.host_class), scale_of(scenario), coverage(session)

    best = max(filter(coverage, sessions), key=worth, default=None)
    return None if best is None else best[0]


def _table(study: PublishedStudy, question: PublishedQuestion, chosen: Digest | None, read: Reader) -> StudyTable:
    if chosen is not None:
        record = read(chosen.session)
        for answered in replications(study, record, {}):
            if answered.question == question:
                answer = clean(study_answer(answered, names(record.plan), record.plan))
                refused = [_refused(chosen, row.subject, answered.scenario) for row in question.rows]
                figures = tuple(map(_with_refusal, answer.figures, refused))
                words = {**dict(answer), "figures": figures}
                return StudyTable(**words, host=slug_of(chosen.host), session=link(chosen))
    return StudyTable(**dict(study_answer(unmeasured(question), {}, None)), host=None, session=None)


def _refused(chosen: Digest, subject: str | None, scenario: str) -> str | None:
    """Return the reason why no trial of a subject counts; None where a trial counts."""
    return None if subject is None else chosen.gaps.get(subject, {}).get(scenario)


def _with_refusal(figure: StudyFigure, refused: str | None) -> StudyFigure:
    note = "; ".join(part for part in (figure.note, refused and f"refused: {refused}") if part)
    return figure.model_copy(update={"note": note})
