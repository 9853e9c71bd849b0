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
MAIN, TAGS = {"name": "main", "type": "branch"}, {"name": "v*", "type": "tag"}
POLICIES = {"campaign": {"branch_policies": [MAIN, TAGS]}, "bare-metal": {"branch_policies": [MAIN]}}


class Forge:
    """Documents by path, and what was posted."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {
            "": {"full_name": REPOSITORY, "default_branch": "main"},
            **{f"/environments/{name}": GUARDED for name in POLICIES},
            **{f"/environments/{name}/deployment-branch-policies": refs for name, refs in POLICIES.items()},
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


def waiting(api: watch.Api) -> tuple[str, dict[str, str]] | None:
    return watch.waiting(api, "lab-1", print)


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
    waiting_job = waiting(api)
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
    waiting_job = waiting(api)
    assert waiting_job is not None and waiting_job[0] == LABEL


@pytest.mark.parametrize("event", ["push", "workflow_dispatch"])
@pytest.mark.parametrize("sort", ["commit", "tag"])
def test_a_tag_that_names_the_commit_is_trusted(forge: Forge, api: watch.Api, sort: str, event: str) -> None:
    if sort == "tag":
        forge.documents["/git/matching-refs/tags/v1"][0]["object"] = {"type": "tag", "sha": "c" * 40}
        forge.documents[f"/git/tags/{'c' * 40}"] = {"object": {"type": "commit", "sha": "a" * 40}}
    forge.waits({**TAGGED, "event": event})
    waiting_job = waiting(api)
    assert waiting_job is not None and waiting_job[1]["GITHUB_WORKFLOW_REF"].endswith("campaign.yml@refs/tags/v1")
    assert waiting_job[1]["GITHUB_EVENT_NAME"] == event


DISPATCHED = {"event": "workflow_dispatch", "head_branch": "v1"}
NOT_TRUSTED = {
    "a pull request": {"event": "pull_request"},
    "a fork": {"head_repository": {"full_name": "other/plumbline"}},
    "a repository that is gone": {"head_repository": None},
    "another workflow": {"path": ".github/workflows/evil.yml"},
    "a path that only begins so": {"path": ".github/workflows/campaign.yml.yml"},
    "a branch": {"event": "push", "head_branch": "topic"},
    "a dispatch on a branch": {"event": "workflow_dispatch", "head_branch": "topic"},
    "a dispatch on a branch named like a tag": {**DISPATCHED, "head_sha": "d" * 40},
    "a dispatch on a tag that is not there": {**DISPATCHED, "head_branch": "v2"},
    "a night on a tag": {"head_branch": "v1"},
    "a comparison on a tag": {**DISPATCHED, "path": ".github/workflows/confirm.yml"},
    "a pull request measured on a tag": {**DISPATCHED, "path": ".github/workflows/bench-pr.yml"},
    "a branch named like a tag": {"event": "push", "head_branch": "v1", "head_sha": "d" * 40},
    "a tag that is not there": {"event": "push", "head_branch": "v2"},
    "an event that the workflow does not have": {"event": "issue_comment"},
}


@pytest.mark.parametrize("changed", NOT_TRUSTED.values(), ids=NOT_TRUSTED)
def test_nothing_else_gets_one(forge: Forge, api: watch.Api, changed: dict[str, Any]) -> None:
    forge.documents["/git/matching-refs/tags/v2"] = []
    forge.waits({**RUN, **changed})
    assert waiting(api) is None


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
    assert waiting(api) is None


def test_a_run_of_ours_on_another_ref_is_told_and_others_are_not(
    forge: Forge, api: watch.Api, capsys: pytest.CaptureFixture[str]
) -> None:
    forge.waits({**RUN, "event": "workflow_dispatch", "head_branch": "topic\nRun 1 is fine"})
    assert waiting(api) is None
    (line,) = capsys.readouterr().out.splitlines()
    told = "its ref 'topic\\nRun 1 is fine' is not the branch main or a tag v* of its commit."
    assert line == f"Run 4711 gets no runner: {told}"
    forge.waits({**RUN, "event": "pull_request", "head_branch": "topic"})
    assert waiting(api) is None and capsys.readouterr().out == ""


def test_a_line_is_said_once_over_all_looks_at_github(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("first", "second", "first", "second"):
        watch.say_once(tmp_path / "said", line)
    assert capsys.readouterr().err == "first\nsecond\n"
    for number in range(500):
        watch.say_once(tmp_path / "said", f"{number}")
    assert len((tmp_path / "said").read_text().splitlines()) == 100


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_nothing_waits_while_a_job_runs_on_this_host(forge: Forge, api: watch.Api, status: str) -> None:
    forge.waits(RUN)
    newer = {**RUN, "id": 4712}
    label = LABEL.replace("4711", "4712")
    forge.documents[f"/actions/runs?status={status}&per_page=100"] = {"workflow_runs": [newer, RUN]}
    jobs = "/actions/runs/4712/attempts/1/jobs?per_page=100"
    forge.documents[jobs] = {"jobs": [{"status": "in_progress", "labels": [label.replace("lab-1", "lab-2")]}]}
    waiting_job = waiting(api)
    assert waiting_job is not None and waiting_job[0] == LABEL
    forge.documents[jobs] = {"jobs": [{"status": "in_progress", "labels": [label]}]}
    assert waiting(api) is None
    # A tag that is moved or deleted meanwhile does not free the host.
    newer |= {"event": "push", "head_branch": "v2"}
    assert waiting(api) is None


def test_the_oldest_comes_first(forge: Forge, api: watch.Api) -> None:
    newer = {**RUN, "id": 4712}
    job = {"status": "queued", "labels": [LABEL.replace("4711", "4712")]}
    forge.waits(newer, RUN, jobs=(JOB, job))
    waiting_job = waiting(api)
    assert waiting_job is not None and waiting_job[1]["GITHUB_RUN_ID"] == "4711"


def test_letters_of_a_repository_may_be_small_or_capital(forge: Forge, api: watch.Api) -> None:
    forge.documents[""]["full_name"] = "Me/Plumbline"
    forge.waits({**RUN, "head_repository": {"full_name": "ME/plumbline"}})
    waiting_job = waiting(api)
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
    "tags may": {"/environments/bare-metal/deployment-branch-policies": {"branch_policies": [MAIN, TAGS]}},
    "a branch like a tag may": {
        "/environments/bare-metal/deployment-branch-policies": {"branch_policies": [{"name": "v*", "type": "branch"}]}
    },
}


@pytest.mark.parametrize("documents", OPEN.values(), ids=OPEN)
def test_an_environment_that_guards_nothing_gets_no_runner(
    forge: Forge, api: watch.Api, capsys: pytest.CaptureFixture[str], documents: dict[str, Any]
) -> None:
    forge.waits({**RUN, "event": "workflow_dispatch", "path": ".github/workflows/bench-pr.yml"})
    assert waiting(api) is not None
    forge.documents |= documents
    assert waiting(api) is None
    assert "its environment 'bare-metal' guards nothing" in capsys.readouterr().out


def test_a_missing_environment_gets_no_runner(forge: Forge, api: watch.Api) -> None:
    forge.waits(RUN)
    del forge.documents["/environments/campaign"]
    assert waiting(api) is None


@pytest.fixture
def machine(api: watch.Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that `main` reads and writes, `systemctl` included: each start becomes a line in `started`."""
    (tmp_path / "state").write_text("inactive")
    (tmp_path / "systemctl").write_text(
        f"#!/bin/sh\n[ $1 = show ] && cat {tmp_path}/state || echo $* >>{tmp_path}/started\n"
    )
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
    return tmp_path


