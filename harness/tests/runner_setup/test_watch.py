"""Which waiting jobs get a runner: a fake API with runs of every kind, and the requests that reach it."""

from __future__ import annotations

import grp
import json
import os
import re
import stat
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .conftest import RUNNER_SETUP

sys.path.insert(0, str(RUNNER_SETUP / "runner"))

import watch

REPOSITORY = "me/plumbline"
RUN = {
    "id": 4711,
    "run_attempt": 1,
    "event": "schedule",
    "path": ".github/workflows/campaign.yml",
    "head_branch": "main",
    "head_sha": "a" * 40,
    "head_repository": {"full_name": REPOSITORY},
}
TAGGED = {**RUN, "event": "push", "head_branch": "v1"}
LABEL = "plumbline-lab-1-4711-1-0123456789abcdef"
JOB = {"status": "queued", "labels": [LABEL]}
GUARDED = {
    "protection_rules": [{"type": "required_reviewers", "reviewers": [{"type": "User"}]}],
    "deployment_branch_policy": {"protected_branches": False, "custom_branch_policies": True},
}
POLICIES = {"branch_policies": [{"name": "main", "type": "branch"}, {"name": "v*", "type": "tag"}]}


class Forge:
    """Documents by path, and what was posted."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {
            "": {"full_name": REPOSITORY, "default_branch": "main"},
            **{f"/environments/{name}": GUARDED for name in ("campaign", "bare-metal")},
            **{f"/environments/{name}/deployment-branch-policies": POLICIES for name in ("campaign", "bare-metal")},
            "/git/matching-refs/tags/v1": [
                {"ref": "refs/tags/v1", "object": {"type": "commit", "sha": "a" * 40}},
                {"ref": "refs/tags/v10", "object": {"type": "commit", "sha": "b" * 40}},
            ],
        }
        self.posted: list[tuple[str, Any]] = []
        self.tokens: set[str] = set()

    def waits(self, *runs: dict[str, Any], jobs: tuple[dict[str, Any], ...] = (JOB,)) -> None:
        self.documents["/actions/runs?status=queued&per_page=100"] = {"workflow_runs": list(runs)}
        self.documents["/actions/runs?status=in_progress&per_page=100"] = {"workflow_runs": []}
        for run in runs:
            path = f"/actions/runs/{run['id']}/attempts/{run['run_attempt']}/jobs?per_page=100"
            self.documents[path] = {"jobs": list(jobs)}


@pytest.fixture
def forge() -> Forge:
    return Forge()


@pytest.fixture
def api(forge: Forge) -> Iterator[watch.Api]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self, document: Any) -> None:
            forge.tokens.add(self.headers["Authorization"])
            content = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            path = re.sub(f"^/repos/{REPOSITORY}", "", self.path, flags=re.IGNORECASE)
            if path in forge.documents:
                self._answer(forge.documents[path])
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            forge.posted.append((self.path, body))
            self._answer({"encoded_jit_config": "c2VjcmV0"})

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield watch.Api(f"http://127.0.0.1:{server.server_port}", REPOSITORY, "token")
    server.shutdown()
    server.server_close()


def test_a_night_that_waits_gets_a_runner_for_itself_alone(forge: Forge, api: watch.Api) -> None:
    forge.waits(RUN)
    waiting_job = watch.waiting(api, "lab-1")
    assert waiting_job is not None
    label, minted = waiting_job
    assert label == LABEL
    assert minted["GITHUB_WORKFLOW_REF"] == f"{REPOSITORY}/.github/workflows/campaign.yml@refs/heads/main"
    assert watch.mint(api, "lab-1", label) == "c2VjcmV0"
    ((path, body),) = forge.posted
    assert path == f"/repos/{REPOSITORY}/actions/runners/generate-jitconfig"
    assert body["labels"] == [label]
    assert forge.tokens == {"Bearer token"}


def test_a_job_behind_a_hundred_builds_is_seen(forge: Forge, api: watch.Api) -> None:
    forge.waits(RUN, jobs=({"status": "completed", "labels": ["ubuntu-24.04"]},) * 100)
    forge.documents["/actions/runs/4711/attempts/1/jobs?per_page=100&page=2"] = {"jobs": [JOB]}
    waiting_job = watch.waiting(api, "lab-1")
    assert waiting_job is not None and waiting_job[0] == LABEL


@pytest.mark.parametrize("sort", ["commit", "tag"])
def test_a_tag_that_names_the_commit_is_trusted(forge: Forge, api: watch.Api, sort: str) -> None:
    if sort == "tag":
        forge.documents["/git/matching-refs/tags/v1"][0]["object"] = {"type": "tag", "sha": "c" * 40}
        forge.documents[f"/git/tags/{'c' * 40}"] = {"object": {"type": "commit", "sha": "a" * 40}}
    forge.waits(TAGGED)
    waiting_job = watch.waiting(api, "lab-1")
    assert waiting_job is not None and waiting_job[1]["GITHUB_WORKFLOW_REF"].endswith("campaign.yml@refs/tags/v1")


NOT_TRUSTED = {
    "a pull request": {"event": "pull_request"},
    "a fork": {"head_repository": {"full_name": "other/plumbline"}},
    "a repository that is gone": {"head_repository": None},
    "another workflow": {"path": ".github/workflows/evil.yml"},
    "a path that only begins so": {"path": ".github/workflows/campaign.yml.yml"},
    "a branch": {"event": "push", "head_branch": "topic"},
    "a dispatch on a branch": {"event": "workflow_dispatch", "head_branch": "topic"},
    "a branch named like a tag": {"event": "push", "head_branch": "v1", "head_sha": "d" * 40},
    "a tag that is not there": {"event": "push", "head_branch": "v2"},
    "an event that the workflow does not have": {"event": "issue_comment"},
}


@pytest.mark.parametrize("changed", NOT_TRUSTED.values(), ids=NOT_TRUSTED)
def test_nothing_else_gets_one(forge: Forge, api: watch.Api, changed: dict[str, Any]) -> None:
    forge.documents["/git/matching-refs/tags/v2"] = []
    forge.waits({**RUN, **changed})
    assert watch.waiting(api, "lab-1") is None


@pytest.mark.parametrize(
    "job",
    [
        {"status": "queued", "labels": ["ubuntu-24.04"]},
        {"status": "queued", "labels": []},
        {"status": "queued", "labels": [LABEL.replace("lab-1", "lab-2")]},
        {"status": "queued", "labels": [LABEL.replace("4711", "4712")]},
        {"status": "queued", "labels": [LABEL, "self-hosted"]},
        # Whoever knows the run knows all of this one.
        {"status": "queued", "labels": ["plumbline-lab-1-4711-1"]},
        {"status": "queued", "labels": ["plumbline-lab-1-4711-1-"]},
        {"status": "waiting", "labels": [LABEL]},
        {"status": "completed", "labels": [LABEL]},
    ],
)
def test_a_job_that_is_not_for_this_host_or_does_not_wait(forge: Forge, api: watch.Api, job: dict[str, Any]) -> None:
    forge.waits(RUN, jobs=(job,))
    assert watch.waiting(api, "lab-1") is None


def test_the_oldest_comes_first(forge: Forge, api: watch.Api) -> None:
    newer = {**RUN, "id": 4712}
    job = {"status": "queued", "labels": [LABEL.replace("4711", "4712")]}
    forge.waits(newer, RUN, jobs=(JOB, job))
    waiting_job = watch.waiting(api, "lab-1")
    assert waiting_job is not None and waiting_job[1]["GITHUB_RUN_ID"] == "4711"


def test_letters_of_a_repository_may_be_small_or_capital(forge: Forge, api: watch.Api) -> None:
    forge.documents[""]["full_name"] = "Me/Plumbline"
    forge.waits({**RUN, "head_repository": {"full_name": "ME/plumbline"}})
    waiting_job = watch.waiting(api, "lab-1")
    # The hook compares these values with what GitHub tells the job, letter by letter.
    assert waiting_job is not None and waiting_job[1]["GITHUB_REPOSITORY"] == "Me/Plumbline"
    assert waiting_job[1]["GITHUB_WORKFLOW_REF"].startswith("Me/Plumbline/.github/")


def test_an_organisation_mints_with_its_own_right_and_never_twice_by_one_name(forge: Forge, api: watch.Api) -> None:
    api_of_organisation = replace(api, organization="acme", runner_group=3)
    for _ in range(2):
        watch.mint(api_of_organisation, "lab-1", LABEL)
    assert [path for path, _ in forge.posted] == ["/orgs/acme/actions/runners/generate-jitconfig"] * 2
    bodies = [body for _, body in forge.posted]
    assert {body["runner_group_id"] for body in bodies} == {3}
    names = {body["name"] for body in bodies}
    assert len(names) == 2 and all(name.startswith("lab-1-") and len(name) <= 64 for name in names)


OPEN: dict[str, dict[str, Any]] = {
    "nobody reviews": {"/environments/bare-metal": {**GUARDED, "protection_rules": []}},
    "no reviewer is named": {
        "/environments/bare-metal": {
            **GUARDED,
            "protection_rules": [{"type": "required_reviewers", "reviewers": []}],
        }
    },
    "every branch may": {"/environments/bare-metal": {**GUARDED, "deployment_branch_policy": None}},
    "protected branches may": {
        "/environments/bare-metal": {
            **GUARDED,
            "deployment_branch_policy": {"protected_branches": True, "custom_branch_policies": False},
        }
    },
    "another branch may": {
        "/environments/bare-metal/deployment-branch-policies": {
            "branch_policies": [{"name": "main", "type": "branch"}, {"name": "*", "type": "branch"}]
        }
    },
    "a branch like a tag may": {
        "/environments/bare-metal/deployment-branch-policies": {"branch_policies": [{"name": "v*", "type": "branch"}]}
    },
}


@pytest.mark.parametrize("documents", OPEN.values(), ids=OPEN)
def test_an_environment_that_guards_nothing_gets_no_runner(
    forge: Forge, api: watch.Api, capsys: pytest.CaptureFixture[str], documents: dict[str, Any]
) -> None:
    forge.waits({**RUN, "event": "workflow_dispatch", "path": ".github/workflows/bench-pr.yml"})
    assert watch.waiting(api, "lab-1") is not None
    forge.documents |= documents
    assert watch.waiting(api, "lab-1") is None
    assert "its environment 'bare-metal' guards nothing" in capsys.readouterr().err


def test_a_missing_environment_gets_no_runner(forge: Forge, api: watch.Api) -> None:
    forge.waits(RUN)
    del forge.documents["/environments/campaign"]
    assert watch.waiting(api, "lab-1") is None


@pytest.mark.parametrize(
    ("state", "mints"),
    [("inactive", 1), ("failed", 1), ("activating", 0), ("active", 0), ("deactivating", 0), ("", 0)],
)
@pytest.mark.parametrize("clean", [True, False])
def test_nothing_is_minted_while_the_host_is_wiped_or_left_unclean(
    forge: Forge, api: watch.Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    state: str, mints: int, clean: bool,
) -> None:  # fmt: skip
    start_log = tmp_path / "started"
    (tmp_path / "systemctl").write_text(f"#!/bin/sh\n[ $1 = show ] && echo {state} || echo $* >>{start_log}\n")
    (tmp_path / "systemctl").chmod(0o755)
    (tmp_path / "token").write_text("token")
    (tmp_path / "watch.json").write_text(json.dumps({"api": api.url, "repository": REPOSITORY, "host": "lab-1"}))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    for name, place in (
        ("CONFIG", "watch.json"),
        ("PLACE", ""),
        ("FLAG", "rejected"),
        ("UNCLEAN", "unclean"),
    ):
        monkeypatch.setattr(watch, name, tmp_path / place)
    monkeypatch.setattr(grp, "getgrnam", lambda name: grp.getgrgid(os.getegid()))
    if not clean:
        (tmp_path / "unclean").write_text("the wipe failed")
    forge.waits(RUN)
    assert watch.main() == 0
    assert len(forge.posted) == (mints if clean else 0)
    assert start_log.exists() == bool(forge.posted)


def test_a_wrong_job_is_followed_by_another_runner_and_several_by_a_person(tmp_path: Path) -> None:
    flag = tmp_path / "rejected"
    assert watch.may_go_on(flag, tmp_path, 0.0)
    for number in (1, 2):
        flag.write_text("GITHUB_RUN_ID is 'evil'\n")
        assert watch.may_go_on(flag, tmp_path, float(number)) and not flag.exists()
    flag.write_text("a third\n")
    assert not watch.may_go_on(flag, tmp_path, 3.0) and flag.exists()
    # The flag stays, after any number of checks and any time, until somebody takes it away.
    assert not watch.may_go_on(flag, tmp_path, 9.0 * watch.REMEMBERED_S) and flag.exists()
    flag.unlink()
    assert watch.may_go_on(flag, tmp_path, 5.0)
    flag.write_text("a first again\n")
    assert watch.may_go_on(flag, tmp_path, 6.0) and not flag.exists()


def test_what_was_rejected_days_ago_does_not_count(tmp_path: Path) -> None:
    flag = tmp_path / "rejected"
    for day in range(6):
        flag.write_text("one a day\n")
        assert watch.may_go_on(flag, tmp_path, day * (watch.REMEMBERED_S + 1.0)) and not flag.exists()


def test_the_configuration_is_roots_and_the_hook_reads_what_was_minted(tmp_path: Path) -> None:
    group = grp.getgrgid(os.getegid()).gr_gid
    watch.deliver(tmp_path, "c2VjcmV0", {"GITHUB_RUN_ID": "4711"}, group)
    assert (tmp_path / "jitconfig").read_text() == "c2VjcmV0"
    assert (tmp_path / "minted").read_text() == "GITHUB_RUN_ID=4711\n"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"jitconfig": 0o600, "minted": 0o640}
