"""`./bench doctor`."""

from __future__ import annotations

import os

import click

from plumbline.model.errors import UsageError
from .console import ROOT, colour, columns, json_option, print_json


@click.command(epilog="Example: ./bench doctor --only governor --only turbo")
@click.option(
    "--only", metavar="ID", multiple=True, help="Only conditions of that id, with why each matters."
)
@json_option
def command(only: tuple[str, ...], as_json: bool) -> int:
    """Check whether this host is fit to measure.

    Each condition is shown with its reading, its verdict, and the command that mends it. The command only reads,
    and needs no root. Exit status 1: a condition that every measurement needs is not met.
    """
    from plumbline.catalog.reading import nearest
    from plumbline.doctor.examine import Examination
    from plumbline.doctor.table import render
    from plumbline.run.context import open_context

    examination = Examination(open_context(ROOT, (), lambda text: None), is_root=os.geteuid() == 0)
    for id_ in only:
        if id_ not in examination.looks:
            raise UsageError(f"There is no condition '{id_}'.", nearest(id_, examination.looks))
    diagnosis = examination.diagnosis(only)
    if as_json:
        print_json(diagnosis.model_dump(mode="json"))
    else:
        click.echo(render(diagnosis, columns(), colour=colour(), why=bool(only)))
    return 0 if diagnosis.fit else 1
