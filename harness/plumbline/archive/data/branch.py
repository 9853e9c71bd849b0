"""Lands a change on a branch of a remote, however many others land at the same time.

    fetch the tip -> is it there already? -> make trees and a commit on top -> push
        ^                                                                        |
        +------------- wait (longer each time, by chance) <----- refused --------+

A clone of our own, made anew whenever git finds fault with it. Only the tip and its trees come over the wire:
neither older commits nor any session's files. Small copies to read are made here too.
"""

from __future__ import annotations

import base64
import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from plumbline.machine.tools.git import Git, GitFailed
from plumbline.model.errors import CannotGoOn, UsageError
from .layout import BRANCH
from .tree import Trees

# GitHub refuses filters by the depth of trees, so every tree of the tip comes and no file.
_FILTER = "blob:none"
_TIP = "refs/plumbline/tip"
TRIES = 12
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
# Waiting does not help against these errors.
_HOPELESS = (
    "Authentication failed",
    "could not read Username",
    "Permission denied",
    "Permission to",
    "Repository not found",
    "does not appear to be a git repository",
    "error: 403",
    "protected branch",
    "not allowed",
    "rule violations",
    f"filter '{_FILTER}' not supported",
)
# Somebody else was first: everything here is sound, and only the tip has to be fetched again.
_LOST_RACE = ("non-fast-forward", "fetch first", "cannot lock ref", "stale info")

Change = Callable[[Trees, str | None], str | None]
"""A function from the tree of the branch's tip (None: an empty branch) to the new tree; None if all is there."""


@dataclass(frozen=True)
class Landed:
    """The commit that holds the change, whether it was made now (`new`), and the number of tries."""

    commit: str
    new: bool
    tries: int


class NotLanded(CannotGoOn):
    """No try could land the change."""


@dataclass(frozen=True)
class DataBranch:
    """A branch of a remote. `token` is handed to git as a header, never as part of an address."""

    remote: str
    branch: str = BRANCH
    token: str | None = None
    folder: Path | None = None
    tries: int = TRIES
    sleep: Callable[[float], None] = time.sleep
    draw: random.Random = field(default_factory=random.SystemRandom)
    say: Callable[[str], None] = lambda text: None

    def land(self, change: Change, message: str) -> Landed:
        """Make one commit of a change and push it. Raises NotLanded, or what the change itself raises."""
        with self._clone_folder() as folder:
            return self._land(folder, change, message)

    def _land(self, folder: Path, change: Change, message: str) -> Landed:
        problem = "no try was made"
        for number in range(1, self.tries + 1):
            try:
                return self._try_once(folder, change, message, number)
            except GitFailed as error:
                problem = error.problem
                if any(word in error.said for word in _HOPELESS):
                    break
                if not any(word in error.said for word in _LOST_RACE):
                    # The clone may be damaged, or half made: the next try begins with an empty clone.
                    _remove(folder)
            if number < self.tries:
                wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (number - 1)) * self.draw.uniform(0.5, 1.5)
                self.say(f"try {number} of {self.tries} did not land ({problem}); again in {wait_s:.1f} s")
                self.sleep(wait_s)
        raise NotLanded(f"'{message}' is not on the branch {self.branch} of {self.remote}: {problem}")

    def _try_once(self, folder: Path, change: Change, message: str, number: int) -> Landed:
        git = self._clone(folder)
        tip = self._tip(git)
        tree = None if tip is None else git.text("rev-parse", f"{tip}^{{tree}}")
        new_tree = change(Trees(git), tree)
        if new_tree is None or new_tree == tree:
            assert tip is not None
            return Landed(tip, new=False, tries=number)
        parents = () if tip is None else ("-p", tip)
        commit = git.text("commit-tree", new_tree, *parents, "-m", message)
        git.output("push", "--quiet", "origin", f"{commit}:refs/heads/{self.branch}")
        return Landed(commit, new=True, tries=number)

    def _tip(self, git: Git) -> str | None:
        """Return the newest commit of the branch, fetched; None when there is no such branch."""
        if not git.text("ls-remote", self.remote, f"refs/heads/{self.branch}"):
            return None
        wanted = f"+refs/heads/{self.branch}:{_TIP}"
        git.output("fetch", "--quiet", "--depth=1", f"--filter={_FILTER}", "--no-tags", "origin", wanted)
        return git.text("rev-parse", _TIP)

    def _clone(self, folder: Path) -> Git:
        # GIT_DIR is named, so that git never takes a broken clone for a folder within another repository.
        environ = {**AUTHOR, "GIT_DIR": str(folder)}
        git = Git(folder, environ=environ, config=credentials(self.remote, self.token))
        if not (folder / "HEAD").is_file():
            _remove(folder)
            folder.mkdir(parents=True)
            git.output("init", "--quiet", "--bare")
            git.output("remote", "add", "origin", self.remote)
        return git

    @contextmanager
    def _clone_folder(self) -> Iterator[Path]:
        if self.folder is not None:
            yield self.folder
            return
        with TemporaryDirectory(prefix="plumbline-data-") as folder:
            yield Path(folder) / "clone"


AUTHOR = {
    "GIT_AUTHOR_NAME": "Plumbline",
    "GIT_AUTHOR_EMAIL": "plumbline@users.noreply.github.com",
    "GIT_COMMITTER_NAME": "Plumbline",
    "GIT_COMMITTER_EMAIL": "plumbline@users.noreply.github.com",
}


def credentials(remote: str, token: str | None) -> Mapping[str, str]:
    """Return configuration that carries a token to an https remote, and to no other."""
    if token is None or not remote.startswith("https://"):
        return {}
    encoded = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {f"http.{remote}.extraHeader": f"Authorization: Basic {encoded}"}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
        else "\n".join([*WITHOUT_EVIDENCE, *(f"/runs/*/*/{session}/evidence/" for session in evidence)])
    )
    git.output("sparse-checkout", "set", "--no-cone", "--stdin", given=patterns.encode())
    git.output("checkout", "--quiet", branch)
    return git.text("rev-parse", "HEAD")


def add_evidence(data: Path, sessions: Sequence[str], token: str | None = None) -> None:
    """Fetch the evidence of sessions into a copy that `clone` made."""
    remote = Git(data).text("remote", "get-url", "origin")
    git = Git(data, config=credentials(remote, token))
    patterns = "\n".join(f"/runs/*/*/{session}/evidence/" for session in sessions).encode()
    git.output("sparse-checkout", "add", "--stdin", given=patterns)
