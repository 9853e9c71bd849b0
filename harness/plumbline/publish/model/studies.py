"""The seed studies: what was published beside what is measured here."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.finding import Outcome
from .base import Document, Link


class StudyFigure(Frozen):
    """One system, in words as they are shown; a text is empty where there is nothing to show.

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
    """What the referee said of one system."""

    rule: str
    outcome: Outcome
    reading: str


class StudyRuled(Frozen):
    """The rules that a system was asked about."""

    system: str
    said: tuple[StudyRuling, ...]


class StudyTable(Frozen):
    """One question. `against` says what ratios are to; `session` is the one measured, None until there is one."""

    about: str
    metric: str
    where: str
    unit: str
    against: str
    summary: str
    why: str
    host: str | None
    session: Link | None
    figures: tuple[StudyFigure, ...]
    ruled: tuple[StudyRuled, ...]


class Study(Frozen):
    """One study: what it asked, the mistakes a referee would have caught, and what keeps figures apart.

    `command` measures it again.
    """

    id: str
    title: str
    year: str
    question: str
    caught: tuple[str, ...]
    caveats: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    command: str


class StudiesFile(Document):
    """`api/v1/studies.json`."""

    kind: Literal["studies"] = "studies"
    studies: tuple[Study, ...]
