"""`./bench ci issues`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from plumbline.github.workflow import outputs
from ..console import user_paths
from .options import data_argument


@click.command(epilog="Example: ./bench ci issues data --dry-run")
@data_argument
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
def command(data: Path, dry_run: bool) -> None:
    """Open, update and close issues, one for each alert of DATA/alerts.json.

    The command writes nothing but issues, so it may run again at any time.
    """
    from plumbline.github.api import Api
    from plumbline.github.issues import keep_issues
    from plumbline.history.alerts import read_ledger
    from plumbline.history.analysis import analyse
    from plumbline.history.collect import series_of, sessions

    alerts = read_ledger(data).alerts
    cache = user_paths().cache / "history"
    # How to confirm what is open; the alerts themselves stay those of the ledger.
    seen = analyse(series_of(sessions(data, cache)), alerts, {})
    kept = keep_issues(Api.of(os.environ), alerts, seen.candidates, dry_run=dry_run)
    outputs({"opened": str(kept.opened), "updated": str(kept.updated), "closed": str(kept.closed)})
