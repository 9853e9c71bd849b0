"""Settings of a repository: as GitHub makes a new one, and what each row of the table in docs/operate.md changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .checkout import ROOT

# Path below /repos/owner/name -> the document there. An environment, a page or a rule that nobody made has no document.
NEW: Mapping[str, Any] = {
    "actions/permissions": {"enabled": True, "allowed_actions": "all", "sha_pinning_required": False},
    "actions/permissions/workflow": {
        "default_workflow_permissions": "read",
        "can_approve_pull_request_reviews": False,
    },
    "actions/permissions/fork-pr-contributor-approval": {"approval_policy": "first_time_contributors"},
    "actions/runners": {"total_count": 0, "runners": []},
    "rulesets": [],
}
_REVIEWERS = {"type": "required_reviewers", "reviewers": [{"type": "User", "reviewer": {"login": "you"}}]}
_OWN = {"protected_branches": False, "custom_branch_policies": True}
_REFS = {"main": "branch", "v*": "tag"}
_NO_REBASE = "*Merge* and *Squash* as the only allowed merge methods"
_RULES = {
    "pull requests": "pull_request",
    "no force pushes": "non_fast_forward",
    "no deletion": "deletion",
    "only maintainers create": "creation",
    "nobody moves or deletes": "update deletion",
}


def rows() -> list[tuple[str, str]]:
    """The table of step 2: the page of each row, and the setting, in the words of the document."""
    text = (ROOT / "docs/operate.md").read_text(encoding="utf-8")
    step = text.partition("\n## 2. ")[2].partition("\n## 3. ")[0]
    table: list[tuple[str, str]] = []
    for page, setting in re.findall(r"^\| (.*?) ?\| (.*) \|$", step, re.MULTILINE):
        table.append((page or table[-1][0], setting))
    return table[1:]


def clicked(settings: dict[str, Any], page: str, setting: str) -> None:
    """Change the settings as a row says, as GitHub's pages would; unknown words change nothing."""
    if page == "Settings > Actions > General":
        _general(settings, setting)
    elif page == "Settings > Environments":
        refs: list[str] = []
        for name, protection in re.findall(r"`([a-z-]+)`: (.*?)(?:\. |$)", setting):
            refs = re.findall(r"`([a-z*]+)`", protection) or refs
            _environment(settings, name, refs, reviewed="reviewer" in protection)
    elif page == "Settings > Rules > Rulesets":
        for kind, pattern, protection in re.findall(r"([Bb]ranch|[Tt]ags) `(.*?)`: (.*?)(?:\. |$)", setting):
            _ruleset(settings, kind.lower(), pattern, protection)
    elif page == "Settings > Pages" and "*GitHub Actions*" in setting:
        settings["pages"] = {"build_type": "workflow"}


def _general(settings: dict[str, Any], setting: str) -> None:
    if "*Require approval for all external contributors*" in setting:
        settings["actions/permissions/fork-pr-contributor-approval"] = {"approval_policy": "all_external_contributors"}
    if "*Require actions to be pinned to a full-length commit SHA*" in setting:
        settings["actions/permissions"] = {**settings["actions/permissions"], "sha_pinning_required": True}
    if "Workflow permissions" in setting:
        settings["actions/permissions/workflow"] = {
            "default_workflow_permissions": "read" if "*Read repository contents*" in setting else "write",
            "can_approve_pull_request_reviews": "*Allow GitHub Actions to create and approve" in setting,
        }


def _environment(settings: dict[str, Any], name: str, refs: list[str], *, reviewed: bool) -> None:
    settings[f"environments/{name}"] = {
        "protection_rules": [{"type": "branch_policy"}, *([_REVIEWERS] if reviewed else [])],
        "deployment_branch_policy": _OWN,
    }
    policies = [{"name": ref, "type": _REFS[ref]} for ref in refs]
    settings[f"environments/{name}/deployment-branch-policies"] = {
        "total_count": len(policies),
        "branch_policies": policies,
    }


def _ruleset(settings: dict[str, Any], kind: str, pattern: str, protection: str) -> None:
    folder, target = ("heads", "branch") if kind == "branch" else ("tags", "tag")
    number = len(settings["rulesets"]) + 1
    head = {"id": number, "target": target, "enforcement": "active"}
    settings["rulesets"] = [*settings["rulesets"], head]
    settings[f"rulesets/{number}"] = {
        **head,
        "conditions": {"ref_name": {"include": [f"refs/{folder}/{pattern}"], "exclude": []}},
        "rules": [
            # Approvals are of pull requests alone.
            {
                "type": kind_of_rule,
                "parameters": {
                    "required_approving_review_count": int("approval" in protection),
                    "dismiss_stale_reviews_on_push": "stale approvals dismissed" in protection,
                    "allowed_merge_methods": ["merge", "squash", *([] if _NO_REBASE in protection else ["rebase"])],
                },
            }
            for words, kinds in _RULES.items()
            if words in protection
            for kind_of_rule in kinds.split()
        ],
    }
