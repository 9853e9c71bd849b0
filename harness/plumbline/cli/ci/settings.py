"""`./bench ci settings`: the settings of the repository that security rests on."""

from __future__ import annotations

import os
from dataclasses import asdict

import click

from plumbline.reporting.github.workflow import summary
from ..console import json_option, print_json


@click.command(epilog="Example: GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… ./bench ci settings")
@json_option
def settings_command(as_json: bool) -> int:
    """Compare the repository's settings that security rests on with what they should be. The command only reads.

    Only a token of the owner (Administration: read) sees them all; a setting that the token may not see is
    `unknown`. Exit status 1: a setting is wrong.
    """
    from plumbline.archive.record.markdown import table
    from plumbline.reporting.github.api import Api
    from plumbline.reporting.github.settings import settings
    from plumbline.reporting.github.workflow import plain

    found = settings(Api.of(os.environ))
    if as_json:
        print_json({"settings": [asdict(one) for one in found]})
    else:
        for one in found:
            wish = "" if one.answer == "as wanted" else f"; wanted: {one.wanted} ({one.where})"
            click.echo(f"{one.answer:10} {one.name}: {one.seen}{wish}")
        rows = [(one.answer, *map(plain, (one.name, one.seen, one.wanted, one.where))) for one in found]
        if "GITHUB_STEP_SUMMARY" in os.environ:
            lines = table(("answer", "setting", "seen", "wanted", "where"), rows, escape=False)
            summary("\n".join(("## Settings", "", *lines)) + "\n")
    return 1 if any(one.answer == "wrong" for one in found) else 0
