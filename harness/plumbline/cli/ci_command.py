"""`./bench ci …`: what workflows call, so that it is tested without a forge. One file a command in `cli/ci/`."""

from __future__ import annotations

import click

from .lazy import LazyGroup

# command -> the line that `./bench ci --help` shows.
COMMANDS = {
    "plan": "What a campaign measures: the matrix of builds and the selection for its host.",
    "question": "What a comparison of two commits measures on a host, and for how long.",
    "pr": "What a pull request can affect, or where its configuration is wrong.",
    "pack": "Build the artifact of a subject and pack it with its digest.",
    "digests": "The digests of all packs of a run.",
    "unpack": "Check packs against their digests and put them into the store.",
    "check": "Is a session's folder what it says, whoever made it.",
    "record": "Commit a session to the data branch.",
    "data": "A cheap copy of the data branch to read.",
    "keep": "Commit derived files beside the runs of the data branch.",
    "index": "Make the indexes of the data branch again, or check them.",
    "sample": "Verify a sample of the data branch.",
    "freeze": "Keep the verifier of the versions that were in force before.",
    "growth": "How much a year adds to the data branch.",
    "logs": "Keep a session's logs as an asset of the month's release.",
    "summary": "A session as a job summary.",
    "resolve": "May a pull request be measured on hardware of our own.",
    "comment": "Keep the one comment of a pull request.",
    "alerts": "Alerts after a session or a comparison: the ledger, and what is to be confirmed.",
    "issues": "One issue an alert of the ledger: opened, kept up to date, closed.",
    "settings": "The repository's settings that security rests on.",
    "heartbeat": "Did a campaign run lately.",
    "pins": "Are the pinned actions the newest.",
    "versions": "Frameworks and databases with newer versions; raise one.",
    "propose": "Open or renew the pull request that raises a version.",
}


@click.group(
    cls=LazyGroup,
    commands={"plumbline.cli.ci.{}": COMMANDS},
    epilog="Example: ./bench ci plan --event schedule --suite nightly --host lab",
)
def command() -> None:
    """What workflows call. Outputs go to $GITHUB_OUTPUT and summaries to $GITHUB_STEP_SUMMARY, or to the terminal.

    The API is that of GITHUB_API_URL for GITHUB_REPOSITORY with GITHUB_TOKEN. Exit status: 0 done, 1 the answer is no,
    2 used wrongly, 3 could not go on.
    """
