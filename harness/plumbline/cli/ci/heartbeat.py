"""`./bench ci heartbeat`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from plumbline.github.workflow import outputs
from .options import data_argument


@click.command(epilog="Example: ./bench ci heartbeat data --hours 36")
@data_argument
@click.option(
    "--hours",
    type=click.IntRange(1),
    default=36,
    show_default=True,
    help="The newest session may be so many hours old.",
)
def command(data: Path, hours: int) -> int:
    """Check whether a campaign landed lately; an older newest session is exit status 1, with an annotation.

    GitHub stops schedules after 60 idle days and tells nobody; this check does.
    """
    from plumbline.data.entry import parse_index
    from plumbline.data.layout import INDEX, RUNS
    from plumbline.github.workflow import annotate

    newest = max(
        (
            entry.session
            for path in data.glob(f"{RUNS}/*/*/{INDEX}")
            for entry in parse_index(path.read_bytes())
            if not entry.comparison
        ),
        default="",
    )
    age_h = None
    if newest:
        began = datetime.strptime(newest[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        age_h = (datetime.now(UTC) - began).total_seconds() / 3600
    outputs({"newest": newest, "age_hours": "" if age_h is None else f"{age_h:.0f}"})
    if age_h is not None and age_h <= hours:
        return 0
    said = (
        "No session was ever recorded."
        if age_h is None
        else f"The newest session, {newest}, is {age_h:.0f} h old."
    )
    annotate("error", f"{said} Look at the runs of campaign.yml, and whether its schedule is still on.")
    return 1
