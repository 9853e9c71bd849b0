"""`./bench verify [RECORD|DIR]`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from .console import ROOT, json_option, print_json


@click.command(epilog="Example: ./bench verify results/examples")
@click.argument("record", required=False)
@json_option
def command(record: str | None, as_json: bool) -> int:
    """Check every byte of a record against its manifest, then recompute every figure, finding and standing.

    RECORD is a session's folder or name, DIR a folder that holds some; the newest session when none is named. Exit
    status 1 names the first thing that differs.
    """
    from plumbline.record.verify import verify_all
    from plumbline.run.local import find_record

    path = (
        Path(record)
        if record is not None and Path(record).is_dir()
        else find_record(ROOT / "results" / "local", record)
    )
    results = verify_all(path)
    if as_json:
        print_json(
            {
                "verified": all(result.ok for result in results),
                "records": [
                    {
                        "folder": str(result.folder),
                        "ok": result.ok,
                        "files": result.files,
                        "trials": result.trials,
                        "figures": result.figures,
                        "findings": result.findings,
                        "difference": None if result.difference is None else asdict(result.difference),
                    }
                    for result in results
                ],
            }
        )
    else:
        for result in results:
            if result.difference is None:
                click.echo(
                    f"{result.folder.name}: verified. {result.files} files by their digests; {result.figures} "
                    f"figures and {result.findings} findings of {result.trials} trials recomputed, all as recorded."
                )
            else:
                click.echo(f"{result.folder.name}: NOT as recorded. {result.difference.problem}")
    return 0 if all(result.ok for result in results) else 1
