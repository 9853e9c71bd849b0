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
@click.option("--seed", type=int, help="Of the draw; another one each time when left out.")
def command(data: Path, count: int, seed: int | None) -> int:
    """Verify a random sample of the sessions in a copy of the data branch, fetching the evidence that it lacks.

    Sessions of older figures or rules are checked byte by byte against their manifests; to compute them again takes the
    commit that made them. Exit status 1 when one is not as recorded.
    """
    from plumbline.data.clone import add_evidence
    from plumbline.data.rebuild import session_folders
    from plumbline.figures.compute import FIGURES_VERSION
    from plumbline.judge.referee import RULES_VERSION
    from plumbline.record.layout import first_problem_of_files
    from plumbline.record.read import read_record
    from plumbline.record.verify import verify

    folders = session_folders(data)
    drawn = sorted(random.Random(seed).sample(folders, min(count, len(folders))))
    lacking = [folder.name for folder in drawn if not (folder / "evidence").is_dir()]
    if lacking:
        add_evidence(data, lacking, token())
    wrong = older = 0
    for folder in drawn:
        versions = read_record(folder).versions
        if (versions.figures, versions.rules) == (FIGURES_VERSION, RULES_VERSION):
            difference = verify(folder).difference
        else:
            older += 1
            _, difference = first_problem_of_files(folder)
        if difference is not None:
            wrong += 1
            click.echo(f"{folder.name}: NOT as recorded. {difference.problem}")
    bytes_only = f" ({older} of older rules by their bytes alone)" if older else ""
    click.echo(f"{len(drawn)} of {len(folders)} sessions verified{bytes_only}, {wrong} not as recorded.")
    return 1 if wrong else 0
