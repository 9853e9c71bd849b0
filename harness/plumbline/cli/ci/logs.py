"""`./bench ci logs`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from plumbline.github.workflow import outputs
from .options import session_argument


@click.command(epilog="Example: ./bench ci logs session/20260901T101500Z-lab-0a1b2c")
@session_argument
def command(session: Path) -> None:
    """Store a session's logs as an asset of the release logs-YYYY-MM, named by its SHA-256.

    Exit status 0 as well where the same logs are there already.
    """
    from plumbline.data.layout import month_of
    from plumbline.github.api import Api
    from plumbline.github.releases import keep_logs, packed_logs

    _, year, month = month_of(session.resolve().name).split("/")
    name, content = packed_logs(session.resolve())
    address, new = keep_logs(Api.of(os.environ), f"{year}-{month}", name, content)
    outputs({"asset": address, "sha256": name.partition(".")[0], "kept": "new" if new else "already"})
