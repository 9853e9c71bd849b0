"""`./bench list`."""

from __future__ import annotations

import json
from typing import Any

import click

from .console import ROOT, json_option, print_json


@click.command(epilog="Example: ./bench list --json")
@json_option
def command(as_json: bool) -> None:
    """Sessions measured here, the newest first, and those that were interrupted."""
    from plumbline.run.local import finished_sessions, interrupted_sessions

    results = ROOT / "results" / "local"
    rows: list[dict[str, Any]] = []
    for folder in finished_sessions(results):
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        rows.append(
            {
                "session": folder.name,
                "state": "finished",
                "suite": record["plan"]["suite"],
                "verdict": record["verdict"],
                "trials": len(record["trials"]),
                "folder": str(folder),
            }
        )
    for folder, journaled in interrupted_sessions(results):
        rows.append(
            {
                "session": folder.name,
                "state": "interrupted",
                "suite": journaled.plan.suite,
                "verdict": None,
                "trials": len(journaled.trials),
                "folder": str(folder),
            }
        )
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("Nothing was measured here yet. Start by `./bench run`.")
    else:
        for row in rows:
            state = row["verdict"] or f"interrupted; go on by `./bench run --resume {row['session']}`"
            click.echo(f"{row['session']}  {row['suite']:10} {row['trials']:>3} trials  {state}")
