"""The repository as GitHub would have it: this checkout's files as commits, its remote, and stand-ins of actions.

The files are unchanged but for keys that act refuses. Third-party actions are replaced by the shortest stand-ins that
do the same on a folder: there is no network to GitHub in a test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
REPOSITORY = "plumbline/plumbline"
# act 0.2.89 knows neither key, and drops a file that has one of them.
_REFUSED = re.compile(r"^(cache-mode: \w+| +queue: max)\n", re.MULTILINE)
_PIN = re.compile(r"uses: ([\w.-]+/[\w.-]+)@([0-9a-f]{40}) # (\S+)")
_AUTHOR = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def make_checkout(folder: Path, bare: Path) -> Path:
    """Copy the files of this checkout, as they lie here, into one commit on main; `bare` becomes its remote."""
    checkout = folder / "checkout"
    listing = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)
    for path in (checkout / ".github/workflows").glob("*.yml"):
        path.write_text(_REFUSED.sub("", path.read_text()))
    git(folder, "init", "--quiet", "--bare", "--initial-branch", "main", str(bare))
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(bare, "config", name, "true")
    git(bare, "config", "uploadpackfilter.tree.maxDepth", "0")
    git(checkout, "init", "--quiet", "--initial-branch", "main")
    git(checkout, "config", "uploadpack.allowAnySHA1InWant", "true")
    aim(checkout, bare)
    commit(checkout, "The project")
    return checkout


def aim(checkout: Path, bare: Path) -> None:
    """Give the remote GitHub's address, from which act reads the repository's name; pushes go to `bare`."""
    git(checkout, "config", "remote.origin.url", f"https://github.com/{REPOSITORY}.git")
    git(checkout, "config", "remote.origin.pushurl", str(bare))


def make_clone(source: Path, folder: Path, bare: Path, *words: str) -> Path:
    """Clone another checkout into a new folder; for act and for pushes the clone is one of the repository."""
    git(folder.parent, "clone", "--quiet", *words, str(source), str(folder))
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    aim(folder, bare)
    return folder


def commit(checkout: Path, message: str) -> str:
    """Commit all files of the checkout to its current branch, and push; return the SHA of the commit."""
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "--message", message)
    git(checkout, "push", "--quiet", "origin", "HEAD")
    return git(checkout, "rev-parse", "HEAD").strip()


def edited(checkout: Path, path: str, old: str, new: str) -> None:
    """Replace a text that has to be there."""
    text = (checkout / path).read_text()
    assert old in text, f"{path} has no '{old}'"
    (checkout / path).write_text(text.replace(old, new, 1))


def data_of(folder: Path, bare: Path) -> Path:
    """Return a fresh clone of the data branch, below a folder."""
    copy = folder / "data"
    shutil.rmtree(copy, ignore_errors=True)
    git(folder, "clone", "--quiet", "--branch", "data", str(bare), str(copy))
    return copy


def pins(root: Path = ROOT) -> dict[str, tuple[str, str]]:
    """Action -> commit and tag, of every third-party action."""
    pin_of_action: dict[str, tuple[str, str]] = {}
    for path in (root / ".github").rglob("*.yml"):
        pin_of_action |= {name: (sha, tag) for name, sha, tag in _PIN.findall(path.read_text())}
    return pin_of_action


def make_actions(folder: Path) -> list[str]:
    """Make a repository for each action's stand-in; return act's options for them."""
    stand_ins = Path(__file__).parent / "actions"
    words = []
    for name, (sha, _) in sorted(pins().items()):
        repository = folder / "actions" / name.replace("/", "-")
        repository.mkdir(parents=True)
        file = stand_ins / f"{name.replace('/', '-')}.yml"
        shutil.copy2(file if file.exists() else stand_ins / "nothing.yml", repository / "action.yml")
        git(repository, "init", "--quiet", "--initial-branch", "main")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--message", "all")
        words += ["--local-repository", f"{name}@{sha}={repository}"]
    return words


def git(folder: Path, *words: str) -> str:
    """git with an author of its own, and none of this user's settings."""
    return subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **_AUTHOR}, check=True, capture_output=True, text=True
    ).stdout
