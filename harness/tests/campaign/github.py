"""A stand-in for GitHub's API: one repository, which answers as the documentation of each call says, and keeps state.

Git answers what it knows: comparisons, files and commits come out of a bare repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .checkout import REPOSITORY, git
from .clicks import NEW

TOKEN = "token-of-the-job"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
Answer = tuple[int, Any]
NOT_FOUND: Answer = (404, {"message": "Not Found"})


@dataclass
class GitHub:
    """`bare` is the repository; lists hold what calls made, the newest last.

    `pins` are third-party actions with commit and tag, `releases_of` artifacts of a Maven repository with versions,
    `settings` the repository's settings by their paths.
    """

    bare: Path
    pins: dict[str, tuple[str, str]]
    url: str = ""
    releases_of: dict[str, list[str]] = field(default_factory=dict)
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)
    issues: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    releases: list[dict[str, Any]] = field(default_factory=list)
    dispatched: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    unauthorized: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=lambda: dict(NEW))

    def open_pull(self, number: int, head: str, repository: str, ref: str = "change") -> None:
        """Open a pull request from a repository at a commit that the bare repository already has."""
        git(self.bare, "update-ref", f"refs/pull/{number}/head", head)
        self.pulls[number] = {
            "number": number,
            "state": "open",
            "html_url": f"https://github.com/{REPOSITORY}/pull/{number}",
            "head": {"sha": head, "ref": ref, "repo": {"full_name": repository}},
            "base": {
                "sha": git(self.bare, "rev-parse", "main").strip(),
                "ref": "main",
                "repo": {"full_name": REPOSITORY, "default_branch": "main"},
            },
        }

    def ran(self, number: int, workflow: str, event: str, head: str, repository: str, conclusion: str) -> None:
        """Add a run that ended, as the list of runs has it."""
        self.runs.append(
            {
                "id": number,
                "run_number": number,
                "run_attempt": 1,
                "event": event,
                "head_sha": head,
                "path": f".github/workflows/{workflow}",
                "head_repository": {"full_name": repository},
                "status": "completed",
                "conclusion": conclusion,
            }
        )

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        """Return the status and the document that answer a call."""
        for route_method, pattern, call in _ROUTES:
            match = re.fullmatch(pattern.replace("{repo}", f"/repos/{re.escape(REPOSITORY)}"), path)
            if route_method == method and match:
                answer: Answer = call(self, match, query, body)
                return answer
        return NOT_FOUND


def _paged(rows: list[Any], query: dict[str, str]) -> list[Any]:
    size, page = min(100, int(query.get("per_page", 30))), int(query.get("page", 1))
    return rows[(page - 1) * size : page * size]


def _pull(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    pull = hub.pulls.get(int(match[1]))
    if pull is None:
        return NOT_FOUND
    pull.update(body or {})
    return 200, pull


def _pulls(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    owner, _, ref = query.get("head", "").partition(":")
    rows = [
        pull
        for pull in hub.pulls.values()
        if pull["state"] == query.get("state", "open")
        and (not ref or (pull["head"]["ref"] == ref and pull["head"]["repo"]["full_name"].startswith(owner)))
    ]
    return 200, _paged(rows, query)


def _propose(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    number = max(hub.pulls, default=0) + 1
    hub.open_pull(number, git(hub.bare, "rev-parse", body["head"]).strip(), REPOSITORY, body["head"])
    hub.pulls[number] |= {"title": body["title"], "body": body["body"]}
    return 201, hub.pulls[number]


def _compare(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    base, head = match[1], match[2]
    if "/" in head and not git(hub.bare, "for-each-ref", f"refs/heads/{head}"):
        return NOT_FOUND
    merge_base = git(hub.bare, "merge-base", base, head).strip()
    words = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}
    files = []
    for row in git(hub.bare, "diff", "--name-status", "-M", merge_base, head).splitlines():
        kind, *names = row.split("\t")
        previous = {"previous_filename": names[0]} if len(names) == 2 else {}
        files.append({"filename": names[-1], "status": words[kind[0]], **previous})
    rows = git(hub.bare, "log", "--reverse", "--format=%H %T %ce %P", f"{base}..{head}").splitlines()
    commits = [
        {
            "sha": sha,
            "commit": {"tree": {"sha": tree}, "committer": {"email": email}},
            "parents": [{"sha": parent} for parent in parents],
        }
        for sha, tree, email, *parents in map(str.split, rows)
    ]
    return 200, {
        "merge_base_commit": {"sha": merge_base},
        "commits": _paged(commits, query),
        "files": files[:300],
    }


def _contents(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    place = f"{query['ref']}:{match[1]}"
    if git(hub.bare, "cat-file", "-t", place).strip() == "tree":
        return 200, [{"name": name} for name in git(hub.bare, "ls-tree", "--name-only", place).splitlines()]
    return 200, git(hub.bare, "show", place).encode()


def _runs(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    rows = [
        run
        for run in reversed(hub.runs)
        if all(run[name] == query[name] for name in ("head_sha", "event") if name in query)
    ]
    return 200, {"total_count": len(rows), "workflow_runs": _paged(rows, query)}


def _issues(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    labels = set(filter(None, query.get("labels", "").split(",")))
    rows = [
        issue
        for issue in reversed(hub.issues)
        if query.get("state", "open") in ("all", issue["state"])
        and labels <= {label["name"] for label in issue["labels"]}
    ]
    return 200, _paged(rows, query)


def _open_issue(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    labels = [{"name": name} for name in body.get("labels", ())]
    hub.issues.append({**body, "number": len(hub.issues) + 100, "state": "open", "labels": labels})
    return 201, hub.issues[-1]


def _change_issue(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    for issue in hub.issues:
        if str(issue["number"]) == match[1]:
            issue.update(body)
            return 200, issue
    return NOT_FOUND


def _comments(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    return 200, _paged([comment for comment in hub.comments if comment["issue"] == match[1]], query)


def _comment(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    number = len(hub.comments) + 1
    address = f"https://github.com/{REPOSITORY}/pull/{match[1]}#issuecomment-{number}"
    hub.comments.append({**body, "id": number, "issue": match[1], "user": BOT, "html_url": address})
    return 201, hub.comments[-1]


def _change_comment(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    hub.comments[int(match[1]) - 1].update(body)
    return 200, hub.comments[int(match[1]) - 1]


def _release(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    return next(((200, release) for release in hub.releases if release["tag_name"] == match[1]), NOT_FOUND)


def _make_release(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    number = len(hub.releases) + 1
    uploads = f"{hub.url}/repos/{REPOSITORY}/releases/{number}/assets{{?name,label}}"
    hub.releases.append({**body, "id": number, "upload_url": uploads, "assets": []})
    return 201, hub.releases[-1]


def _assets(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    return 200, _paged(hub.releases[int(match[1]) - 1]["assets"], query)


def _upload(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    address = f"https://github.com/{REPOSITORY}/releases/download/{query['name']}"
    asset = {"name": query["name"], "size": len(body), "browser_download_url": address}
    hub.releases[int(match[1]) - 1]["assets"].append(asset)
    return 201, asset


def _dispatch(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    hub.dispatched.append((match[1], body["ref"], dict(body.get("inputs", {}))))
    return 204, None


def _setting(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    document = hub.settings.get(match[1])
    return NOT_FOUND if document is None else (200, _paged(document, query) if isinstance(document, list) else document)


def _latest(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    return (200, {"tag_name": hub.pins[match[1]][1]}) if match[1] in hub.pins else NOT_FOUND


def _commit(hub: GitHub, match: re.Match[str], query: dict[str, str], body: Any) -> Answer:
    return (200, {"sha": hub.pins[match[1]][0]}) if match[1] in hub.pins else NOT_FOUND


Call = Callable[[GitHub, re.Match[str], dict[str, str], Any], Answer]
_ROUTES: tuple[tuple[str, str, Call], ...] = (
    ("GET", r"{repo}/pulls/(\d+)", _pull),
    ("PATCH", r"{repo}/pulls/(\d+)", _pull),
    ("GET", r"{repo}/pulls", _pulls),
    ("POST", r"{repo}/pulls", _propose),
    ("GET", r"{repo}/compare/([0-9a-f]{40}|main)\.\.\.([0-9a-f]{40}|versions/[a-z0-9-]+)", _compare),
    ("GET", r"{repo}/contents/(.+)", _contents),
    ("GET", r"{repo}/actions/runs", _runs),
    ("GET", r"{repo}/issues", _issues),
    ("POST", r"{repo}/issues", _open_issue),
    ("PATCH", r"{repo}/issues/(\d+)", _change_issue),
    ("GET", r"{repo}/labels", lambda hub, match, query, body: (200, [])),
    ("GET", r"{repo}/issues/(\d+)/comments", _comments),
    ("POST", r"{repo}/issues/(\d+)/comments", _comment),
    ("PATCH", r"{repo}/issues/comments/(\d+)", _change_comment),
    ("GET", r"{repo}/releases/tags/(.+)", _release),
    ("POST", r"{repo}/releases", _make_release),
    ("GET", r"{repo}/releases/(\d+)/assets", _assets),
    ("POST", r"{repo}/releases/(\d+)/assets", _upload),
    ("POST", r"{repo}/actions/workflows/([\w.-]+)/dispatches", _dispatch),
    ("GET", r"{repo}/(actions/(?:permissions|runners).*|environments/.+|pages|rulesets.*)", _setting),
    ("GET", r"/repos/([\w.-]+/[\w.-]+)/releases/latest", _latest),
    ("GET", r"/repos/([\w.-]+/[\w.-]+)/commits/.+", _commit),
)
