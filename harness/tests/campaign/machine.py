"""A forge on this machine: a checkout with a tag, a bare repository for the data branch, and act in place of GitHub.

Nothing of the workflows is changed but keys that act refuses, and the suite, which is one of seconds. Actions
of others are replaced by the shortest stand-ins that do the same on a folder: there is no network to GitHub in a test.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.workflows.built import built

ROOT = Path(__file__).resolve().parents[3]
FORGE = "gitea.local"
REPOSITORY = "plumbline/plumbline"
TAG = "v0.0.1"
# act 0.2.89 knows neither, and drops a file that has one.
_REFUSED = re.compile(r"^(cache-mode: \w+|  queue: max)\n", re.MULTILINE)
_PIN = re.compile(r"uses: ([\w.-]+/[\w.-]+)@([0-9a-f]{40})")

_SUITE = """
[suites.campaign]
about = "one subject, a second a phase: to see that a campaign arrives"
subjects = ["vertx-pg/jvm/pg"]
scenarios = ["hello"]
blocks = 2
budget = "5m"
phases = [
    { kind = "warm-up", time = "1s" },
    { kind = "closed", time = "1s" },
    { kind = "open", time = "1s", rates = [50] },
]
"""


@dataclass(frozen=True)
class Forge:
    """`data` is the bare repository, `artifacts` has one folder an artifact."""

    checkout: Path
    data: Path
    artifacts: Path
    folder: Path

    def run(self, workflow: str, event: str, payload: dict[str, object], *words: str) -> str:
        """The log of a workflow that succeeded. Fails with its end otherwise."""
        event_file = self.folder / "event.json"
        event_file.write_text(
            json.dumps({"repository": {"full_name": REPOSITORY, "default_branch": "main"}, **payload})
        )
        log = self.folder / "act.log"
        command = [
            *(str(built("act")), event, "--workflows", f".github/workflows/{workflow}"),
            *(
                "--eventpath",
                str(event_file),
                "--github-instance",
                FORGE,
                "--platform",
                "ubuntu-24.04=-self-hosted",
            ),
            *("--action-offline-mode", "--no-skip-checkout", "--no-cache-server", "--concurrent-jobs", "1"),
            *(word for text in self._stand_ins() for word in ("--local-repository", text)),
            *(word for name, value in self._environment().items() for word in ("--env", f"{name}={value}")),
            *words,
        ]
        with log.open("wb") as output:
            ended = subprocess.run(
                command, cwd=self.checkout, stdout=output, stderr=subprocess.STDOUT, check=False,
                env={**os.environ, "GITHUB_TOKEN": ""},
            )  # fmt: skip
        text = log.read_text(errors="replace")
        assert ended.returncode == 0, text[-6000:]
        return text

    def _environment(self) -> dict[str, str]:
        """What jobs find: where artifacts lie, and that the forge's address is a folder here."""
        kept = {
            name: os.environ[name] for name in ("HOME", "JAVA_HOME", "XDG_CACHE_HOME") if name in os.environ
        }
        return {
            **kept,
            "PATH": os.environ["PATH"],
            "STAND_IN_SOURCES": str(self.checkout),
            "STAND_IN_ARTIFACTS": str(self.artifacts),
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
        }

    def _stand_ins(self) -> list[str]:
        texts = []
        for path in [*(self.checkout / ".github").rglob("*.yml")]:
            for name, sha in _PIN.findall(path.read_text()):
                texts.append(f"{name}@{sha}={self.folder / 'actions' / name.replace('/', '-')}")
        return sorted(set(texts))


def make_forge(folder: Path) -> Forge:
    """The files of this checkout as they lie here, with a tag; stand-ins as repositories, as act wants them."""
    checkout, data, artifacts = folder / "checkout", folder / "plumbline.git", folder / "artifacts"
    artifacts.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)
    for path in (checkout / ".github/workflows").glob("*.yml"):
        path.write_text(_REFUSED.sub("", path.read_text()))
    bench = checkout / "bench.toml"
    bench.write_text(
        re.sub(r"(?m)^default_suite = .*$", 'default_suite = "campaign"', bench.read_text()) + _SUITE
    )
    git(folder, "init", "--quiet", "--bare", str(data))
    (folder / "gitconfig").write_text(f'[url "{data}"]\n    insteadOf = https://{FORGE}/{REPOSITORY}\n')
    commit_all(checkout)
    git(checkout, "tag", TAG)
    git(checkout, "remote", "add", "origin", f"https://{FORGE}/{REPOSITORY}.git")
    git(checkout, "push", "--quiet", str(data), "main")
    used = {
        name for path in (checkout / ".github").rglob("*.yml") for name, _ in _PIN.findall(path.read_text())
    }
    for name in used:
        place = folder / "actions" / name.replace("/", "-")
        ours = Path(__file__).parent / "actions" / f"{name.replace('/', '-')}.yml"
        place.mkdir(parents=True)
        shutil.copy2(
            ours if ours.exists() else Path(__file__).parent / "actions" / "nothing.yml", place / "action.yml"
        )
        commit_all(place)
    return Forge(checkout, data, artifacts, folder)


def commit_all(folder: Path) -> None:
    """A repository out of a folder, with one commit on main."""
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


def git(folder: Path, *words: str) -> str:
    """git with an author of its own, and none of this user's settings."""
    author = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    env = {**os.environ, **author, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        ["git", *words], cwd=folder, env=env, check=True, capture_output=True, text=True
    ).stdout
