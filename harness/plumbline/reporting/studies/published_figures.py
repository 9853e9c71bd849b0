"""`published/NNN.toml`: the figures of a study, as data."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from plumbline.model.base import Frozen
from plumbline.subjects.catalog.reading import read_toml
from plumbline.verdicts.figures.metrics import METRICS


class PublishedRow(Frozen):
    """A system in a question of a study. `published` is in `unit`, as the source wrote it; `subject` is the subject
    that stands for the system here.

    `source` says who published: the study itself (`seed`), or somebody later. `rules` are those that the referee should
    be asked about the row. A row without `published` is only of ours, a row without `subject` only of theirs.
    """

    system: str
    subject: str | None = None
    published: float | None = None
    unit: str | None = None
    source: Literal["seed", "later"] | None = None
    note: str = ""
    rules: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> PublishedRow:
        absences = {self.published is None, self.unit is None, self.source is None}
        if len(absences) != 1:
            raise ValueError("'published', 'unit' and 'source' belong together")
        if self.subject is None and self.published is None:
            raise ValueError("it names neither a subject nor a published figure")
        return self


class PublishedQuestion(Frozen):
    """A question of a study: a metric of a phase (by its name or kind) under a scenario (by its name).

    Each row is set against the first row, or against the row before it. `why` says where and why the ratios may differ.
    """

    about: str
    scenario: str
    phase: str
    metric: str
    against: Literal["first", "previous"] = "first"
    why: str
    rows: tuple[PublishedRow, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_a_metric(self) -> PublishedQuestion:
        if self.metric not in METRICS:
            raise ValueError(f"'{self.metric}' is no metric")
        return self


class PublishedStudy(Frozen):
    """A study: what it asked, the mistakes that a referee would have caught, and what keeps figures apart.

    `suite` measures the study here; `also_in` names the suites of other databases, since a session has one database.
    """

    id: str = Field(pattern=r"^[0-9]{3}$")
    title: str
    year: str
    suite: str
    also_in: tuple[str, ...] = ()
    question: str
    caught: tuple[str, ...]
    caveats: tuple[str, ...]
    asked: tuple[PublishedQuestion, ...] = Field(min_length=1)


@cache
def studies() -> tuple[PublishedStudy, ...]:
    """Return all studies, by id."""
    folder = Path(str(files("plumbline.reporting.studies") / "published"))
    return tuple(read_toml(path, PublishedStudy, f"studies/{path.name}") for path in sorted(folder.glob("*.toml")))


def study_of(suite: str) -> PublishedStudy | None:
    """Return the study to which a suite belongs; None for every other suite."""
    return next((study for study in studies() if suite in (study.suite, *study.also_in)), None)
