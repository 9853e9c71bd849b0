"""`./bench ci …`: what workflows call, so that this is tested without a forge. The commands stand in `cli/ci/`."""

from __future__ import annotations

import click

from .lazy import LazyGroup

# module -> its commands, each with the line that `./bench ci --help` shows.
COMMANDS = {
    "plumbline.cli.ci.plan": {
        "plan": "Plan a campaign: the matrix of builds and the selection for its host.",
        "question": "Plan the comparison of two commits on a host.",
    },
    "plumbline.cli.ci.pr": {
        "pr": "Find what a pull request can affect, or where its configuration is wrong.",
        "resolve": "Decide whether a pull request may be measured on hardware of our own.",
        "comment": "Write or update the one comment of a pull request.",
    },
    "plumbline.cli.ci.pack": {
        "pack": "Build the artifact of a subject and pack it with its digest.",
        "digests": "Print the digests of all packs of a run.",
        "unpack": "Check packs against their digests and put them into the store.",
    },
    "plumbline.cli.ci.record": {
        "check": "Check a session's folder, whoever made it.",
        "record": "Commit a session to the data branch.",
        "join": "Join the sessions of several equal hosts in one.",
        "logs": "Keep a session's logs as an asset of the month's release.",
        "summary": "Write a session as a job summary.",
    },
    "plumbline.cli.ci.data": {
        "data": "Make a small copy of the data branch to read.",
        "keep": "Commit derived files beside the runs of the data branch.",
        "index": "Make the indexes of the data branch again, or check them.",
        "sample": "Verify a sample of the data branch.",
        "growth": "Estimate how much a year adds to the data branch.",
    },
    "plumbline.cli.ci.alerts": {
        "alerts": "Update the alerts after a session or a comparison, and name what is to be confirmed.",
        "issues": "Open, update and close issues, one for each alert.",
        "heartbeat": "Check whether a campaign landed lately.",
    },
    "plumbline.cli.ci.settings": {
        "settings": "Check the repository's settings that security rests on.",
    },
    # Upkeep of this repository, which no measurement needs.
    "laboratory.versions": {
        "versions": "List frameworks and databases with newer versions, or raise one.",
        "pins": "Compare the pinned actions with their newest releases.",
        "propose": "Open or renew the pull request that raises a version.",
    },
    "laboratory.freeze": {
        "freeze": "Keep the verifier of the versions that were in force before.",
    },
}


@click.group(
    cls=LazyGroup,
    commands=COMMANDS,
    epilog="Example: ./bench ci plan --event schedule --suite nightly --host lab",
)
def command() -> None:
    """Run one step of a workflow.

    Outputs go to $GITHUB_OUTPUT and summaries to $GITHUB_STEP_SUMMARY, or to the terminal. The API is that of
    GITHUB_API_URL for GITHUB_REPOSITORY with GITHUB_TOKEN. Exit status: 0 done, 1 the answer is no, 2 used wrongly,
    3 could not go on.
    """
