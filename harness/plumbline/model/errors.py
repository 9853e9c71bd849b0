"""Errors as types: one sentence for the user, the next step, and the exit status.

Exit status 0 is done, 1 the answer is no, 2 used wrongly, 3 the whole could not go on.
"""

from __future__ import annotations


class PlumblineError(Exception):
    """An error that a user can act on. `problem` says what is wrong, `next_step` what to do about it."""

    exit_status = 3

    def __init__(self, problem: str, next_step: str = "") -> None:
        super().__init__(f"{problem} {next_step}".strip())
        self.problem = problem
        self.next_step = next_step


class UsageError(PlumblineError):
    """Used wrongly: an unknown name, a broken file, a host that lacks a package. Nothing was changed."""

    exit_status = 2


class AnswerIsNo(PlumblineError):
    """Done, and the answer is no: a trial invalid, a build failed, a record tampered with."""

    exit_status = 1


class CannotGoOn(PlumblineError):
    """The whole could not go on: the disk is full, there is no database, the warden is gone."""

    exit_status = 3
