"""`./bench systems`."""

from __future__ import annotations

import click

from .console import ROOT, json_option, print_json, say

README = "README.md"


@click.command(epilog="Example: ./bench systems --write")
@click.option("--write", is_flag=True, help=f"Put the table into {README}.")
@click.option("--check", is_flag=True, help=f"Exit status 1 when the table of {README} is another.")
@json_option
def command(write: bool, check: bool, as_json: bool) -> int:
    """The table of systems: what each does, and in brackets what no run has held to the contract yet.

    What was held stands in apps/contract/held.json, which `./bench test --all` writes.
    """
    from plumbline.catalog.catalog import read_catalog
    from plumbline.held.ledger import FILE, read_ledger
    from plumbline.held.systems import as_markdown, put_between_marks, rows

    table = rows(read_catalog(ROOT), read_ledger(ROOT / FILE))
    if as_json:
        print_json(table)
    else:
        click.echo(as_markdown(table))
    file = ROOT / README
    before = file.read_text(encoding="utf-8")
    after = put_between_marks(before, as_markdown(table), README)
    if write:
        file.write_text(after, encoding="utf-8")
    if check and not write and after != before:
        say(f"The table of {README} is another: `./bench systems --write` makes it this one.")
        return 1
    return 0
