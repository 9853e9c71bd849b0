"""The end of a command that could not do what was asked: one sentence, the next step, and an exit status."""

from __future__ import annotations

import errno
import json
import re
import sys
import tempfile
import traceback
from typing import NamedTuple, NoReturn

import click

from plumbline.model.errors import PlumblineError
from plumbline.model.text import printable
from .streams import discard

# Nobody reads a number of four hundred digits; every path that is in use has fewer letters.
_LONG_WORD = re.compile(r"\S{300,}")


class Ending(NamedTuple):
    """The last words of a command and its exit status."""

    problem: str
    next_step: str
    status: int


def ending_of(error: BaseException, *, resumable: bool) -> Ending:
    """Put an error into words. The traceback of an unexpected error is written into a file.

    `resumable` says whether the command has --resume.
    """
    if isinstance(error, click.exceptions.Abort | KeyboardInterrupt):
        return Ending("Interrupted.", "", 3)
    if isinstance(error, click.ClickException):
        usage = "" if not isinstance(error, click.UsageError) or error.ctx is None else error.ctx.command_path
        problem = " ".join(error.format_message().split())
        return Ending(problem, f"See `./{usage} --help`." if usage else "", 2)
    if isinstance(error, PlumblineError):
        return Ending(error.problem, error.next_step, error.exit_status)
    if isinstance(error, OSError):
        return _ending_of_system_error(error, resumable)
    mistake = f"This is a mistake of Plumbline itself: {type(error).__name__}: {error}"
    step = f"Where it happened stands in {_write_traceback(error)}: please report it with that file."
    return Ending(mistake, step, 3)


def _ending_of_system_error(error: OSError, resumable: bool) -> Ending:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        again = "go on by --resume" if resumable else "run it again"
        return Ending("The disk is full.", f"Free some space (`./bench clean` shows ours), then {again}.", 3)
    if error.filename is not None and error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return Ending(f"{error.filename} may not be written or read.", "Work in a checkout of your own.", 2)
    if error.filename is not None and error.errno == errno.ENAMETOOLONG:
        return Ending(f"{error.filename} is too long for the name of a file.", "Name a file or a folder.", 2)
    return Ending(f"The system refused {error.filename or 'something'}: {error.strerror or error}.", "", 3)


def _write_traceback(error: BaseException) -> str:
    """Write the traceback of an error into a file of its own, and return the name of the file."""
    with tempfile.NamedTemporaryFile("w", prefix="plumbline-", suffix=".txt", delete=False) as file:
        file.write("".join(traceback.format_exception(error)))
    return file.name


def leave(ending: Ending, wants_json: bool) -> NoReturn:
    """Say how the command ended, and end it."""
    problem = _LONG_WORD.sub(lambda match: f"{match[0][:60]}…", ending.problem)
    if not problem.endswith((".", "?", "!", "…")):
        problem += "."
    document = {"error": problem, "next_step": ending.next_step, "exit": ending.status}
    words = printable(f"bench: {problem} {ending.next_step}".rstrip())
    for stream, text in ((sys.stderr, f"{words}\n"), (sys.stdout, f"{json.dumps(document)}\n" if wants_json else "")):
        try:
            stream.write(text)
            stream.flush()
        except OSError:
            # The terminal may be gone, or the disk full. Python would fail again at its end, with a status of its own.
            discard(stream)
    raise SystemExit(ending.status) from None
