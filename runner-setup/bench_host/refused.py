"""The error that says why nothing was done."""

from __future__ import annotations


class Refused(Exception):
    """The program was used wrongly, or this is no host for it: one sentence, and the next step. Nothing was changed."""

    def __init__(self, problem: str, next_step: str) -> None:
        super().__init__(f"{problem} {next_step}")
        self.problem, self.next_step = problem, next_step
