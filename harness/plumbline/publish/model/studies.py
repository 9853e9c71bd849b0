"""The seed studies: what was published beside what is measured here."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from .base import Document, Link


class Measured(Frozen):
    """The newest measurement of the same question, in the shown unit, with the session it is of."""

    text: str
    host: str
    session: Link


class StudyFigure(Frozen):
    """One published figure. `subject` is the system that keeps its row here; `measured` is None until it was measured.

    `note` says why the two can't be set side by side, as far as they can't.
    """

    system: str
    subject: str | None
    what: str
    published: str
    measured: Measured | None
    note: str


class Study(Frozen):
    """One study: what it asked, what it found, and the mistakes a referee would have caught."""

    id: str
    title: str
    year: str
    question: str
    caught: tuple[str, ...]
    figures: tuple[StudyFigure, ...]


class StudiesFile(Document):
    """`api/v1/studies.json`."""

    kind: Literal["studies"] = "studies"
    studies: tuple[Study, ...]
