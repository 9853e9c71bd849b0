"""Decide whether a pull request may be measured on hardware of our own: the forge answers every question, and nothing
else is believed.

open? -> head is the commit that a maintainer looked at? -> its hosted run passed? -> begun at a state of the branch?
-> changes on the allowlist?

The allowlist is what a pull request may change and still be measured before it is merged: applications
(`apps/<variant>/**`), the catalog of versions, `[defaults]` and which subjects a suite has. Hosts, services, budgets,
phases, load and the harness always come from the main branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree

from plumbline.machine.tools.git import full_id
from plumbline.model.errors import AnswerIsNo
from plumbline.model.subject import ID_PART
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.change.affected import chosen, effect
from plumbline.subjects.change.measurable import measurable
from plumbline.subjects.change.scope import ChangeScope, FileChange, parsed_toml
from .api import Api

# The content of these files is needed, since they are compared as data.
READ_WHOLE = re.compile(rf"bench\.toml|apps/pom\.xml|apps/{ID_PART}/variant\.toml")
_VARIANT_FILE = re.compile(rf"apps/(?P<variant>{ID_PART})/.+")
# Folders of apps/ that several variants are built from or checked against, and folders that are no subject.
_SHARED = re.compile(r"contract|containers|stub|domain.*")
_SUITE_KEYS = {"about", "subjects", "rotation"}
# These flags run a program, load code, name a file, or read more flags: no subject that is measured needs them.
_FREE_FORM = re.compile(
    r"@.*|-XX:(On\w+|Flags|VMOptionsFile|\+?IgnoreUnrecognizedVMOptions).*"
    r"|-(agentlib|agentpath|javaagent|Xrun|Xbootclasspath|Xlog).*"
    r"|-(cp|classpath|p)|--(class-path|(upgrade-)?module-path|patch-module).*"
    r"|-XX:[+-]?\w*(File|Path|Dir|Log|AOT|FlightRecord)\w*=.*"
)


def refused(change: FileChange, catalog: Catalog) -> str | None:
    """Return why a change is not on the allowlist; None for a change on the allowlist."""
    path = PurePosixPath(change.path)
    if path.is_absolute() or ".." in path.parts or not change.path.isascii():
        return "a path that no file of ours has"
    if change.path == "bench.toml":
        return next(_objections_to_bench(change), None)
    if change.path == "apps/pom.xml":
        return next(_objections_to_parent_pom(change), None)
    if change.path.endswith(".md"):
        return None
    match = _VARIANT_FILE.fullmatch(change.path)
    if match is None:
        return "it lies outside the applications"
    variant = match["variant"]
    if _SHARED.fullmatch(variant):
        return "it is shared by several applications"
    if variant == catalog.control.variant:
        return "the control is frozen"
    if path.name == "variant.toml":
        return next(_objections_to_variant(change), None)
    return None


def _objections_to_bench(change: FileChange) -> Iterator[str]:
    try:
        before, after = change.as_toml()
    except ValueError:
        yield "it is not valid TOML"
        return
    for key in {**before, **after}:
        if key not in ("defaults", "suites") and before.get(key) != after.get(key):
            yield f"'{key}' always comes from the main branch"
    yield from _objections_to_suites(before.get("suites", {}), after.get("suites", {}))


def _objections_to_suites(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in {**before, **after}:
        if name not in before or name not in after:
            yield f"suite '{name}' is new or gone, and its load always comes from the main branch"
            continue
        for key in {**before[name], **after[name]}:
            if key not in _SUITE_KEYS and before[name].get(key) != after[name].get(key):
                yield f"'{key}' of suite '{name}' always comes from the main branch"


def _objections_to_parent_pom(change: FileChange) -> Iterator[str]:
    """Yield the objections to a change of the parent pom, of which only versions and modules may change."""
    try:
        sides = [_what_must_stay((side or b"").decode()) for side in (change.before, change.after)]
    except (ElementTree.ParseError, ValueError):
        yield "it is no XML that we read"
        return
    if sides[0] != sides[1]:
        yield "more than versions and modules differ"


def _what_must_stay(text: str) -> str:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type could say anything")
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.tag.rpartition("}")[2] in ("properties", "modules"):
            root.remove(child)
    return ElementTree.canonicalize(ElementTree.tostring(root, encoding="unicode"), strip_text=True)


def _objections_to_variant(change: FileChange) -> Iterator[str]:
    if change.after is None:
        return
    try:
        document = parsed_toml(change.after)
    except ValueError:
        yield "it is not valid TOML"
        return
    packaging = document.get("packaging")
    for spec in packaging.values() if isinstance(packaging, dict) else ():
        for word in spec.get("run", ()) if isinstance(spec, dict) else ():
            if _FREE_FORM.fullmatch(str(word)):
                yield f"the flag '{str(word)[:80]}' could run or load anything"
    inputs = document.get("build", {}).get("inputs", ()) if isinstance(document.get("build"), dict) else ()
    for path in inputs:
        if not re.fullmatch(rf"\.\./{ID_PART}", str(path)):
            yield f"it is built from '{str(path)[:80]}', outside the applications"


# GitHub lists no more of one comparison.
_FILES = 300


@dataclass(frozen=True)
class Resolved:
    """A pull request that may be measured. `run_id` is the hosted run at this commit, whose artifacts may be used.

    `left_out` is a sentence about the subjects that can't be measured there; empty without any.
    """

    number: int
    head: str
    base: str
    head_repository: str
    run_id: int
    subjects: tuple[str, ...]
    scenarios: tuple[str, ...]
    left_out: str


def resolve(
    api: Api,
    catalog: Catalog,
    number: int,
    head: str,
    workflow: str,
    suite: str | None = None,
    scale: float = 1.0,
    *,
    sandbox: bool,
) -> Resolved:
    """Return the subjects of a pull request that may be measured, as far as the budget of the suite (that of
    comparisons, when it is None), or a share of that budget, can decide them. Raises AnswerIsNo with the first reason
    why not.

    `sandbox` says that the host measures in its sandbox, where some subjects can't run.
    """
    _, spec = catalog.suite(suite or catalog.bench.compare_suite)
    full_id(head)
    pull = api.get(api.path("pulls", number))
    base = _checked_pull(pull, api.repository, number, head)
    repository = str(pull["head"]["repo"]["full_name"])
    run_id = _passed_run(api, workflow, head, repository)
    comparison = api.get(api.path("compare", f"{base}...{head}"))
    fork_point = str(comparison["merge_base_commit"]["sha"])
    _require_once_tip(api, number, fork_point, base)
    changes = _changes(api, comparison["files"], number, fork_point, head)
    for change in changes:
        if reason := refused(change, catalog):
            raise AnswerIsNo(
                f"Pull request {number} changes '{change.path[:200]}': {reason}.",
                "On bare metal only applications, versions, defaults and the choice of subjects are measured before a "
                "merge; anything else is measured on hosted runners, or merged first.",
            )
    change_effect = effect(changes, ChangeScope(catalog))
    if not change_effect.affected:
        raise AnswerIsNo(f"Pull request {number} changes nothing that is measured.")
    folders = {row["name"] for row in api.get(api.path("contents", "apps"), ref=fork_point)}
    old_subjects = [subject for subject in change_effect.subjects if subject.partition("/")[0] in folders]
    if not old_subjects:
        raise AnswerIsNo(
            f"All that pull request {number} affects is newer than {fork_point[:12]}, where it began.",
            "Merge the branch that it goes to into it, or rebase it.",
        )
    subjects, left_out = measurable(catalog, old_subjects, built_elsewhere=True, sandbox=sandbox)
    choice = chosen(change_effect, subjects, spec.scenarios, spec.budget * scale)
    if not choice.subjects:
        raise AnswerIsNo(f"Nothing that pull request {number} affects can be measured there. {left_out}")
    return Resolved(number, head, fork_point, repository, run_id, choice.subjects, choice.scenarios, left_out)


def _require_once_tip(api: Api, number: int, fork_point: str, base: str) -> None:
    """Check that the branch itself once stood at the commit that a pull request began from. Raises AnswerIsNo.

    A side branch that was merged may hold a commit with files that a later commit took back: the branch never had them,
    and they are no difference between that commit and the head of a pull request. First parents are the states of the
    branch as long as nobody merges by rebasing, which `./bench ci settings` wants to be off.
    """
    rows = api.pages(api.path("compare", f"{fork_point}...{base}"), "commits")
    first_parents = {row["sha"]: row["parents"][0]["sha"] for row in rows if row["parents"]}
    commit = base
    while commit in first_parents:
        commit = first_parents[commit]
    if commit != fork_point:
        raise AnswerIsNo(
            f"Pull request {number} begins at {fork_point[:12]}, a commit of a side branch that was merged later.",
            "Merge the branch that it goes to into it, or rebase it.",
        )


def _checked_pull(pull: Mapping[str, Any], repository: str, number: int, head: str) -> str:
    """Return the commit of the branch that the pull request goes to."""
    if pull["state"] != "open":
        raise AnswerIsNo(f"Pull request {number} is {pull['state']}.")
    if pull["head"]["sha"] != head:
        raise AnswerIsNo(
            f"{head[:12]} is not the head of pull request {number} any more: that is {str(pull['head']['sha'])[:12]}.",
            "Look at the new commits, and start again with that one.",
        )
    if pull["head"].get("repo") is None:
        raise AnswerIsNo(f"The repository that pull request {number} comes from is gone.")
    if pull["base"]["repo"]["full_name"].lower() != repository.lower():
        raise AnswerIsNo(f"Pull request {number} goes to another repository.")
    if pull["base"]["ref"] != pull["base"]["repo"]["default_branch"]:
        raise AnswerIsNo(
            f"Pull request {number} goes to '{str(pull['base']['ref'])[:80]}', which nobody protects or measures.",
            f"Aim it at {pull['base']['repo']['default_branch']}.",
        )
    return str(pull["base"]["sha"])


def _passed_run(api: Api, workflow: str, head: str, repository: str) -> int:
    """Return the newest run of the workflow at this commit, which must have passed."""
    runs = [
        run
        for run in api.pages(api.path("actions", "runs"), "workflow_runs", head_sha=head, event="pull_request")
        if run["head_sha"] == head
        and str(run["path"]).partition("@")[0] == f".github/workflows/{workflow}"
        and str((run.get("head_repository") or {}).get("full_name", "")).lower() == repository.lower()
    ]
    if not runs:
        raise AnswerIsNo(
            f"There is no run of {workflow} for {head[:12]}.",
            "Approve it, and wait for it.",
        )
    newest = max(runs, key=lambda run: (int(run["run_number"]), int(run.get("run_attempt", 1))))
    if newest["status"] != "completed" or newest["conclusion"] != "success":
        ended = newest["conclusion"] or newest["status"]
        raise AnswerIsNo(f"The run of {workflow} for {head[:12]} has not passed: it is {str(ended)[:40]}.")
    return int(newest["id"])


def _changes(api: Api, rows: Sequence[Mapping[str, Any]], number: int, base: str, head: str) -> list[FileChange]:
    """Return the files that differ between two commits; with content only where the allowlist or the effect reads it.

    The rows are of the two commits, not of the pull request, which would list the files of its newest head.
    """
    if len(rows) >= _FILES:
        raise AnswerIsNo(f"Pull request {number} changes {_FILES} files or more, which the API does not list.")
    changes = []
    for row in rows:
        new_name, old_name = str(row["filename"]), str(row.get("previous_filename") or row["filename"])
        for name in sorted({new_name, old_name}):
            is_new = row["status"] == "added" or name != old_name
            is_gone = row["status"] == "removed" or name != new_name
            is_read = READ_WHOLE.fullmatch(name)
            before = None if is_new else api.file(name, base) if is_read else b"before"
            after = None if is_gone else api.file(name, head) if is_read else b"after"
            changes.append(FileChange(name, before, after))
    return changes
