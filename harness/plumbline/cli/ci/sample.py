"""`./bench ci sample`."""

from __future__ import annotations

import random
from pathlib import Path

import click

from .options import data_argument, token


@click.command(epilog="Example: ./bench ci sample data --count 20")
@data_argument
@click.option(
    "--count", type=click.IntRange(1, 1000), default=20, show_default=True, help="Sessions to verify."
)
@click.option("--seed", type=int, help="Seed of the random sample; another seed each time when left out.")
def command(data: Path, count: int, seed: int | None) -> int:
    """Verify a random sample of the sessions in a copy of the data branch, and fetch the evidence that the copy
    lacks.

    Each session is recomputed by the versions that it names. Exit status 1: a session is not as recorded. 3: a
    session can't be recomputed here.
    """
    from plumbline.data.branch import add_evidence
    from plumbline.data.entry import session_folders
    from plumbline.record.gate import check
    from ..verify_command import lines, status

    folders = session_folders(data)
    drawn = sorted(random.Random(seed).sample(folders, min(count, len(folders))))
    lacking = [folder.name for folder in drawn if not (folder / "evidence").is_dir()]
    if lacking:
        add_evidence(data, lacking, token())
    results = tuple(check(folder) for folder in drawn)
    for result in results:
        if result.word != "as recorded":
            for line in lines(result):
                click.echo(line)
    good = sum(one.word == "as recorded" for one in results)
    click.echo(f"{len(drawn)} of {len(folders)} sessions checked, {good} as recorded.")
    return status(results)
