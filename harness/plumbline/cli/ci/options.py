"""What commands of `ci` share: options and the values behind them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
branch_option = click.option("--branch", default="data", show_default=True, help="Its branch.")
tries_option = click.option(
    "--tries", type=click.IntRange(1, 100), default=12, show_default=True, help="Pushes before it gives up."
)
digests_option = click.option(
    "--digests",
    metavar="JSON",
    help="What `./bench ci digests` answered: the artifacts that this run handed over.",
)
commit_option = click.option("--commit", metavar="SHA", help="The commit that this run measured.")


def token() -> str | None:
    """The token of the job."""
    return os.environ.get("GITHUB_TOKEN") or None


def parsed_digests(text: str | None) -> Mapping[str, str] | None:
    """slug -> SHA-256 out of JSON, or out of one list of several. Raises UsageError."""
    from plumbline.model.errors import UsageError

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


def expected(commit: str | None, digests: str | None, *, clean: bool) -> Expected:
    """What a record must belong to."""
    from plumbline.data.check import Expected

    return Expected(commit=commit or None, digests=parsed_digests(digests), clean=clean)


def data_branch(remote: str, branch: str, tries: int) -> DataBranch:
    """A branch with the job's token, that tells of every wait."""
    from plumbline.data.branch import DataBranch
    from ..console import say

    return DataBranch(remote, branch, token=token(), tries=tries, say=say)
