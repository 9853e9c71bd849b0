"""The shapes of a study in a report and on the page of studies: published figures beside measured ones."""

from __future__ import annotations

from plumbline.model.base import Frozen
from plumbline.model.record import Outcome


class StudyFigure(Frozen):
    """A system of a study, in words as they are shown; a text is empty where there is nothing to show.

    `word` says how the ratio here relates to the published one, `tone` is good, warn or bad.
    """

    system: str
    subject: str
    published: str
    published_ratio: str
    measured: str
    ratio: str
    word: str
    tone: str
    note: str


class StudyRuling(Frozen):
    """The finding of a rule on a system of a study: the rule with its title, the outcome, a reading of it."""

    rule: str
    outcome: Outcome
    reading: str


class StudyRuled(Frozen):
    """The rules that a system was asked about."""

    system: str
    said: tuple[StudyRuling, ...]


class StudyAnswer(Frozen):
    """The view of one question. `against` says what ratios are to, `summary` how the ratios here relate to the
    published ones.
    """

    about: str
    metric: str
    where: str
    unit: str
    against: str
    summary: str
    why: str
    figures: tuple[StudyFigure, ...]
    ruled: tuple[StudyRuled, ...]


class StudyView(Frozen):
    """A study beside this session."""

    title: str
    question: str
    caveats: tuple[str, ...]
    tables: tuple[StudyAnswer, ...]
