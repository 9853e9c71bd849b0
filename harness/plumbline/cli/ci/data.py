"""`./bench ci data`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.github.workflow import outputs
from .options import branch_option, remote_option, token


@click.command(epilog="Example: ./bench ci data data --remote origin")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@remote_option
@branch_option
@click.option(
    "--evidence",
    multiple=True,
    metavar="SESSION",
    help="Fetch its evidence too; '*' for all. May be repeated.",
)
def command(out: Path, remote: str, branch: str, evidence: tuple[str, ...]) -> None:
    """Make a small copy of the data branch in the new folder OUT: one commit deep, without evidence.

    OUT is empty, and the output `commit` too, as long as there is no such branch.
    """
    from plumbline.data.branch import clone

    found = clone(remote, out, branch=branch, token=token(), evidence=evidence)
    outputs({"commit": found or ""})
