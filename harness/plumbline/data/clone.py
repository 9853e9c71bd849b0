"""A cheap copy of the data branch to read: one commit deep, and only the files that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plumbline.model.errors import UsageError
from plumbline.tools.git import Git
from .branch import credentials
from .layout import BRANCH

# Everything but the evidence, which is most of the bytes and which only `verify` reads.
WITHOUT_EVIDENCE = ("/*", "!evidence/")


def clone(
    remote: str, folder: Path, *, branch: str = BRANCH, token: str | None = None, evidence: Sequence[str] = ()
) -> str | None:
    """Copy the branch into a new folder, and return its commit, None if there is no such branch.

    `evidence` names sessions whose evidence is fetched too, or "*" for all of them. Raises UsageError when the folder
    is there already, GitFailed when the remote can't be read.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is there already.", "Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    git = Git(folder, config=credentials(remote, token))
    if not git.text("ls-remote", remote, f"refs/heads/{branch}"):
        return None
    git.output(
        *(
            "clone",
            "--quiet",
            "--depth=1",
            "--single-branch",
            "--no-tags",
            "--filter=blob:none",
            "--no-checkout",
        ),
        *("--branch", branch, "--", remote, "."),
    )
    patterns = (
        "/*\n"
        if "*" in evidence
        else "\n".join([*WITHOUT_EVIDENCE, *(f"/runs/*/*/{one}/evidence/" for one in evidence)])
    )
    git.output("sparse-checkout", "set", "--no-cone", "--stdin", given=patterns.encode())
    git.output("checkout", "--quiet", branch)
    return git.text("rev-parse", "HEAD")


def add_evidence(data: Path, sessions: Sequence[str], token: str | None = None) -> None:
    """Fetch the evidence of sessions into a copy that `clone` made."""
    remote = Git(data).text("remote", "get-url", "origin")
    git = Git(data, config=credentials(remote, token))
    given = "\n".join(f"/runs/*/*/{one}/evidence/" for one in sessions).encode()
    git.output("sparse-checkout", "add", "--stdin", given=given)
