"""`./bench ci pins`."""

from __future__ import annotations

import json
import os

import click

from plumbline.github.workflow import outputs
from ..console import ROOT


@click.command(epilog="Example: GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… ./bench ci pins")
def command() -> int:
    """Compare the pinned actions of all workflows with their newest releases.

    Exit status 1: an action is older than its newest release, or its tag names another commit by now.
    """
    from plumbline.github.api import Api
    from plumbline.github.versions import looked_up

    rows = list(looked_up(ROOT, Api.of(os.environ)))
    for one in rows:
        newest = f", newest is {one.newest}" if one.newest and one.newest != one.tag else ""
        click.echo(f"{one.answer:8} {one.repository}@{one.commit[:12]} # {one.tag}{newest}")
    stale = [one for one in rows if one.answer in ("stale", "moved")]
    document = [
        {"repository": one.repository, "tag": one.tag, "newest": one.newest, "answer": one.answer}
        for one in stale
    ]
    outputs({"stale": json.dumps(document, separators=(",", ":"))})
    return 1 if stale else 0
