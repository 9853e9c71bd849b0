"""The arguments of benchmarks that replay recorded sessions, and the way of their results into docs/promises.md."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from laboratory.promises.page import PAGE, put
from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.layout import session_folders
from plumbline.archive.record.read import read_record, read_session
from plumbline.model.errors import PlumblineError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record

ROOT = PAGE.parent.parent
PAGE_WIDTH = 116


def parser(about: str | None) -> ArgumentParser:
    """The arguments FOLDER... and --write; `about` is the benchmark's docstring."""
    made = ArgumentParser(
        prog=sys.argv[0], description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    made.add_argument("--write", action="store_true", help="put the result into docs/promises.md")
    return made


def tell(given: Namespace, title: str, text_of: Callable[[Sequence[Path]], str]) -> int:
    """Print what `text_of` makes of the folders; --write puts the text into docs/promises.md under `title`.

    Returns 0, or 2 where the folders can't be used.
    """
    try:
        text = text_of(given.folders)
    except PlumblineError as error:
        print(error, file=sys.stderr)
        return 2
    print(text)
    if given.write:
        put(PAGE, title, text)
    return 0


def real_sessions(folders: Iterable[Path]) -> list[tuple[Path, Record]]:
    """Folders and records of all sessions below the folders, without those that were made up."""
    found = [(one, read_record(one)) for folder in folders for one in session_folders(folder)]
    return [(folder, record) for folder, record in found if not record.plan.simulated]


def judged_anew(sessions: Iterable[Path]) -> Iterator[tuple[Record, Mapping[int, Evidence]]]:
    """Yield the record of each session's folder, with everything derived computed anew, and its evidence by trial.

    So the figures and rules of this checkout decide, and not those of the day on which a session ran. Raises
    RecordRefused for a session whose evidence is not there or can't be read.
    """
    for folder in sessions:
        record, evidence = read_session(folder)
        yield assembled_again(record, evidence), evidence


def written_by(benchmark: str, folders: Iterable[Path]) -> str:
    """The sentence that names the command by which a part of the page was written."""
    named = (
        one.relative_to(ROOT).as_posix() if one.is_relative_to(ROOT) else one.name
        for one in (folder.resolve() for folder in folders)
    )
    return f"Written by `./bench benchmark {benchmark} {' '.join(named)} --write`."
