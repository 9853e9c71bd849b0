"""The settings of a repository that security rests on, held against what they should be. Only read, never changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from .api import Api, ApiError

Answer = Literal["as wanted", "wrong", "unknown"]
Seen = tuple[bool | None, str]
"""Whether a setting is as wanted (None where the forge does not say), and what was seen."""


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
    return tuple(_held(api, *row) for row in _SETTINGS)


def _held(api: Api, name: str, wanted: str, where: str, check: Callable[[Api], Seen]) -> RepositorySetting:
    try:
        right, seen = check(api)
    except ApiError as error:
        right, seen = None, f"answered with {error.status}"
    answer: Answer = "unknown" if right is None else "as wanted" if right else "wrong"
    return RepositorySetting(name, answer, seen, wanted, where)


def _token(api: Api) -> Seen:
    found = api.get(api.path("actions", "permissions", "workflow"))
    kind = str(found.get("default_workflow_permissions", "unknown"))
    return kind == "read", kind


def _pull_requests(api: Api) -> Seen:
    may = api.get(api.path("actions", "permissions", "workflow")).get("can_approve_pull_request_reviews")
    return None if may is None else bool(may), str(may).lower()


def _approval(api: Api) -> Seen:
    found = api.get(api.path("actions", "permissions", "fork-pr-contributor-approval"))
    policy = str(found.get("approval_policy", "unknown"))
    return policy == "all_external_contributors", policy


def _actions(api: Api) -> Seen:
    pinned = api.get(api.path("actions", "permissions")).get("sha_pinning_required")
    return None if pinned is None else bool(pinned), str(pinned).lower()


# What may deploy to each environment: GitHub makes a missing one by itself, open to everybody.
_REFS = frozenset({("branch", "main"), ("tag", "v*")})


def _environment(api: Api, *, name: str, reviewed: bool) -> Seen:
    """Look at an environment that a workflow names: which refs may use it, and whether a person has to say yes."""
    found = api.find(api.path("environments", name))
    if found is None:
        return False, "there is none, and GitHub would make it without any rule"
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
    return bool(refs) and refs <= _REFS and (has_reviewers or not reviewed), "; ".join(seen)


def _pages(api: Api) -> Seen:
    found = api.find(api.path("pages"))
    kind = "off" if found is None else str(found.get("build_type", "unknown"))
    return kind == "workflow", kind


def _rules(api: Api, *, ref: str, needed: frozenset[str], one_of: frozenset[str] = frozenset()) -> Seen:
    """Look at the rules that are in force for a ref: all that are `needed`, and one of `one_of` if there is any."""
    target = "tag" if ref.startswith("refs/tags/") else "branch"
    kinds: set[str] = set()
    for row in api.pages(api.path("rulesets")):
        if row.get("target") != target or row.get("enforcement") != "active":
            continue
        whole = api.get(api.path("rulesets", row["id"]))
        included = whole.get("conditions", {}).get("ref_name", {}).get("include", ())
        if any(one in (ref, "~ALL") or (one == "~DEFAULT_BRANCH" and "main" in ref) for one in included):
            kinds |= {rule["type"] for rule in whole.get("rules", ())}
    right = needed <= kinds and (not one_of or bool(kinds & one_of))
    return right, ", ".join(sorted(kinds)) or "none"


def _runners(api: Api) -> Seen:
    standing = [
        str(runner["name"])[:60]
        for runner in api.pages(api.path("actions", "runners"), "runners")
        if not runner.get("ephemeral", False) and runner.get("status") == "online"
    ]
    return not standing, ", ".join(standing) or "none stands by"


_GENERAL, _ENVIRONMENTS = "Settings, Actions, General", "Settings, Environments"
_RULESETS = "Settings, Rules, Rulesets"
_KEPT = frozenset({"deletion", "non_fast_forward"})
# What a setting is about, what is wanted, where the owner clicks, and what looks at it.
_SETTINGS: tuple[tuple[str, str, str, Callable[[Api], Seen]], ...] = (
    ("what a job's token may do by itself", "read", _GENERAL, _token),
    ("whether workflows may open pull requests (dependencies.yml)", "true", _GENERAL, _pull_requests),
    ("whose pull requests wait for approval", "all_external_contributors", _GENERAL, _approval),
    ("whether actions must be pinned by a full commit", "true", _GENERAL, _actions),
    (
        "environment bare-metal",
        "branch main or tag v* alone; with reviewers",
        _ENVIRONMENTS,
        partial(_environment, name="bare-metal", reviewed=True),
    ),
    *(
        (
            f"environment {name}",
            "branch main and tag v* alone",
            _ENVIRONMENTS,
            partial(_environment, name=name, reviewed=False),
        )
        for name in ("campaign", "github-pages")
    ),
    ("source of the pages", "workflow", "Settings, Pages", _pages),
    (
        "rules of the branch main",
        "deletion, non_fast_forward, pull_request",
        _RULESETS,
        partial(_rules, ref="refs/heads/main", needed=_KEPT | {"pull_request"}),
    ),
    (
        "rules of the branch data",
        "deletion, non_fast_forward",
        _RULESETS,
        partial(_rules, ref="refs/heads/data", needed=_KEPT),
    ),
    (
        "rules of the tags v*",
        "creation, deletion, update",
        _RULESETS,
        partial(
            _rules,
            ref="refs/tags/v*",
            needed=frozenset({"creation", "deletion"}),
            one_of=frozenset({"update", "non_fast_forward"}),
        ),
    ),
    ("runners that stand by", "none: each comes for one job", "Settings, Actions, Runners", _runners),
)
