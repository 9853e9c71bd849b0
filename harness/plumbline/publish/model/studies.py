"""The seed studies: what was published beside what is measured here."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.report.study_view import StudyAnswer
from .base import Document, Link


class StudyTable(StudyAnswer):
    """A question of a study. `session` is the session that answers it, None until there is such a session."""

    host: str | None
    session: Link | None


class Study(Frozen):
    """A study: its question, the mistakes that a referee would have caught, and what keeps figures apart.

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
