"""The settings of a repository that security rests on, held against what they should be. Only read, never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .api import Api, ApiError

Answer = Literal["as wanted", "wrong", "unknown"]


@dataclass(frozen=True)
class RepositorySetting:
    """A setting of the repository: its purpose, the value that was seen (or `unknown`), and where the owner clicks."""

    name: str
    answer: Answer
    seen: str
    wanted: str
    where: str


def settings(api: Api) -> tuple[RepositorySetting, ...]:
    """Return every setting on the list, in its order."""
    return tuple(one for check in _CHECKS for one in _asked(check, api))


def _asked(check: Callable[[Api], Iterator[RepositorySetting]], api: Api) -> Iterator[RepositorySetting]:
    try:
        yield from check(api)
    except ApiError as error:
        name, wanted, where = _ABOUT[check.__name__]
        yield RepositorySetting(name, "unknown", f"answered with {error.status}", wanted, where)


def _held(check: str, right: bool | None, seen: str) -> RepositorySetting:
    name, wanted, where = _ABOUT[check]
    answer: Answer = "unknown" if right is None else "as wanted" if right else "wrong"
    return RepositorySetting(name, answer, seen, wanted, where)


def _token(api: Api) -> Iterator[RepositorySetting]:
    found = api.get(api.path("actions", "permissions", "workflow"))
    kind = str(found.get("default_workflow_permissions", "unknown"))
    yield _held("_token", kind == "read", kind)


def _pull_requests(api: Api) -> Iterator[RepositorySetting]:
    found = api.get(api.path("actions", "permissions", "workflow"))
    may = found.get("can_approve_pull_request_reviews")
    yield _held("_pull_requests", None if may is None else bool(may), str(may).lower())


def _approval(api: Api) -> Iterator[RepositorySetting]:
    found = api.get(api.path("actions", "permissions", "fork-pr-contributor-approval"))
    policy = str(found.get("approval_policy", "unknown"))
    yield _held("_approval", policy == "all_external_contributors", policy)


def _actions(api: Api) -> Iterator[RepositorySetting]:
    found = api.get(api.path("actions", "permissions"))
    pinned = found.get("sha_pinning_required")
    yield _held("_actions", None if pinned is None else bool(pinned), str(pinned).lower())


# What may deploy to each environment: GitHub makes a missing one by itself, open to everybody.
_REFS = frozenset({("branch", "main"), ("tag", "v*")})


def _environment(api: Api, check: str, name: str, *, reviewed: bool) -> Iterator[RepositorySetting]:
    """Yield an environment that a workflow names: which refs may use it, and whether a person has to say yes."""
    found = api.find(api.path("environments", name))
    if found is None:
        yield _held(check, False, "there is none, and GitHub would make it without any rule")
        return
    policy = found.get("deployment_branch_policy") or {}
    refs: set[tuple[str, str]] = set()
    if policy.get("custom_branch_policies"):
        path = api.path("environments", name, "deployment-branch-policies")
        rows = api.pages(path, "branch_policies")
        refs = {(str(row.get("type", "branch")), str(row["name"])) for row in rows}
    rules = found.get("protection_rules", ())
    has_reviewers = any(rule.get("type") == "required_reviewers" and rule.get("reviewers") for rule in rules)
    seen = [", ".join(f"{kind} {ref}" for kind, ref in sorted(refs)) or "open to every branch"]
    if reviewed:
        seen.append("with reviewers" if has_reviewers else "without reviewers")
    yield _held(check, bool(refs) and refs <= _REFS and (has_reviewers or not reviewed), "; ".join(seen))


def _bare_metal(api: Api) -> Iterator[RepositorySetting]:
    yield from _environment(api, "_bare_metal", "bare-metal", reviewed=True)


def _campaign(api: Api) -> Iterator[RepositorySetting]:
    yield from _environment(api, "_campaign", "campaign", reviewed=False)


def _github_pages(api: Api) -> Iterator[RepositorySetting]:
    yield from _environment(api, "_github_pages", "github-pages", reviewed=False)


def _pages(api: Api) -> Iterator[RepositorySetting]:
    found = api.find(api.path("pages"))
    kind = "off" if found is None else str(found.get("build_type", "unknown"))
    yield _held("_pages", kind == "workflow", kind)


def _rulesets(api: Api, target: str, pattern: str) -> list[Mapping[str, Any]]:
    found = []
    for row in api.pages(api.path("rulesets")):
        if row.get("target") != target or row.get("enforcement") != "active":
            continue
        whole = api.get(api.path("rulesets", row["id"]))
        included = whole.get("conditions", {}).get("ref_name", {}).get("include", ())
        if any(
            one in (pattern, "~ALL") or (one == "~DEFAULT_BRANCH" and "main" in pattern) for one in included
        ):
            found.append(whole)
    return found


def _main_branch(api: Api) -> Iterator[RepositorySetting]:
    kinds = {
        rule["type"] for one in _rulesets(api, "branch", "refs/heads/main") for rule in one.get("rules", ())
    }
    yield _held(
        "_main_branch",
        {"deletion", "non_fast_forward", "pull_request"} <= kinds,
        ", ".join(sorted(kinds)) or "none",
    )


def _data_branch(api: Api) -> Iterator[RepositorySetting]:
    kinds = {
        rule["type"] for one in _rulesets(api, "branch", "refs/heads/data") for rule in one.get("rules", ())
    }
    yield _held("_data_branch", {"deletion", "non_fast_forward"} <= kinds, ", ".join(sorted(kinds)) or "none")


def _tags(api: Api) -> Iterator[RepositorySetting]:
    kinds = {rule["type"] for one in _rulesets(api, "tag", "refs/tags/v*") for rule in one.get("rules", ())}
    right = {"creation", "deletion"} <= kinds and bool(kinds & {"update", "non_fast_forward"})
    yield _held("_tags", right, ", ".join(sorted(kinds)) or "none")


def _runners(api: Api) -> Iterator[RepositorySetting]:
    standing = [
        str(runner["name"])[:60]
        for runner in api.pages(api.path("actions", "runners"), "runners")
        if not runner.get("ephemeral", False) and runner.get("status") == "online"
    ]
    yield _held("_runners", not standing, ", ".join(standing) or "none stands by")


_CHECKS: tuple[Callable[[Api], Iterator[RepositorySetting]], ...] = (
    *(_token, _pull_requests, _approval, _actions, _bare_metal, _campaign, _github_pages),
    *(_pages, _main_branch, _data_branch, _tags, _runners),
)

_GENERAL = "Settings, Actions, General"
_RULES = "Settings, Rules, Rulesets"
_ABOUT: dict[str, tuple[str, str, str]] = {
    "_token": ("what a job's token may do by itself", "read", _GENERAL),
    "_pull_requests": ("whether workflows may open pull requests (dependencies.yml)", "true", _GENERAL),
    "_approval": ("whose pull requests wait for approval", "all_external_contributors", _GENERAL),
    "_actions": ("whether actions must be pinned by a full commit", "true", _GENERAL),
    "_bare_metal": (
        "environment bare-metal",
        "branch main or tag v* alone; with reviewers",
        "Settings, Environments",
    ),
    "_campaign": ("environment campaign", "branch main and tag v* alone", "Settings, Environments"),
    "_github_pages": ("environment github-pages", "branch main and tag v* alone", "Settings, Environments"),
    "_pages": ("source of the pages", "workflow", "Settings, Pages"),
    "_main_branch": ("rules of the branch main", "deletion, non_fast_forward, pull_request", _RULES),
    "_data_branch": ("rules of the branch data", "deletion, non_fast_forward", _RULES),
    "_tags": ("rules of the tags v*", "creation, deletion, update", _RULES),
    "_runners": ("runners that stand by", "none: each comes for one job", "Settings, Actions, Runners"),
}
