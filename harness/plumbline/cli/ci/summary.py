"""`./bench ci summary`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.github.workflow import outputs, summary
from .options import session_argument


@click.command(epilog="Example: ./bench ci summary session/20260901T101500Z-lab-0a1b2c")
@session_argument
def command(session: Path) -> None:
    """Write a session as a job summary: our Markdown, our names, and every other text as plain words."""
    from plumbline.data.check import Expected, checked
    from plumbline.github.render import rendered

    record = checked(session, Expected())
    heading = "Comparison" if record.comparison is not None else "Session"
    summary(rendered(record, heading=heading))
    outputs({"session": record.plan.session, "verdict": record.verdict})
