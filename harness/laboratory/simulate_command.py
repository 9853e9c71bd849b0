"""`./bench simulate OUT`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from plumbline.cli.console import json_option, print_json, say
from plumbline.verdicts.judge.wording import counted
from .simulate.world import WATCHED

# Ten thousand nights are 27 years.
_MOST = 100_000


@click.command(epilog="Example: ./bench simulate /tmp/data --series 300 --sessions 1000 --seed 1")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--series",
    type=click.IntRange(WATCHED, _MOST),
    default=60,
    show_default=True,
    help="About how many series to make.",
)
@click.option(
    "--sessions",
    type=click.IntRange(1, _MOST),
    default=200,
    show_default=True,
    help="How many sessions to make.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=1,
    show_default=True,
    help="The same seed gives the same bytes.",
)
@click.option(
    "--evidence",
    type=click.IntRange(0, _MOST),
    default=90,
    show_default=True,
    help="How many of the newest sessions have evidence.",
)
@json_option
def command(out: Path, series: int, sessions: int, seed: int, evidence: int, as_json: bool) -> None:
    """Write a made-up data branch, for development, tests and a demo of the site.

    The records contain noise, steps, changes of the environment, refused trials, missing nights, new and retired
    subjects, hostile texts and broken records. Every record says that it is simulated, and so does every page made
    from such records.
    """
    from .simulate.write import simulate

    began_s = time.monotonic()
    written = simulate(out, series, sessions, seed, evidence, say)
    if as_json:
        print_json(
            {
                "out": str(out),
                "sessions": written.sessions,
                "evidence_files": written.evidence_files,
                "broken": written.broken,
                "bytes": written.bytes,
            }
        )
        return
    click.echo(
        f"{counted(written.sessions, 'session')}, {counted(written.evidence_files, 'file')} of evidence,"
        f" {counted(written.broken, 'broken record')}:"
        f" {written.bytes / 1e6:.0f} MB in {out} ({time.monotonic() - began_s:.0f} s)."
    )
