"""`./bench ci resolve`."""

from __future__ import annotations

import os

import click

from plumbline.github.workflow import outputs
from ..console import ROOT
from ..selecting import scale_option


@click.command(
    epilog="Example: ./bench ci resolve --number 12 --head 0123456789abcdef0123456789abcdef01234567"
)
@click.option("--number", type=click.IntRange(1), required=True, help="Number of the pull request.")
@click.option("--head", required=True, metavar="SHA", help="The commit that you looked at, in full.")
@click.option(
    "--workflow", default="pr.yml", show_default=True, help="The workflow that built it on hosted runners."
)
@click.option(
    "--suite", default="", help="The suite of the comparison; `compare_suite` of bench.toml when left out."
)
@scale_option
def command(number: int, head: str, workflow: str, suite: str, scale: float) -> None:
    """Decide whether a pull request may be measured on hardware of our own: open, this head, built, within the
    allowlist.

    The forge answers every question. Exit status 1 with the first reason why not.
    """
    from plumbline.catalog.catalog import read_catalog
    from plumbline.github.api import Api
    from plumbline.github.resolve import resolve

    found = resolve(Api.of(os.environ), read_catalog(ROOT), number, head, workflow, suite or None, scale)
    outputs(
        {
            "number": str(found.number),
            "head": found.head,
            "base": found.base,
            "head_repository": found.head_repository,
            "run_id": str(found.run_id),
            "only": ",".join(found.subjects),
            "scenarios": ",".join(found.scenarios),
        }
    )
