"""The seed studies: what was published beside what is measured here."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from .base import Document, Link


class Measured(Frozen):
    """The newest measurement of the same question, in the shown unit, with the session it is of.

    `ratio` is over the measured figure of the row that the table is set against, where both are of one session. With
    `refused` no trial counts, and `text` is the referee's reason.
    """

    text: str
    refused: bool
    ratio: float | None
    host: str
    session: Link


class StudyFigure(Frozen):
    """One published figure. `subject` is the one that is asked the same here; `measured` is None until it was.

    `ratio` is over the published figure of the row that the table is set against. `note` says what to mind.
    """

    system: str
    subject: str | None
    published: str
    ratio: float | None
    measured: Measured | None
    note: str


class StudyTable(Frozen):
    """Figures of one measure, set against the one of the system `against`."""

    what: str
    scenario: str
    metric: str
    against: str
    figures: tuple[StudyFigure, ...]


class Study(Frozen):
    """One study: what it asked, what it found, and the mistakes a referee would have caught.

    `command` measures it again.
    """

    id: str
    title: str
    year: str
    question: str
    caught: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    command: str


class StudiesFile(Document):
    """`api/v1/studies.json`."""

    kind: Literal["studies"] = "studies"
    studies: tuple[Study, ...]
