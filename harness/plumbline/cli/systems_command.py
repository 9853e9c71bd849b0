"""`./bench systems`."""

from __future__ import annotations

import click

from plumbline.measuring.conformance.systems import (
    FILE,
    as_markdown,
    coverage_sentence,
    put_between_marks,
    read_ledger,
    rows,
    unchecked_subjects,
)
from plumbline.subjects.catalog.catalog import read_catalog
from .console import ROOT, json_option, print_json, say
from .selecting import refuse_other_options

README = "README.md"


@click.command(epilog="Example: ./bench systems --write")
@click.option("--write", is_flag=True, help=f"Put the table into {README}.")
@click.option("--check", is_flag=True, help=f"Exit status 1 when the table of {README} is another.")
@json_option
def command(write: bool, check: bool, as_json: bool) -> int:
    """Print the table of systems: what each does, and in brackets what no run has checked against the contract yet.
    Then name the subjects of the suites that no run has checked.

    The results of these checks stand in results/conformance.json, which `./bench check-variant NAME --write` and
    `./bench test --all` write.
    """
    if write:
        refuse_other_options({"write", "as_json"}, f"--write puts the table into {README}")
    catalog, ledger = read_catalog(ROOT), read_ledger(ROOT / FILE)
    table = rows(catalog, ledger)
    if as_json:
        print_json(table)
    else:
        for line in as_markdown(table).splitlines():
            say(line, err=False)
        if missing := unchecked_subjects(catalog, ledger):
            for line in ("No run has checked these subjects of the suites:", *missing):
                say(line)
    if write:
        write_table()
    elif check and _with_table(before := _readme()) != before:
        say(f"The table of {README} is another: `./bench systems --write` makes it this one.")
        return 1
    return 0


def write_table() -> None:
    """Write the table of systems into the README. Raises UsageError when the README has no place for the table."""
    (ROOT / README).write_text(_with_table(_readme()), encoding="utf-8")


def _readme() -> str:
    return (ROOT / README).read_text(encoding="utf-8")


def _with_table(readme: str) -> str:
    catalog, ledger = read_catalog(ROOT), read_ledger(ROOT / FILE)
    return put_between_marks(
        readme, f"{as_markdown(rows(catalog, ledger))}\n\n{coverage_sentence(catalog, ledger)}", README
    )
