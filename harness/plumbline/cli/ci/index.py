"""`./bench ci index`."""

from __future__ import annotations

from pathlib import Path

import click

from .options import data_argument


@click.command(epilog="Example: ./bench ci index data --check")
@data_argument
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 when one differs.")
def command(data: Path, check: bool) -> int:
    """Write the indexes of a copy of the data branch again from its records, or check them."""
    from plumbline.data.entry import differing, rebuilt
    from plumbline.data.layout import INDEX
    from plumbline.record.files import write_whole

    if check:
        wrong = list(differing(data))
        for path in wrong:
            click.echo(f"{path} is not what the records say.")
        click.echo(f"{len(wrong)} indexes differ.")
        return 1 if wrong else 0
    made = rebuilt(data)
    for month, content in made.items():
        write_whole(data / month / INDEX, content)
    click.echo(f"{len(made)} indexes made.")
    return 0
