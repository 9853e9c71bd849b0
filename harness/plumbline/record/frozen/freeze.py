"""Freezes the verifier of versions that are no longer in force: the archive of the last commit that had them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from plumbline.figures.compute import FIGURES_VERSION
from plumbline.judge.referee import RULES_VERSION
from plumbline.model.errors import UsageError
from plumbline.tools.git import Git, GitFailed
from ..files import write_whole
from .archive import archive_of
from .shelf import INDEX, SHELF, Archive, Index, read_index

_VERSION = re.compile(r"^(RULES|FIGURES)_VERSION = ([0-9]+)$", re.MULTILINE)


def freeze(git: Git, commit: str | None = None, shelf: Path = SHELF) -> Archive | None:
    """Put an archive on the shelf, and note the versions that are in force now.

    The archive is of `commit`. Without `commit` it is of the newest commit with the versions that the index calls in
    force, and None if those still are in force. Raises UsageError for versions that are on the shelf out of another
    commit.
    """
    index = read_index(shelf)
    if commit is None:
        if (index.rules, index.figures) == (RULES_VERSION, FIGURES_VERSION):
            return None
        known = index.of(index.rules, index.figures)
        chosen = _newest_with(git, index.rules, index.figures) if known is None else known.commit
    else:
        chosen = git.commit(commit)
    rules, figures = versions_at(git, chosen)
    content = archive_of(git, chosen)
    made = Archive(rules=rules, figures=figures, commit=chosen, sha256=hashlib.sha256(content).hexdigest())
    known = index.of(rules, figures)
    if known is not None and known != made:
        raise UsageError(
            f"{made.name} is there already, out of commit {known.commit[:12]}, and is never made anew.",
            "Records of these versions are verified by it.",
        )
    write_whole(shelf / made.name, content)
    archives = sorted({*index.archives, made}, key=lambda one: (one.rules, one.figures))
    now = Index(rules=RULES_VERSION, figures=FIGURES_VERSION, archives=tuple(archives))
    write_whole(shelf / INDEX, now.model_dump_json(indent=1).encode("utf-8") + b"\n")
    return made


def versions_at(git: Git, commit: str) -> tuple[int, int]:
    """Return (rules, figures) of a commit, wherever its code names them. Raises UsageError when it names none."""
    try:
        text = git.text(
            "grep", "-h", "-E", r"^(RULES|FIGURES)_VERSION = [0-9]+$", commit, "--", "harness/plumbline"
        )
    except GitFailed:
        text = ""
    found = {name: int(number) for name, number in _VERSION.findall(text)}
    if found.keys() != {"RULES", "FIGURES"}:
        raise UsageError(f"Commit {commit[:12]} has no versions of rules and figures.", "Name a later one.")
    return found["RULES"], found["FIGURES"]


def _newest_with(git: Git, rules: int, figures: int) -> str:
    for commit in git.text("rev-list", "HEAD").split():
        if versions_at(git, commit) == (rules, figures):
            return commit
    raise UsageError(
        f"No commit of this clone has rules {rules} and figures {figures}.",
        "Fetch the whole history (`git fetch --unshallow`), or name the commit.",
    )
