"""Options that several commands of `ci` share, and the values behind them."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import UsageError

if TYPE_CHECKING:
    from plumbline.data.branch import DataBranch
    from plumbline.data.check import Expected

session_argument = click.argument(
    "session", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="SESSION_DIR"
)
data_argument = click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
remote_option = click.option(
    "--remote", required=True, metavar="URL|PATH", help="The repository of the data branch."
)
branch_option = click.option(
    "--branch", default="data", show_default=True, help="The name of the data branch."
)
tries_option = click.option(
    "--tries", type=click.IntRange(1, 100), default=12, show_default=True, help="Pushes before it gives up."
)
digests_option = click.option(
    "--digests",
    "digests",
    multiple=True,
    metavar="JSON",
    help="What `./bench ci digests` answered: the artifacts that this run handed over. Once for each side.",
)
commit_option = click.option("--commit", metavar="SHA", help="The commit that this run measured.")


HOSTED = "hosted"
host_option = click.option(
    "--host", default="", help=f"The host that measures; '{HOSTED}' is a hosted runner."
)
# A hosted job ends after six hours whatever it says, and a session that is cut has no record.
_HOSTED_MINUTES = 350


def place_of(host: str) -> str:
    """Return the name of a host, `hosted` for none. Raises UsageError for a text that is no name."""
    place = host or HOSTED
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", place):
        raise UsageError(f"'{place[:60]}' is no name of a host.", "Small letters, digits and dashes.")
    return place


def job_minutes(expected_s: float, place: str) -> int:
    """Return the time limit of the job that measures: half as much again, and half an hour. Raises UsageError where
    a hosted runner would end the job earlier.
    """
    if place == HOSTED and expected_s > _HOSTED_MINUTES * 60:
        raise UsageError(
            f"This takes about {expected_s / 3600:.0f} h, and a hosted runner ends every job after six.",
            "Name a host of your own, a smaller suite, or fewer subjects.",
        )
    minutes = math.ceil(expected_s / 60 * 1.5) + 30
    return min(minutes, _HOSTED_MINUTES) if place == HOSTED else minutes


def token() -> str | None:
    """Return the token of the job."""
    return os.environ.get("GITHUB_TOKEN") or None


def parsed_digests(text: str | None) -> Mapping[str, str] | None:
    """Read slug -> SHA-256 from JSON, or from one list of several. Raises UsageError."""
    if not text:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(
        isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) for value in found.values()
    ):
        raise UsageError(
            "--digests is no JSON of slugs and digests.", "Hand over what `./bench ci digests` answered."
        )
    return found


def expected(commit: str | None, digests: Sequence[str], *, clean: bool) -> Expected:
    """Return the facts that a record must match."""
    from plumbline.data.check import Expected

    lots = [lot for text in digests if (lot := parsed_digests(text)) is not None]
    known = frozenset(digest for lot in lots for digest in lot.values()) if lots else None
    return Expected(commit=commit or None, digests=known, clean=clean)


def data_branch(remote: str, branch: str, tries: int) -> DataBranch:
    """Return the data branch, opened with the job's token; it prints every wait."""
    from plumbline.data.branch import DataBranch
    from ..console import say

    return DataBranch(remote, branch, token=token(), tries=tries, say=say)
