"""What a report shows of a study: published figures beside measured ones."""

from __future__ import annotations

from dataclasses import dataclass

from plumbline.model.finding import Outcome


@dataclass(frozen=True)
class StudyRow:
    """One system. Texts are empty where there is nothing to show; `tone` is good, warn or bad."""

    system: str
    subject: str
    published: str
    published_ratio: str
    measured: str
    ratio: str
    word: str
    tone: str
    note: str


@dataclass(frozen=True)
class StudyRuling:
    """What the referee said of one row, rule by rule: (rule and its title, outcome, a reading of it)."""

    system: str
    said: tuple[tuple[str, Outcome, str], ...]


@dataclass(frozen=True)
class StudyTable:
    """One question. `against` says what ratios are to, `summary` how the ratios here relate to the published ones."""

    about: str
    metric: str
    where: str
    unit: str
    against: str
    summary: str
    why: str
    rows: tuple[StudyRow, ...]
    rulings: tuple[StudyRuling, ...]


@dataclass(frozen=True)
class StudyView:
    """A study beside this session."""

    title: str
    question: str
    caveats: tuple[str, ...]
    tables: tuple[StudyTable, ...]
