"""`./bench ci record`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.github.workflow import outputs, summary
from .options import (
    branch_option,
    commit_option,
    data_branch,
    digests_option,
    expected,
    remote_option,
    session_argument,
    tries_option,
)


@click.command(epilog="Example: ./bench ci record results/local/20260901T101500Z-lab-0a1b2c --remote origin")
@session_argument
@remote_option
@branch_option
@digests_option
@commit_option
@tries_option
def command(
    session: Path, remote: str, branch: str, digests: tuple[str, ...], commit: str | None, tries: int
) -> None:
    """Check a session's folder, then commit it to the data branch, also while other jobs commit there.

    Exit status 0: committed, or the same bytes are there already. 1: other bytes are there. 3: no push got through;
    the command that lands the session later is printed.
    """
    from plumbline.data.branch import NotLanded
    from plumbline.data.check import checked, files_of
    from plumbline.data.landing import land_session
    from plumbline.data.layout import run_path

    record = checked(session, expected(commit, digests, clean=True))
    try:
        landed = land_session(data_branch(remote, branch, tries), record, files_of(session, record))
    except NotLanded as error:
        again = f"./bench ci record {session} --remote {remote} --branch {branch}"
        summary(
            "## Measured, and not recorded\n\nThe session is whole in this run's artifacts. Download it into a "
            f"checkout of the main branch, and land it by this one command:\n\n```\n{again}\n```\n"
        )
        raise NotLanded(error.problem, f"Land it later by: {again}") from None
    outputs(
        {
            "session": record.plan.session,
            "path": run_path(record.plan.session),
            "commit": landed.commit,
            "landed": "new" if landed.new else "already",
        }
    )
