"""Compare the settings of a repository that security rests on with what they should be. They are only read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from .api import Api, ApiError

Answer = Literal["as wanted", "wrong", "unknown"]
Reading = tuple[bool | None, str]
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
    return tuple(_checked_setting(api, *row) for row in _SETTINGS)


def _checked_setting(
    api: Api, name: str, wanted: str, where: str, check: Callable[[Api], Reading]
) -> RepositorySetting:
    try:
        is_right, seen = check(api)
    except ApiError as error:
        is_right, seen = None, f"answered with {error.status}"
    answer: Answer = "unknown" if is_right is None else "as wanted" if is_right else "wrong"
    return RepositorySetting(name, answer, seen, wanted, where)


def _token(api: Api) -> Reading:
    answer = api.get(api.path("actions", "permissions", "workflow"))
    kind = str(answer.get("default_workflow_permissions", "unknown"))
    return kind == "read", kind


def _pull_requests(api: Api) -> Reading:
    may_approve = api.get(api.path("actions", "permissions", "workflow")).get("can_approve_pull_request_reviews")
    return None if may_approve is None else bool(may_approve), str(may_approve).lower()


def _approval(api: Api) -> Reading:
    answer = api.get(api.path("actions", "permissions", "fork-pr-contributor-approval"))
    policy = str(answer.get("approval_policy", "unknown"))
    return policy == "all_external_contributors", policy


def _actions(api: Api) -> Reading:
    pinning_required = api.get(api.path("actions", "permissions")).get("sha_pinning_required")
    return None if pinning_required is None else bool(pinning_required), str(pinning_required).lower()


# The refs that may deploy to an environment: GitHub makes a missing environment by itself, open to every ref.
_MAIN, _TAGS = ("branch", "main"), ("tag", "v*")


def _environment(api: Api, *, name: str, wanted_refs: frozenset[tuple[str, str]], reviewed: bool) -> Reading:
    """Check an environment that a workflow names: which refs may use it, and whether a person has to approve."""
    environment = api.find(api.path("environments", name))
    if environment is None:
        return False, "there is none, and GitHub would make it without any rule"
    policy = environment.get("deployment_branch_policy") or {}
    refs: set[tuple[str, str]] = set()
    if policy.get("custom_branch_policies"):
        path = api.path("environments", name, "deployment-branch-policies")
        rows = api.pages(path, "branch_policies")
        refs = {(str(row.get("type", "branch")), str(row["name"])) for row in rows}
    rules = environment.get("protection_rules", ())
    has_reviewers = any(rule.get("type") == "required_reviewers" and rule.get("reviewers") for rule in rules)
    readings = [", ".join(f"{kind} {ref}" for kind, ref in sorted(refs)) or "open to every branch"]
    if reviewed:
        readings.append("with reviewers" if has_reviewers else "without reviewers")
    return refs == wanted_refs and (has_reviewers or not reviewed), "; ".join(readings)


def _pages(api: Api) -> Reading:
    pages = api.find(api.path("pages"))
    kind = "off" if pages is None else str(pages.get("build_type", "unknown"))
    return kind == "workflow", kind


def _rules(api: Api, *, ref: str, needed: frozenset[str], one_of: frozenset[str] = frozenset()) -> Reading:
    """Check the rules that are in force for a ref: all that are `needed`, and one of `one_of` if it is not empty.

    A ruleset that excludes refs does not count.
    """
    target = "tag" if ref.startswith("refs/tags/") else "branch"
    kinds: set[str] = set()
    for row in api.pages(api.path("rulesets")):
        if row.get("target") != target or row.get("enforcement") != "active":
            continue
        ruleset = api.get(api.path("rulesets", row["id"]))
        names = ruleset.get("conditions", {}).get("ref_name", {})
        if not names.get("exclude") and any(
            name in (ref, "~ALL") or (name == "~DEFAULT_BRANCH" and "main" in ref) for name in names.get("include", ())
        ):
            kinds |= {_kind(rule) for rule in ruleset.get("rules", ())}
    is_right = needed <= kinds and (not one_of or bool(kinds & one_of))
    return is_right, ", ".join(sorted(kinds)) or "none"


_REVIEWED = "pull_request with an approval of the last push and without rebase merging"


def _kind(rule: dict[str, Any]) -> str:
    """Return the type of a rule.

    Whoever may push merges a pull request that nobody has to approve, or that was approved before the last push. A
    merge by rebasing makes first parents of commits at which the branch never stood (`resolve`, `question` read these).
    """
    asked = rule.get("parameters") or {}
    is_of_last_push = asked.get("dismiss_stale_reviews_on_push") or asked.get("require_last_push_approval")
    is_reviewed = asked.get("required_approving_review_count") and is_of_last_push
    # A rule that names no methods allows all of them.
    may_rebase = "rebase" in asked.get("allowed_merge_methods", ("rebase",))
    is_wanted = rule["type"] == "pull_request" and is_reviewed and not may_rebase
    return _REVIEWED if is_wanted else str(rule["type"])


def _runners(api: Api) -> Reading:
    waiting_runners = [
        str(runner["name"])[:60]
        for runner in api.pages(api.path("actions", "runners"), "runners")
        if not runner.get("ephemeral", False) and runner.get("status") == "online"
    ]
    return not waiting_runners, ", ".join(waiting_runners) or "none stands by"


_GENERAL, _ENVIRONMENTS = "Settings, Actions, General", "Settings, Environments"
_RULESETS = "Settings, Rules, Rulesets"
_PROTECTED = frozenset({"deletion", "non_fast_forward"})
# The name of a setting, what is wanted, where the owner clicks, and the function that checks the setting.
_SETTINGS: tuple[tuple[str, str, str, Callable[[Api], Reading]], ...] = (
    ("what a job's token may do by itself", "read", _GENERAL, _token),
    ("whether workflows may open pull requests (dependencies.yml)", "true", _GENERAL, _pull_requests),
    ("whose pull requests wait for approval", "all_external_contributors", _GENERAL, _approval),
    ("whether actions must be pinned by a full commit", "true", _GENERAL, _actions),
    (
        "environment bare-metal",
        "branch main alone; with reviewers",
        _ENVIRONMENTS,
        partial(_environment, name="bare-metal", wanted_refs=frozenset({_MAIN}), reviewed=True),
    ),
    *(
        (
            f"environment {name}",
            "branch main and tag v* alone",
            _ENVIRONMENTS,
            partial(_environment, name=name, wanted_refs=frozenset({_MAIN, _TAGS}), reviewed=False),
        )
        for name in ("campaign", "github-pages")
    ),
    ("source of the pages", "workflow", "Settings, Pages", _pages),
    (
        "rules of the branch main",
        f"deletion, non_fast_forward, {_REVIEWED}",
        _RULESETS,
        partial(_rules, ref="refs/heads/main", needed=_PROTECTED | {_REVIEWED}),
    ),
    (
        "rules of the branch data",
        "deletion, non_fast_forward",
        _RULESETS,
        partial(_rules, ref="refs/heads/data", needed=_PROTECTED),
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
