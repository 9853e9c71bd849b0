"""Looks for one job that waits for this host, and makes a runner for exactly that job.

    campaign waits with the label plumbline-<host>-<run>-<attempt>-<drawn by chance>
      -> is its run one that we trust: repository, workflow, event, ref, and an environment that guards it
      -> a just-in-time configuration with that one label
      -> /run/plumbline-runner/{jitconfig,minted}, and the unit is started; the label is remembered in `delivered`

A runner exists only while such a job waits, and has no label that a pull request could guess beforehand. Whoever reads
the label while the job waits, and is faster, gets a runner whose hook ends the foreign job and leaves a flag. The flag
is then removed and a runner made again, until the flag was left several times within a day. Then the flag stays until a
person removes it.

The token needs `Administration: write` on one repository; with `organization` in /etc/plumbline/watch.json only
`Self-hosted runners: write` of that organisation. Where that is too much to keep on the host, this program runs
elsewhere, and `deliver` (in the same file) names the command that takes the two files to the host and starts the unit
there. Standard library only.
"""

from __future__ import annotations

import grp
import json
import os
import re
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

CONFIG = Path("/etc/plumbline/watch.json")
PLACE = Path("/run/plumbline-runner")
UNIT = "plumbline-runner.service"

# FLAG is left by the hook that ended a job which no runner was minted for, UNCLEAN by a wipe that failed. The unit does
# not start while either of them is there.
FLAG = Path("/var/lib/plumbline/rejected")
UNCLEAN = Path("/var/lib/plumbline/unclean")
REJECTIONS = 3
REMEMBERED_S = 24 * 3600
# A runner that was delivered gets this time to take its job, and a unit that fails at once is not started more often.
DELIVERY_S = 600


@dataclass(frozen=True)
class Trust:
    """The events that may start a workflow, those of them that may do so on a tag v*, and the environment of its
    measuring job.
    """

    events: tuple[str, ...]
    environment: str
    tag_events: tuple[str, ...] = ()


# Each workflow runs on the default branch. A campaign also runs on a tag v*: pushed, or dispatched to measure it again.
TRUSTED = {
    ".github/workflows/campaign.yml": Trust(
        ("push", "schedule", "workflow_dispatch"), "campaign", ("push", "workflow_dispatch")
    ),
    ".github/workflows/bench-pr.yml": Trust(("workflow_dispatch",), "bare-metal"),
    ".github/workflows/confirm.yml": Trust(("workflow_dispatch",), "campaign"),
}
# Foreign code is measured in these environments: a person has to agree to each job.
REVIEWED = ("bare-metal",)
_TIMEOUT_S = 30.0
# GitHub puts at most so many rows into a page; a matrix has at most 256 jobs.
_ROWS = 100
_PAGES = 10
# So many lines of the journal are remembered.
_LINES = 100
# The line of `minted` with the label; the hook reads the other lines.
_LABEL = "LABEL"
# The file with the label that a runner was delivered for last; `minted` goes when that runner ends.
_DELIVERED = "delivered"


