"""`./bench ci comment`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from plumbline.github.workflow import outputs
from .options import digests_option, expected


@click.command(epilog="Example: ./bench ci comment --number 12 --head SHA --session session/ID --kind metal")
@click.option("--number", type=click.IntRange(1), required=True, help="Number of the pull request.")
@click.option("--head", required=True, metavar="SHA", help="The commit that was measured.")
@click.option("--session", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option(
    "--kind",
    type=click.Choice(["metal", "hosted"]),
    required=True,
    help="Which machine measured; each kind has a comment of its own.",
)
@digests_option
@click.option("--run-url", default="", help="Address of the workflow run, for a link.")
def command(number: int, head: str, session: Path, kind: str, digests: tuple[str, ...], run_url: str) -> None:
    """Write the one comment of a pull request, or update it: verdict, table, findings and link, all from a checked
    record.

    Exit status 1: the record is of other artifacts than --digests, or of another commit, and so of another pull
    request.
    """
    from plumbline.data.check import checked
    from plumbline.github.api import Api
    from plumbline.github.issues import keep_comment
    from plumbline.github.render import rendered
    from plumbline.model.errors import AnswerIsNo, UsageError

    if not re.fullmatch(r"[0-9a-f]{40}", head):
        raise UsageError("--head is no full commit id.", "Give all 40 digits.")
    if run_url and not re.fullmatch(r"https?://[\w.:-]+(/[\w.-]+)+", run_url):
        raise UsageError("--run-url is no address of a run.", "Leave it out, or hand over the forge's own.")
    record = checked(session, expected(None, digests, clean=False))
    plan = record.plan.comparison
    if plan is not None and plan.head.commit not in (None, head):
        raise AnswerIsNo(
            f"The record compares {str(plan.head.commit)[:12]}, not {head[:12]}: it belongs to another pull request."
        )
    api = Api.of(os.environ)
    pull = api.get(api.path("pulls", number))
    if pull["state"] != "open":
        raise AnswerIsNo(f"Pull request {number} is {pull['state']}.")
    notes = [f"Of commit {head[:12]}."]
    if pull["head"]["sha"] != head:
        notes.append("The pull request has newer commits: this is not about them.")
    if run_url:
        notes.append(f"[The run, with the record and its evidence]({run_url}).")
    heading = "On bare metal" if kind == "metal" else "On a hosted runner"
    outputs(
        {
            "comment_url": keep_comment(
                api, number, kind, rendered(record, heading=heading, notes=tuple(notes))
            )
        }
    )
