"""Describe what is wrong with a record: the first place where it differs, and the refusal to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from plumbline.model.errors import AnswerIsNo

Cause = Literal["unreadable", "manifest", "schema", "shape"]


@dataclass(frozen=True)
class RecordDifference:
    """The first place where a record is not what it says.

    `file` is below the session's folder. `metric` is the metric, the rule or the field; `recorded` and
    `recomputed` are its values in JSON, None where there is none.
    """

    problem: str
    file: str
    trial: int | None = None
    phase: str | None = None
    metric: str | None = None
    recorded: str | None = None
    recomputed: str | None = None

    @staticmethod
    def of_digest(path: str, stated: str | None, digest: str) -> RecordDifference:
        """Return the difference of a file that is not the file of the manifest."""
        if stated is None:
            return RecordDifference(f"{path} is not in the manifest.", path)
        problem = f"{path} has changed: its SHA-256 is {digest[:12]}…, and the manifest says {stated[:12]}…."
        return RecordDifference(problem, path, metric="sha256", recorded=stated, recomputed=digest)


class RecordRefused(AnswerIsNo):
    """A folder holds no record as this program writes records: `cause` is the kind, `difference` the first place."""

    def __init__(self, cause: Cause, difference: RecordDifference) -> None:
        super().__init__(difference.problem)
        self.cause: Cause = cause
        self.difference = difference


def first_problem(error: ValidationError) -> str:
    """Return the first problem with its place: `trials.3.verdict: Field required`."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
