"""Looks for one job that waits for this host, and makes a runner for exactly that job.

    campaign waits with the label plumbline-<host>-<run>-<attempt>
      -> is its run one that we trust: repository, workflow, event, ref
      -> a just-in-time configuration with that one label
      -> /run/plumbline-runner/{jitconfig,minted}, and the unit is started

A runner exists only while such a job waits, and has no label that a pull request could name beforehand. The token
needs `Administration: write` on one repository, or only `Self-hosted runners: write` in an organisation; where that is
too much to keep on the host, this runs elsewhere and `deliver` (in /etc/plumbline/watch.json) names the command that
takes the two files to the host. Standard library only.
"""

from __future__ import annotations

import grp
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIG = Path("/etc/plumbline/watch.json")
PLACE = Path("/run/plumbline-runner")
UNIT = "plumbline-runner.service"

# Workflow -> what may start it. Each is dispatched or scheduled on the default branch, or started by a tag v*.
TRUSTED = {
    ".github/workflows/campaign.yml": ("push", "schedule", "workflow_dispatch"),
    ".github/workflows/bench-pr.yml": ("workflow_dispatch",),
    ".github/workflows/confirm.yml": ("workflow_dispatch",),
}
_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Api:
    """GitHub's REST API; `url` without a slash at its end."""

    url: str
    repository: str
    token: str

    def get(self, path: str) -> Any:
        """The document at a path below the repository."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """What the server answers to a document."""
        return self._ask("POST", path, json.dumps(body).encode())

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        request = urllib.request.Request(
            f"{self.url}/repos/{self.repository}{path}",
            data=body,
            method=method,
            headers={
                "Authorization": f"Bearer {self.token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:
            return json.load(response)


def trusted_ref(api: Api, run: dict[str, Any]) -> str | None:
    """The ref of a run that may use this host (`refs/heads/main`, `refs/tags/v1`); None for all others."""
    path = str(run["path"]).partition("@")[0]
    if run["event"] not in TRUSTED.get(path, ()):
        return None
    if (run["head_repository"] or {}).get("full_name") != api.repository:
        return None
    name = str(run["head_branch"])
    if name == api.get("")["default_branch"]:
        return f"refs/heads/{name}"
    if run["event"] != "push" or not name.startswith("v"):
        return None
    # A branch may be called v1 as well: the commit must be the one that the protected tag names.
    quoted = urllib.parse.quote(name, safe="")
    tags = [tag for tag in api.get(f"/git/matching-refs/tags/{quoted}") if tag["ref"] == f"refs/tags/{name}"]
    if len(tags) != 1:
        return None
    target = tags[0]["object"]
    if target["type"] == "tag":
        target = api.get(f"/git/tags/{target['sha']}")["object"]
    return f"refs/tags/{name}" if target["sha"] == run["head_sha"] else None


def waiting(api: Api, host: str) -> tuple[str, dict[str, str]] | None:
    """The label of the first job that waits for this host, and what its run is; None when none does."""
    for status in ("queued", "in_progress"):
        for run in reversed(api.get(f"/actions/runs?status={status}&per_page=100")["workflow_runs"]):
            ref = trusted_ref(api, run)
            if ref is None:
                continue
            number, attempt = int(run["id"]), int(run["run_attempt"])
            label = f"plumbline-{host}-{number}-{attempt}"
            jobs = api.get(f"/actions/runs/{number}/attempts/{attempt}/jobs?per_page=100")["jobs"]
            if any(job["status"] == "queued" and job["labels"] == [label] for job in jobs):
                path = str(run["path"]).partition("@")[0]
                return label, {
                    "GITHUB_REPOSITORY": api.repository,
                    "GITHUB_RUN_ID": str(number),
                    "GITHUB_RUN_ATTEMPT": str(attempt),
                    "GITHUB_EVENT_NAME": str(run["event"]),
                    "GITHUB_WORKFLOW_REF": f"{api.repository}/{path}@{ref}",
                }
    return None


def mint(api: Api, label: str) -> str:
    """A configuration for one job with that label and no other."""
    body = {"name": label, "runner_group_id": 1, "labels": [label], "work_folder": "_work"}
    return str(api.post("/actions/runners/generate-jitconfig", body)["encoded_jit_config"])


def deliver(place: Path, config: str, minted: dict[str, str], group: int) -> None:
    """Both files, for root and the group of the runner alone. `minted` stands before the unit can start."""
    for name, text in (
        ("minted", "".join(f"{key}={value}\n" for key, value in minted.items())),
        ("jitconfig", config),
    ):
        part = place / f".{name}"
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchown(descriptor, -1, group)
            os.fchmod(descriptor, 0o640)
            file.write(text)
        part.rename(place / name)


def main() -> int:
    """Exit status 0 when nothing waits or a runner was started, 1 when GitHub could not be asked."""
    words = json.loads(CONFIG.read_text(encoding="utf-8"))
    token = (Path(os.environ["CREDENTIALS_DIRECTORY"]) / "token").read_text(encoding="utf-8").strip()
    if subprocess.run(["systemctl", "--quiet", "is-active", UNIT], check=False).returncode == 0:
        return 0
    api = Api(str(words.get("api", "https://api.github.com")).rstrip("/"), words["repository"], token)
    try:
        found = waiting(api, words["host"])
        if found is None:
            return 0
        label, minted = found
        config = mint(api, label)
    except (OSError, ValueError, KeyError) as error:
        print(f"GitHub could not be asked: {error}", file=sys.stderr)
        return 1
    deliver(PLACE, config, minted, grp.getgrnam("plumbline").gr_gid)
    if command := words.get("deliver"):
        return subprocess.run([*command, str(PLACE)], check=False).returncode
    return subprocess.run(["systemctl", "start", "--no-block", UNIT], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
