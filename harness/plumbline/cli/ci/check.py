"""`./bench ci check`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.github.workflow import outputs
from .options import commit_option, digests_option, expected, session_argument


@click.command(epilog="Example: ./bench ci check session/20260901T101500Z-lab-0a1b2c")
@session_argument
@digests_option
@commit_option
def command(session: Path, digests: tuple[str, ...], commit: str | None) -> None:
    """Check a session's folder, whoever made it: sizes, shape, names, where it belongs, then `verify`.

    Exit status 1 with the first reason.
    """
    from plumbline.data.check import checked

    record = checked(session, expected(commit, digests, clean=False))
    outputs({"session": record.plan.session, "verdict": record.verdict})
