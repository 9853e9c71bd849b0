"""Why a phase of load has no result."""

from __future__ import annotations

from typing import Literal

from plumbline.model.errors import AnswerIsNo

Why = Literal["died", "hung", "stopped", "script", "summary"]


class LoadFailed(AnswerIsNo):
    """k6 gave no result for a phase: the trial is invalid, the session goes on. `tail` is the end of k6's
    log.
    """

    def __init__(self, why: Why, problem: str, tail: tuple[str, ...] = ()) -> None:
        super().__init__(problem, "See k6's log of the phase in the session's folder.")
        self.why = why
        self.tail = tail