@pytest.mark.parametrize(
    ("state", "mints"),
    [("inactive", 1), ("failed", 1), ("activating", 0), ("active", 0), ("deactivating", 0), ("", 0)],
)
@pytest.mark.parametrize("clean", [True, False])
def test_nothing_is_minted_while_the_host_is_wiped_or_left_unclean(
    forge: Forge, machine: Path, state: str, mints: int, clean: bool
) -> None:
    (machine / "state").write_text(state)
    if not clean:
        (machine / "unclean").write_text("the wipe failed")
    forge.waits(RUN)
    assert watch.main() == 0
    assert len(forge.posted) == (mints if clean else 0)
    assert (machine / "started").exists() == bool(forge.posted)


@pytest.mark.parametrize(
    ("status", "is_old", "stops"),
    [("completed", True, True), ("completed", False, False), ("queued", True, False), ("in_progress", True, False)],
)
def test_a_runner_whose_job_ended_before_it_came_is_stopped_and_no_other(
    forge: Forge, machine: Path, capsys: pytest.CaptureFixture[str], status: str, is_old: bool, stops: bool
) -> None:
    forge.waits(RUN)
    assert watch.main() == 0
    (machine / "state").write_text("active")
    forge.waits(RUN, jobs=({**JOB, "status": status},))
    if is_old:
        os.utime(machine / "minted", (0, 0))
    capsys.readouterr()
    assert watch.main() == 0
    _, *later = (machine / "started").read_text().splitlines()
    assert later == (["stop --no-block plumbline-runner.service"] if stops else [])
    assert capsys.readouterr().err.count("Run 4711 has no use for its runner") == stops
    # A job that waits or runs is asked for again after some minutes only.
    assert (machine / "minted").stat().st_mtime == 0 if stops else (machine / "minted").stat().st_mtime > 0


