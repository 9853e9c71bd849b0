"""Errors as types: one sentence for the user, the next step, and the exit status.

Exit status 0: done; 1: the answer is no; 2: the command was used wrongly; 3: the command could not go on.
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
    """The command was used wrongly: an unknown name, a broken file, a package missing. Nothing was changed."""

    exit_status = 2


class AnswerIsNo(PlumblineError):
    """The command is done, and the answer is no: a trial is invalid, a build failed, a record was tampered with."""

    exit_status = 1


class CannotGoOn(PlumblineError):
    """The command could not go on: the disk is full, there is no database, the supervisor of processes is gone."""

    exit_status = 3
