"""`./bench ci settings`: the settings of the repository that security rests on."""

from __future__ import annotations

import os
from dataclasses import asdict

import click

from plumbline.reporting.github.workflow import summary
from ..console import json_option, print_json, say


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

    checked = settings(Api.of(os.environ))
    if as_json:
        print_json({"settings": [asdict(setting) for setting in checked]})
    else:
        for setting in checked:
            wish = "" if setting.answer == "as wanted" else f"; wanted: {setting.wanted} ({setting.where})"
            say(f"{setting.answer:10} {setting.name}: {setting.seen}{wish}", err=False)
        rows = [
            (setting.answer, *map(plain, (setting.name, setting.seen, setting.wanted, setting.where)))
            for setting in checked
        ]
        if "GITHUB_STEP_SUMMARY" in os.environ:
            lines = table(("answer", "setting", "seen", "wanted", "where"), rows, escape=False)
            summary("\n".join(("## Settings", "", *lines)) + "\n")
    return 1 if any(setting.answer == "wrong" for setting in checked) else 0
