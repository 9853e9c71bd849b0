"""The interface of a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from plumbline.measuring.build.builder import Builder
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.variant import Variant
from ..step_context import StepContext


@dataclass(frozen=True)
class Lacking:
    """Why a subject lacks a step: its kind has no such step (`none`), or a tool is missing (`unavailable`)."""

    kind: Literal["none", "unavailable"]
    why: str


@dataclass(frozen=True)
class StepResult:
    """The values of a run by metric, and the command that was run."""

    values: dict[str, float]
    command_line: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A step of the life cycle. `metrics` has a report's words for each metric of `run`, which raises AnswerIsNo."""

    name: str
    about: str
    metrics: dict[str, str]
    lacking: Callable[[Subject, Variant, Builder], Lacking | None]
    run: Callable[[StepContext], StepResult]