def test_a_host_without_the_group_of_the_hook_mints_nothing(
    forge: Forge, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grp, "getgrnam", {}.__getitem__)
    forge.waits(RUN)
    with pytest.raises(KeyError):
        watch.main()
    assert forge.posted == []


@pytest.fixture
def elsewhere(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a machine that is not the host: no such group, and a command that takes files to the host."""
    settings = json.loads((machine / "watch.json").read_text())
    command = ["sh", "-c", 'cat "$0/minted" >>"$0/on-the-host"']
    (machine / "watch.json").write_text(json.dumps({**settings, "deliver": command}))
    monkeypatch.setattr(grp, "getgrnam", {}.__getitem__)
    return machine


def test_another_machine_delivers_one_runner_until_its_job_runs_or_it_is_lost(forge: Forge, elsewhere: Path) -> None:
    forge.waits(RUN)
    for _ in range(3):
        assert watch.main() == 0
    assert len(forge.posted) == 1 and not (elsewhere / "started").exists()
    delivered = (elsewhere / "on-the-host").read_text().splitlines()
    assert f"LABEL={LABEL}" in delivered and delivered.count("GITHUB_RUN_ID=4711") == 1
    # A runner that nobody has seen for so long does not come any more.
    delivered_at = (elsewhere / "delivered").stat().st_mtime - watch.DELIVERY_S
    os.utime(elsewhere / "delivered", (delivered_at, delivered_at))
    assert watch.main() == 0
    assert len(forge.posted) == 2


def test_another_machine_delivers_the_next_job_at_once(forge: Forge, elsewhere: Path) -> None:
    forge.waits(RUN)
    assert watch.main() == 0
    label = LABEL.replace("4711", "4712")
    forge.waits({**RUN, "id": 4712}, jobs=({"status": "queued", "labels": [label]},))
    assert watch.main() == 0
    assert [body["labels"] for _, body in forge.posted] == [[LABEL], [label]]


@pytest.mark.parametrize("rejected", [False, True])
def test_a_unit_that_fails_at_once_gets_its_next_runner_some_minutes_later(
    forge: Forge, machine: Path, rejected: bool
) -> None:
    forge.waits(RUN)
    for _ in range(3):
        assert watch.main() == 0
        # The unit takes both files away when it ends.
        for name in ("minted", "jitconfig"):
            (machine / name).unlink(missing_ok=True)
    assert len(forge.posted) == 1
    if rejected:
        (machine / "rejected").write_text("GITHUB_RUN_ID is 'evil'\n")
    else:
        os.utime(machine / "delivered", (0, 0))
    assert watch.main() == 0
    assert len(forge.posted) == len((machine / "started").read_text().splitlines()) == 2


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
    watch.deliver(tmp_path, "c2VjcmV0", {"GITHUB_RUN_ID": "4711", "LABEL": LABEL}, group)
    assert (tmp_path / "jitconfig").read_text() == "c2VjcmV0"
    assert (tmp_path / "minted").read_text() == f"GITHUB_RUN_ID=4711\nLABEL={LABEL}\n"
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("jitconfig", "minted")}
    assert modes == {"jitconfig": 0o600, "minted": 0o640}
