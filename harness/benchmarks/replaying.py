"""Shared parts of benchmarks that replay recorded sessions: their arguments, and the output to docs/promises.md."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from laboratory.promises.page import PAGE, write_part
from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.layout import session_folders
from plumbline.archive.record.read import read_record, read_session
from plumbline.model.errors import PlumblineError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Phase, Scenario
from plumbline.model.record import Record
from plumbline.verdicts.figures.steady import loaded_seconds, warm_ups_before

ROOT = PAGE.parent.parent
PAGE_WIDTH = 116


def parser(about: str | None) -> ArgumentParser:
    """Return a parser of the arguments FOLDER... and --write; `about` is the benchmark's docstring."""
    argument_parser = ArgumentParser(
        prog=sys.argv[0], description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    argument_parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    argument_parser.add_argument("--write", action="store_true", help="put the result into docs/promises.md")
    return argument_parser


def tell(arguments: Namespace, title: str, text_of: Callable[[Sequence[Path]], str]) -> int:
    """Print the text that `text_of` makes of the folders; --write puts it into docs/promises.md under `title`.

    Returns 0, or 2 if the folders can't be used.
    """
    try:
        text = text_of(arguments.folders)
    except PlumblineError as error:
        print(error, file=sys.stderr)
        return 2
    print(text)
    if arguments.write:
        write_part(PAGE, title, text)
    return 0


def real_sessions(folders: Iterable[Path]) -> list[tuple[Path, Record]]:
    """Return folders and records of all sessions below the folders, without made-up sessions."""
    sessions = [
        (session_folder, read_record(session_folder))
        for parent in folders
        for session_folder in session_folders(parent)
    ]
    return [(folder, record) for folder, record in sessions if not record.plan.simulated]


def judged_anew(sessions: Iterable[Path]) -> Iterator[tuple[Record, Mapping[int, Evidence]]]:
    """Yield the record of each session's folder, with all derived values computed anew, and its evidence by trial.

    So the figures and rules of this checkout decide, not those of the day on which a session ran. Raises RecordRefused
    for a session whose evidence is missing or can't be read.
    """
    for folder in sessions:
        record, evidence = read_session(folder)
        yield assembled_again(record, evidence), evidence


def rates_of(closed: Phase, scenario: Scenario, evidence: Evidence) -> list[float] | None:
    """Return the requests per second in each second of load up to the end of the closed phase; None if not known."""
    seconds = loaded_seconds(closed, warm_ups_before(closed, scenario), evidence)
    return None if seconds is None else [second.rate for second in seconds]


def costs_of(closed: Phase, scenario: Scenario, evidence: Evidence) -> list[float] | None:
    """Return the application's CPU time per request, in microseconds, in each of the same seconds; None if the cost of
    any second is not known.
    """
    seconds = loaded_seconds(closed, warm_ups_before(closed, scenario), evidence) or []
    costs = [second.cost for second in seconds if second.cost is not None]
    return costs if seconds and len(costs) == len(seconds) else None


def written_by(benchmark: str, folders: Iterable[Path]) -> str:
    """Return the sentence that names the command by which a part of the page was written."""
    names = (
        path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        for path in (folder.resolve() for folder in folders)
    )
    return f"Written by `./bench benchmark {benchmark} {' '.join(names)} --write`."
