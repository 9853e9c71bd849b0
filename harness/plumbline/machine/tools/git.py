"""git, as a command with an argument list: no shell, no question to a terminal, no helper of a remote's choosing."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.model.errors import CannotGoOn, UsageError

# A remote is a path or an address of these; `ext::` would be a command.
_PROTOCOLS = "file:git:http:https:ssh"


class GitFailed(CannotGoOn):
    """A command of git ended with an error; `said` is what it printed to standard error."""

    def __init__(self, words: Sequence[str], said: str) -> None:
        last = next((line for line in reversed(said.splitlines()) if line.strip()), "no word why")
        super().__init__(f"git {words[0]} failed: {last.strip()}.")
        self.said = said


@dataclass(frozen=True)
class Git:
    """git in one folder. `environ` is added to the process's own, `config` is given to every command.

    Configuration goes by the environment: it may carry a token, and everybody on the host can read command lines.
    """

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 600.0

    def output(self, *words: str, given: bytes = b"") -> bytes:
        """Return standard output of a command. Raises GitFailed, or UsageError where there is no git."""
        argv = ["git", "-C", str(self.folder), *words]
        settings = {"core.quotePath": "off", **self.config}
        pairs = [
            pair
            for number, (name, value) in enumerate(settings.items())
            for pair in ((f"GIT_CONFIG_KEY_{number}", name), (f"GIT_CONFIG_VALUE_{number}", value))
        ]
        env = {
            **os.environ,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
            "LC_ALL": "C",
            "GIT_CONFIG_COUNT": str(len(settings)),
            **dict(pairs),
            **self.environ,
        }
        try:
            result = subprocess.run(
                argv, input=given, capture_output=True, env=env, check=False, timeout=self.timeout_s
            )
        except FileNotFoundError:
            raise UsageError("git is not on PATH.", "Install it, for example: apt install git") from None
        except subprocess.TimeoutExpired:
            raise GitFailed(words, f"no answer in {self.timeout_s:.0f} s") from None
        if result.returncode != 0:
            raise GitFailed(words, result.stderr.decode(errors="replace"))
        return result.stdout

    def text(self, *words: str, given: bytes = b"") -> str:
        """Return standard output of a command as text, without white space around it."""
        return self.output(*words, given=given).decode(errors="replace").strip()

    def commit(self, name: str) -> str:
        """Return the full id of a commit by any name. Raises UsageError when there is none."""
        try:
            return self.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitFailed:
            raise UsageError(
                f"There is no commit '{name}' here.",
                "Fetch it first (a shallow clone lacks older ones), or name another.",
            ) from None


def full_id(text: str) -> str:
    """Return the id of a commit, which is written in full. Raises UsageError for anything else: names may move."""
    if not re.fullmatch(r"[0-9a-f]{40}", text):
        raise UsageError(f"'{text[:60]}' is no full commit id.", "Give all 40 digits.")
    return text


# What decides a measurement. Elsewhere in a checkout, workflows put artifacts and records that are in no commit.
_MEASURED = ("apps", "bench.toml", "harness/plumbline", "k6", "runner-setup/measures")


def commit_of(root: Path) -> tuple[str | None, bool | None]:
    """Return the commit of a checkout and whether its files differ from that commit; None for both without git.

    A new file differs where it may decide a measurement, unless git ignores it. A folder in the repository of another
    project has no commit.
    """
    git = Git(root)
    try:
        if Path(git.text("rev-parse", "--show-toplevel")).resolve() != root.resolve():
            return None, None
        commit = git.text("rev-parse", "HEAD")
        changed = git.text("status", "--porcelain", "--untracked-files=no")
        return commit, bool(changed or git.text("status", "--porcelain", "--untracked-files=normal", "--", *_MEASURED))
    except (GitFailed, UsageError):
        return None, None
