"""Sets the published figures of a study beside the figures of a session that ran the suite of the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import Record
from plumbline.reporting.studies.published_figures import study_of
from plumbline.reporting.studies.replication import (
    ReplicatedFigure,
    Replication,
    RuleResult,
    Word,
    replications,
)
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.rules import RULES
from plumbline.verdicts.judge.wording import counted, listed
from ..comparison_view import StudyAnswer, StudyFigure, StudyRuled, StudyRuling, StudyView
from ..view import Name
from .naming import DisplayUnit, phase_in_words, plain_number, unit_of, with_interval

_TITLES = {rule.id: rule.title for rule in RULES}
_TONES: dict[Word, str] = {
    "agrees": "good",
    "larger here": "warn",
    "smaller here": "warn",
    "a difference here alone": "warn",
    "no difference shown here": "warn",
    "can't tell": "warn",
    "the other way round": "bad",
}
_OF_ONE_AND_MORE: dict[Word, tuple[str, str]] = {
    "agrees": ("agrees", "agree"),
    "larger here": ("has the same direction and is larger here", "have the published direction and are larger"),
    "smaller here": ("has the same direction and is smaller here", "have the published direction and are smaller"),
    "a difference here alone": ("was 1, and is not here", "were 1, and are not here"),
    "no difference shown here": ("shows no difference here", "show no difference here"),
    "the other way round": ("is the other way round here", "are the other way round"),
    "can't tell": ("can't be told with so few trials", "can't be told with so few trials"),
}
"""The sentences of an answer, each as it is said of a single ratio and of several."""


def study_view(record: Record, evidence: Mapping[int, Evidence], names: Mapping[str, Name]) -> StudyView | None:
    """Return the view of the study that a session ran; None for a suite without a study, and for a comparison."""
    study = study_of(record.plan.suite)
    if study is None or record.plan.comparison is not None:
        return None
    return StudyView(
        title=f"Study {study.id}: {study.title} ({study.year})",
        question=study.question,
        caveats=study.caveats,
        tables=tuple(
            study_answer(replication, names, record.plan) for replication in replications(study, record, evidence)
        ),
    )


def study_answer(replication: Replication, names: Mapping[str, Name], plan: Plan | None) -> StudyAnswer:
    """Return a question in words. `plan` is the plan of the session with the answer, None without such a session."""
    question = replication.question
    metric = METRICS[question.metric]
    unit = unit_of(metric.unit, [row.mean for row in replication.rows if row.mean is not None])
    reference = "the first row" if question.against == "first" else "the row before"
    measured = None if plan is None else phase_in_words(plan.scenario(replication.scenario), replication.phase)
    return StudyAnswer(
        about=question.about,
        metric=metric.title,
        where=replication.scenario if measured is None else f"{replication.scenario}, {measured}",
        unit=f"{unit.symbol}, {metric.better} is better" if metric.better else unit.symbol,
        against=reference,
        summary="" if plan is None else _summary(replication),
        why=question.why,
        figures=tuple(_figure(row, unit, names) for row in replication.rows),
        ruled=tuple(
            StudyRuled(system=row.row.system, said=tuple(_ruling(ruled) for ruled in row.rule_results))
            for row in replication.rows
            if row.rule_results
        ),
    )


def _figure(figure: ReplicatedFigure, unit: DisplayUnit, names: Mapping[str, Name]) -> StudyFigure:
    row = figure.row
    published = "" if row.published is None else f"{row.published:,.10g} {row.unit}"
    if row.source == "later":
        published += " (later)"
    notes = [row.note] if row.note else []
    if figure.missing:
        measured = figure.missing
    else:
        assert figure.mean is not None
        low, high = (None if value is None else value / unit.per for value in (figure.low, figure.high))
        measured = f"{with_interval(figure.mean / unit.per, low, high)} {unit.symbol}"
        if figure.invalid:
            notes.append(
                "its only trial is invalid"
                if figure.trials == 1
                else f"all {counted(figure.trials, 'trial')} are invalid"
            )
        elif figure.counted < figure.trials:
            notes.append(f"{figure.trials - figure.counted} of {counted(figure.trials, 'trial')} left out")
    subject = "" if row.subject is None else row.subject
    return StudyFigure(
        system=row.system,
        subject=names[subject].short if subject in names else subject,
        published=published,
        published_ratio="" if figure.published_ratio is None else plain_number(figure.published_ratio),
        measured=measured,
        ratio="" if figure.ratio is None else with_interval(figure.ratio, figure.ratio_low, figure.ratio_high),
        word=figure.word,
        tone=_TONES.get(figure.word, ""),
        note="; ".join(notes),
    )


def _ruling(ruled: RuleResult) -> StudyRuling:
    trials = "" if ruled.outcome == "pass" or not ruled.trials else f" ({counted(ruled.trials, 'trial')})"
    return StudyRuling(
        rule=f"{ruled.rule} {_TITLES.get(ruled.rule, '')}".strip(),
        outcome=ruled.outcome,
        reading=f"{ruled.reading}{trials}",
    )


def _summary(replication: Replication) -> str:
    """Return one sentence on how many of the published ratios agree, differ or can't be told."""
    words = Counter(row.word for row in replication.rows if row.word)
    total = sum(words.values())
    if not total:
        return "No published ratio can be set beside one of this session."
    said = {word: _OF_ONE_AND_MORE[word][count > 1] for word, count in words.items()}
    if total == 1:
        return f"The one ratio that was published {listed(said.values())}."
    if len(words) == 1:
        return f"All {total} ratios that were published: {listed(said.values())}."
    results = listed(f"{count} {said[word]}" for word, count in words.items())
    return f"Of {total} ratios that were published, {results}."
