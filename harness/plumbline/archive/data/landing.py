"""Lands sessions and the files beside them on the data branch."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files as resources

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Record
from plumbline.verdicts.judge.wording import counted
from . import layout
from .branch import DataBranch, Landed
from .check import document
from .entry import entry_of, index_bytes, parse_index
from .layout import ATTRIBUTES, INDEX, README, may_be_kept, month_of, run_path
from .tree import Node, Trees

# Bytes are what was written: no end of line is ever changed on the way to anybody's disk.
_ATTRIBUTES = b"* -text\n"


def land_session(branch: DataBranch, record: Record, files: Mapping[str, bytes]) -> Landed:
    """Write a checked session's files under its id, with its month's index.

    The same bytes there already are a success. Raises AnswerIsNo when other bytes are, NotLanded when no try got
    through.
    """
    session = record.plan.session
    path, index = run_path(session), f"{month_of(session)}/{INDEX}"

    def change(trees: Trees, tip: str | None) -> str | None:
        ours = Node(trees.edited(None, trees.blobs(files)), folder=True)
        there = trees.find(tip, (path, index))
        if path in there:
            if there[path] == ours:
                return None
            raise AnswerIsNo(
                f"{path} is on the branch {branch.branch} with other bytes, and what is there is never changed.",
                "Compare the two by `./bench verify`; a session has one record.",
            )
        known = parse_index(trees.content(there[index])) if index in there else ()
        made = {index: index_bytes((*known, entry_of(record, files))), **_furniture()}
        return trees.edited(tip, {path: ours, **trees.blobs(made)})

    verdict = f"{counted(len(record.trials), 'trial')}, {record.verdict}"
    return branch.land(change, f"{session}: {record.plan.suite} on {record.plan.host}, {verdict}")


def land_files(branch: DataBranch, files: Mapping[str, bytes], message: str) -> Landed:
    """Write files beside the runs, over what is there. Raises UsageError for a path that is not kept so, AnswerIsNo for
    what is no document of a sane size."""
    _only_kept(files)
    for path, content in files.items():
        document(content, path, layout.RECORD_VALUES)
    return branch.land(lambda trees, tip: trees.edited(tip, trees.blobs({**files, **_furniture()})), message)


def readme() -> bytes:
    """Return the README of the data branch."""
    return (resources(__package__) / "branch_readme.md").read_bytes()


def _only_kept(files: Mapping[str, bytes]) -> None:
    for path in files:
        if not may_be_kept(path):
            raise UsageError(
                f"'{path}' is none of the files that are kept beside the runs.",
                "Those are alerts.json, github-action-benchmark/<name>.json, hosts/<host>/before.json and after.json.",
            )


def _furniture() -> dict[str, bytes]:
    return {README: readme(), ATTRIBUTES: _ATTRIBUTES}
