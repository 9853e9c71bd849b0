"""`./bench ci versions`."""

from __future__ import annotations

import json
import os

import click

from plumbline.github.workflow import outputs
from ..console import ROOT


@click.command(epilog="Example: ./bench ci versions --raise quarkus")
@click.option("--only", default=None, metavar="NAME", help="One framework or database.")
@click.option(
    "--raise", "name", default=None, metavar="NAME", help="Write its newer version into the catalog."
)
def command(only: str | None, name: str | None) -> int:
    """List frameworks and databases that have a newer version of the same major, from the index of Maven Central.

    PLUMBLINE_MAVEN_CENTRAL names a mirror. With --raise, exit status 1 when there is nothing newer.
    """
    from plumbline.github.versions import apply, raises
    from plumbline.tools.download import MAVEN_CENTRAL

    central = (os.environ.get("PLUMBLINE_MAVEN_CENTRAL") or MAVEN_CENTRAL).rstrip("/")
    found = raises(ROOT, central, name or only)
    if name is not None:
        if not found:
            click.echo(f"There is nothing newer than the {name} that the catalog has.", err=True)
            return 1
        (one,) = found
        apply(ROOT, one, central)
        outputs(
            {"name": one.name, "from": one.now, "to": one.newer, "branch": one.branch, "title": one.title}
        )
        return 0
    rows = [{"name": one.name, "from": one.now, "to": one.newer, "branch": one.branch} for one in found]
    outputs(
        {
            "raises": json.dumps({"include": rows}, separators=(",", ":")),
            "any": "true" if rows else "false",
        }
    )
    return 0
