"""`./bench new-variant NAME --like OTHER`."""

from __future__ import annotations

import click

from .console import ROOT, say


@click.command(epilog="Example: ./bench new-variant vertx-mysql --like vertx-pg")
@click.argument("name")
@click.option("--like", required=True, metavar="VARIANT", help="The variant whose folder is the pattern.")
def command(name: str, like: str) -> None:
    """A folder apps/NAME that builds and keeps the contract as the other one does, with the places to write marked."""
    from plumbline.catalog.catalog import read_catalog
    from plumbline.catalog.new_variant import marks_left, new_variant

    catalog = read_catalog(ROOT)
    folder = new_variant(catalog, name, catalog.variant(like))
    say(f"apps/{name} is there, like {like}; what is yours to write is marked:")
    for path, number, line in marks_left(folder):
        say(f"  {path.relative_to(ROOT)}:{number}: {line}")
    say(f"Then: ./bench check-variant {name}, which says what falls short.")
