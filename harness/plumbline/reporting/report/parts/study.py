"""The study whose suite was run, beside what was measured."""

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
    Ruled,
    Word,
    better,
    replications,
)
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.rules import RULES
from plumbline.verdicts.judge.wording import counted, listed
from ..comparison_view import StudyAnswer, StudyFigure, StudyRuled, StudyRuling, StudyView
from ..view import Name
from .naming import DisplayUnit, plain, unit_of, where, with_interval

_TITLES = {rule.id: rule.title for rule in RULES}
_TONES: dict[Word, str] = {
    "agrees": "good",
    "larger here": "warn",
    "smaller here": "warn",
    "can't tell": "warn",
    "the other way round": "bad",
}
_SAID: dict[Word, str] = {
    "agrees": "agree",
    "larger here": "have the published direction and are larger",
    "smaller here": "have the published direction and are smaller",
    "the other way round": "are the other way round",
    "can't tell": "can't be told with so few trials",
}


def study_view(
    record: Record, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> StudyView | None:
    """Return the study of a session's suite; None for a session of any other suite, and for a comparison."""
    study = study_of(record.plan.suite)
    if study is None or record.plan.comparison is not None:
        return None
    return StudyView(
        title=f"Study {study.id}: {study.title} ({study.year})",
        question=study.question,
        caveats=study.caveats,
        tables=tuple(study_answer(one, names, record.plan) for one in replications(study, record, evidence)),
    )


def study_answer(answered: Replication, names: Mapping[str, Name], plan: Plan | None) -> StudyAnswer:
    """Return a question in words. `plan` is of the session that answers the question, None if none does."""
    asked = answered.asked
    metric = METRICS[asked.metric]
    unit = unit_of(metric.unit, [row.mean for row in answered.rows if row.mean is not None])
    first = "the first row" if asked.against == "first" else "the row before"
    direction = better(asked.metric)
    measured = None if plan is None else where(plan.scenario(answered.scenario), answered.phase)
    return StudyAnswer(
        about=asked.about,
        metric=metric.title,
        where=answered.scenario if measured is None else f"{answered.scenario}, {measured}",
        unit=f"{unit.symbol}, {direction} is better" if direction else unit.symbol,
        against=first,
        summary="" if plan is None else _summary(answered),
        why=asked.why,
        figures=tuple(_figure(row, unit, names) for row in answered.rows),
        ruled=tuple(
            StudyRuled(system=row.row.system, said=tuple(_ruling(one) for one in row.ruled))
            for row in answered.rows
            if row.ruled
        ),
    )


def _figure(one: ReplicatedFigure, unit: DisplayUnit, names: Mapping[str, Name]) -> StudyFigure:
    row = one.row
    published = "" if row.published is None else f"{row.published:,.10g} {row.unit}"
    if row.source == "later":
        published += " (later)"
    notes = [row.note] if row.note else []
    if one.missing:
        measured = one.missing
    else:
        assert one.mean is not None
        low, high = (None if value is None else value / unit.per for value in (one.low, one.high))
        measured = f"{with_interval(one.mean / unit.per, low, high)} {unit.symbol}"
        if one.invalid:
            notes.append(
                "its only trial is invalid"
                if one.trials == 1
                else f"all {counted(one.trials, 'trial')} are invalid"
            )
        elif one.counted < one.trials:
            notes.append(f"{one.trials - one.counted} of {counted(one.trials, 'trial')} left out")
    subject = "" if row.subject is None else row.subject
    return StudyFigure(
        system=row.system,
        subject=names[subject].short if subject in names else subject,
        published=published,
        published_ratio="" if one.published_ratio is None else plain(one.published_ratio),
        measured=measured,
        ratio=_ratio(one),
        word=one.word,
        tone=_TONES.get(one.word, ""),
        note="; ".join(notes),
    )


def _ratio(one: ReplicatedFigure) -> str:
    """Return a ratio with both ends: its interval is lopsided, and of few trials it spans powers of ten."""
    if one.ratio is None:
        return ""
    if one.ratio_low is None or one.ratio_high is None:
        return plain(one.ratio)
    return f"{plain(one.ratio)} ({plain(one.ratio_low, 2)} to {plain(one.ratio_high, 2)})"


def _ruling(one: Ruled) -> StudyRuling:
    many = "" if one.outcome == "pass" or not one.trials else f" ({counted(one.trials, 'trial')})"
    return StudyRuling(
        rule=f"{one.rule} {_TITLES.get(one.rule, '')}".strip(),
        outcome=one.outcome,
        reading=f"{one.reading}{many}",
    )


def _summary(answered: Replication) -> str:
    """Return how many of the published ratios came out how, in one sentence."""
    words = Counter(row.word for row in answered.rows if row.word)
    total = sum(words.values())
    if not total:
        return "No published ratio can be set beside one of this session."
    if len(words) == 1:
        ((word, _),) = words.items()
        whole = (
            "The one ratio that was published" if total == 1 else f"All {total} ratios that were published"
        )
        return f"{whole}: {_SAID[word]}." if total > 1 else f"{whole} {_singular(word)}."
    each = listed(
        f"{count} {_singular(word) if count == 1 else _SAID[word]}" for word, count in words.items()
    )
    return f"Of {total} ratios that were published, {each}."


def _singular(word: Word) -> str:
    return {
        "agrees": "agrees",
        "larger here": "has the same direction and is larger here",
        "smaller here": "has the same direction and is smaller here",
        "the other way round": "is the other way round here",
        "can't tell": "can't be told with so few trials",
    }[word]
