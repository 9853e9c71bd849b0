"""The views of a comparison, of a session that was run again, and of a study.

Ratios are head over base; texts are plain and not yet escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.record import Outcome

Tone = Literal["better", "worse", "same", "open"]
"""The meaning of a verdict for head."""


@dataclass(frozen=True)
class AnswerView:
    """The view of the answer to one question. `change`, `low` and `high` are in percent, above zero where the figure of
    head is larger than the figure of base.
    """

    title: str
    where: str
    better: str
    primary: bool
    verdict: str
    tone: Tone
    ratio: str
    interval: str
    change: float | None
    low: float | None
    high: float | None
    detectable: str
    p: str
    pairs: int
    note: str


@dataclass(frozen=True)
class PairRow:
    """The view of one pair: its block, order and trials, and by each leading metric base, head and their ratio."""

    block: int
    order: str
    base: int
    head: int
    figures: tuple[tuple[str, str, str], ...]
    used: bool
    reason: str


@dataclass(frozen=True)
class ContestView:
    """Two subjects under one scenario. `headings` name the metrics of the pairs' figures."""

    title: str
    scenario: str
    operation: str
    phases: str
    primary: tuple[AnswerView, ...]
    secondary: tuple[AnswerView, ...]
    headings: tuple[str, ...]
    pairs: tuple[PairRow, ...]
    unused: int


@dataclass(frozen=True)
class ComparisonView:
    """The view of a comparison: `facts` are (label, value) of sides, design and end; `notes` are sentences."""

    sentence: str
    fails: bool
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    contests: tuple[ContestView, ...]


class AgreementRow(Frozen):
    """A ratio in the repeated session and in this one; `tone` is better (agrees), worse (disagrees) or open."""

    title: str
    where: str
    scenario: str
    subject: str
    against: str
    theirs: str
    ours: str
    difference: str
    detectable: str
    word: str
    tone: str


class ReproductionView(Frozen):
    """A session that was run again: the result in a sentence, the facts of the repeated session, and each ratio."""

    sentence: str
    facts: tuple[tuple[str, str], ...]
    rows: tuple[AgreementRow, ...]


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
    """The view of one question of a study. `against` names the row that ratios are relative to, `summary` says how the
    ratios here relate to the published ratios.
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
    """A study, with the figures of this session beside the published figures."""

    title: str
    question: str
    caveats: tuple[str, ...]
    tables: tuple[StudyAnswer, ...]