@dataclass(frozen=True)
class Api:
    """GitHub's REST API; `url` without a slash at its end. Runners are those of `organization` where it is given."""

    url: str
    repository: str
    token: str
    organization: str | None = None
    runner_group: int = 1

    def get(self, path: str) -> Any:
        """Return the document at a path below the repository."""
        return self._ask("GET", f"/repos/{self.repository}{path}", None)

    def rows(self, path: str, name: str) -> list[Any]:
        """Return all rows of a list, which comes in pages: a campaign has a job for each artifact."""
        rows: list[Any] = []
        address = f"{path}{'&' if '?' in path else '?'}per_page={_ROWS}"
        for page in range(1, _PAGES + 1):
            page_rows = self.get(address if page == 1 else f"{address}&page={page}")[name]
            rows += page_rows
            if len(page_rows) < _ROWS:
                break
        return rows

    def find(self, path: str) -> Any | None:
        """Return the document at a path below the repository; None if there is none."""
        try:
            return self.get(path)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def mint(self, body: dict[str, Any]) -> Any:
        """Return the server's answer to the request for a runner."""
        owner = f"/orgs/{self.organization}" if self.organization else f"/repos/{self.repository}"
        return self._ask("POST", f"{owner}/actions/runners/generate-jitconfig", json.dumps(body).encode())

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        request = urllib.request.Request(
            f"{self.url}{path}",
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


def trust_of(own_repository: dict[str, Any], run: dict[str, Any]) -> Trust | None:
    """Return what is trusted of a run's workflow; None for a run of another workflow, event or repository.

    `own_repository` is the repository as GitHub knows it.
    """
    trust = TRUSTED.get(path_of(run))
    if trust is None or run["event"] not in trust.events:
        return None
    # In names of owners and repositories small and capital letters are the same.
    if str((run["head_repository"] or {}).get("full_name")).lower() != str(own_repository["full_name"]).lower():
        return None
    return trust


def path_of(run: dict[str, Any]) -> str:
    """Return the path of a run's workflow file in the repository."""
    return str(run["path"]).partition("@")[0]


def trusted_ref(api: Api, trust: Trust, default_branch: str, run: dict[str, Any]) -> str | None:
    """Return the ref of a run that may use this host (`refs/heads/main`, `refs/tags/v1`); None for all other refs."""
    name = str(run["head_branch"])
    if name == default_branch:
        return f"refs/heads/{name}"
    if run["event"] not in trust.tag_events or not name.startswith("v"):
        return None
    # A branch may be called v1 as well: the commit must be the one that the tag names.
    quoted = urllib.parse.quote(name, safe="")
    tags = [tag for tag in api.get(f"/git/matching-refs/tags/{quoted}") if tag["ref"] == f"refs/tags/{name}"]
    if len(tags) != 1:
        return None
    target = tags[0]["object"]
    if target["type"] == "tag":
        target = api.get(f"/git/tags/{target['sha']}")["object"]
    return f"refs/tags/{name}" if target["sha"] == run["head_sha"] else None


def unguarded(api: Api, default_branch: str, environment: str) -> str | None:
    """Return why an environment guards nothing, else None. GitHub itself makes a missing one, open to everybody."""
    settings = api.find(f"/environments/{environment}")
    if settings is None:
        return "it does not exist"
    # Foreign code is measured by a workflow that runs on the default branch alone.
    tags = set() if environment in REVIEWED else {("tag", "v*")}
    allowed = {("branch", default_branch)} | tags
    policy = settings.get("deployment_branch_policy") or {}
    rows = (
        api.get(f"/environments/{environment}/deployment-branch-policies")["branch_policies"]
        if policy.get("custom_branch_policies")
        else []
    )
    refs = {(str(row.get("type", "branch")), str(row["name"])) for row in rows}
    if not refs or not refs <= allowed:
        return f"it is open to more than the branch {default_branch}{' and tags v*' if tags else ''}"
    rules = settings.get("protection_rules", [])
    if environment in REVIEWED and not any(
        rule.get("type") == "required_reviewers" and rule.get("reviewers") for rule in rules
    ):
        return "it has no reviewers"
    return None


def jobs_of(api: Api, host: str, run: dict[str, Any]) -> dict[str, str]:
    """Return label -> status of a run's jobs that wait for this host or run on it."""
    number, attempt = int(run["id"]), int(run["run_attempt"])
    label_pattern = re.compile(rf"plumbline-{re.escape(host)}-{number}-{attempt}-[0-9a-f]{{16}}")
    return {
        job["labels"][0]: str(job["status"])
        for job in api.rows(f"/actions/runs/{number}/attempts/{attempt}/jobs", "jobs")
        if job["status"] in ("queued", "in_progress")
        and len(job["labels"]) == 1
        and label_pattern.fullmatch(job["labels"][0])
    }


def facts_of(
    api: Api, own_repository: dict[str, Any], trust: Trust, run: dict[str, Any], say: Callable[[str], None]
) -> dict[str, str] | None:
    """Return the facts of a run that may use this host; None for another run, and `say` gets the reason."""
    repository, default_branch = str(own_repository["full_name"]), str(own_repository["default_branch"])
    ref = trusted_ref(api, trust, default_branch, run)
    if ref is None:
        refs = f"the branch {default_branch}{' or a tag v* of its commit' if trust.tag_events else ''}"
        say(f"Run {run['id']} gets no runner: its ref {str(run['head_branch'])[:60]!a} is not {refs}.")
        return None
    reason = unguarded(api, default_branch, trust.environment)
    if reason is not None:
        say(
            f"Run {run['id']} gets no runner: its environment '{trust.environment}' guards nothing, {reason}. "
            "Settings > Environments; `./bench ci settings` shows all."
        )
        return None
    return {
        "GITHUB_REPOSITORY": repository,
        "GITHUB_RUN_ID": str(run["id"]),
        "GITHUB_RUN_ATTEMPT": str(run["run_attempt"]),
        "GITHUB_EVENT_NAME": str(run["event"]),
        "GITHUB_WORKFLOW_REF": f"{repository}/{path_of(run)}@{ref}",
    }


def waiting(api: Api, host: str, say: Callable[[str], None]) -> tuple[str, dict[str, str]] | None:
    """Return the label of the first job that waits for this host, and the facts of its run; None if no job waits, or
    while a job runs here. `say` gets the reason for each run that gets no runner.
    """
    own_repository = api.get("")
    first_job = None
    for status in ("queued", "in_progress"):
        for run in reversed(api.rows(f"/actions/runs?status={status}", "workflow_runs")):
            trust = trust_of(own_repository, run)
            if trust is None:
                continue
            jobs = jobs_of(api, host, run)
            # Where this program runs on another machine, nothing else tells it that the host is busy.
            if "in_progress" in jobs.values():
                return None
            if jobs and first_job is None:
                facts = facts_of(api, own_repository, trust, run, say)
                first_job = None if facts is None else (next(iter(jobs)), facts)
    return first_job


def say_once(memory: Path, line: str) -> None:
    """Print a line to the journal if no earlier call did: this program starts anew every half minute."""
    lines = memory.read_text(encoding="utf-8").splitlines() if memory.exists() else []
    if line in lines:
        return
    print(line, file=sys.stderr)
    memory.write_text("".join(f"{known}\n" for known in [*lines, line][-_LINES:]), encoding="utf-8")


def mint(api: Api, host: str, label: str) -> str:
    """Return a configuration for one job with that label and no other.

    The name is new each time: GitHub keeps the name of a runner that never came, and refuses it to the next runner.
    """
    identity = {"name": f"{host}-{secrets.token_hex(8)}", "labels": [label]}
    body = {**identity, "runner_group_id": api.runner_group, "work_folder": "_work"}
    return str(api.mint(body)["encoded_jit_config"])


def state_of(unit: str) -> str:
    """Return systemd's word for the state of a unit. The wipes of the host around a job may take long, and while they
    do a unit starts or ends.
    """
    command = ("systemctl", "show", "--property=ActiveState", "--value", unit)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def stop_unwanted(api: Api, host: str, place: Path, now_s: float) -> None:
    """Stop the runner if its job has ended: one that was cancelled before the runner took it never comes, and the
    runner would wait for it. GitHub is asked at most every DELIVERY_S, since each request disturbs what is measured.
    """
    minted = place / "minted"
    if not minted.exists() or now_s - minted.stat().st_mtime < DELIVERY_S:
        return
    facts = dict(line.split("=", 1) for line in minted.read_text(encoding="utf-8").splitlines())
    run = {"id": facts["GITHUB_RUN_ID"], "run_attempt": facts["GITHUB_RUN_ATTEMPT"]}
    if facts[_LABEL] in jobs_of(api, host, run):
        os.utime(minted)
        return
    print(f"Run {run['id']} has no use for its runner any more, and the runner is stopped.", file=sys.stderr)
    subprocess.run(["systemctl", "stop", "--no-block", UNIT], check=False)


def may_go_on(flag: Path, place: Path, now_s: float) -> bool:
    """Return whether a runner may start: no job was rejected, or so few lately that the flag is removed.

    Rejections are remembered in `place`/rejections, one line each. They are forgotten if a person removed the flag.
    """
    memory = place / "rejections"
    lines = memory.read_text(encoding="utf-8").splitlines() if memory.exists() else []
    if not flag.exists():
        if len(lines) >= REJECTIONS:
            memory.unlink()
        return True
    if len(lines) >= REJECTIONS:
        return False
    recent = [line for line in lines if now_s - float(line.partition(" ")[0]) < REMEMBERED_S]
    text = " ".join(flag.read_text(encoding="utf-8", errors="replace")[:500].split())
    recent.append(f"{now_s:.0f} {text}")
    memory.write_text("".join(f"{line}\n" for line in recent), encoding="utf-8")
    print(f"A job was rejected ({len(recent)} of {REJECTIONS} within a day): {text}", file=sys.stderr)
    if len(recent) >= REJECTIONS:
        return False
    # The job still waits, and its runner is gone.
    (place / _DELIVERED).unlink(missing_ok=True)
    flag.unlink()
    return True


def deliver(place: Path, config: str, minted: dict[str, str], group: int) -> None:
    """Write both files. `minted` is there before the unit can start, and its hook reads it as a user of `group`.

    Root alone can read the configuration: systemd hands it to the unit.
    """
    for name, mode, text in (
        ("minted", 0o640, "".join(f"{key}={value}\n" for key, value in minted.items())),
        ("jitconfig", 0o600, config),
    ):
        part = place / f".{name}"
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchown(descriptor, -1, group)
            os.fchmod(descriptor, mode)
            file.write(text)
        part.rename(place / name)
    (place / _DELIVERED).write_text(minted[_LABEL], encoding="utf-8")


def was_delivered(place: Path, label: str, now_s: float) -> bool:
    """Return whether a runner for that label was delivered so lately that it may not have taken its job yet."""
    memory = place / _DELIVERED
    if not memory.exists() or now_s - memory.stat().st_mtime >= DELIVERY_S:
        return False
    return memory.read_text(encoding="utf-8") == label


def main() -> int:
    """Start a runner if a job waits, or stop that of a job that was cancelled. Return 0 also if there is nothing to do,
    and 1 if GitHub could not be asked.
    """
    settings = json.loads(CONFIG.read_text(encoding="utf-8"))
    token = (Path(os.environ["CREDENTIALS_DIRECTORY"]) / "token").read_text(encoding="utf-8").strip()
    state = state_of(UNIT)
    may_start = state in ("inactive", "failed") and may_go_on(FLAG, PLACE, time.time())
    if may_start and UNCLEAN.exists():
        print(f"No job gets a runner while {UNCLEAN} is there; a person has to look.", file=sys.stderr)
        return 0
    command = settings.get("deliver")
    # Delivered files get their owners on the host; here there may be no such group.
    group = os.getegid() if command else grp.getgrnam("plumbline").gr_gid
    api = Api(
        str(settings.get("api", "https://api.github.com")).rstrip("/"),
        settings["repository"],
        token,
        settings.get("organization"),
        int(settings.get("runner_group", 1)),
    )
    try:
        if state == "active":
            stop_unwanted(api, settings["host"], PLACE, time.time())
        waiting_job = waiting(api, settings["host"], partial(say_once, PLACE / "said")) if may_start else None
        if waiting_job is None:
            return 0
        label, facts = waiting_job
        if was_delivered(PLACE, label, time.time()):
            return 0
        config = mint(api, settings["host"], label)
    except (OSError, ValueError, KeyError) as error:
        print(f"GitHub could not be asked: {error}", file=sys.stderr)
        return 1
    deliver(PLACE, config, {**facts, _LABEL: label}, group)
    if command:
        return subprocess.run([*command, str(PLACE)], check=False).returncode
    return subprocess.run(["systemctl", "start", "--no-block", UNIT], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
