"""Lands sessions and the files beside them on the data branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files as resources

from plumbline.archive.record.join import BETWEEN_HOSTS, joined_id
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Record
from plumbline.verdicts.judge.wording import counted
from . import layout
from .branch import DataBranch, Landed
from .check import document
from .entry import IndexEntry, entry_of, index_bytes, parse_index
from .layout import ATTRIBUTES, INDEX, README, may_be_kept, month_of, run_path
from .tree import Node, Trees

# All bytes stay as they were written: git changes no end of line on the way to anybody's disk.
_ATTRIBUTES = b"* -text\n"
# An id begins with the time at which its session was planned.
_STAMP = len("20260901T101500Z")


def land_session(branch: DataBranch, record: Record, files: Mapping[str, bytes]) -> Landed:
    """Write a checked session's files under its id, with its month's index.

    A session that is there already with the same bytes is a success. Raises AnswerIsNo when it is there with other
    bytes, or the trials that began first are there as part of another session; NotLanded when no try succeeded.
    """
    session = record.plan.session
    path, index = run_path(session), f"{month_of(session)}/{INDEX}"

    def change(trees: Trees, tip: str | None) -> str | None:
        session_node = Node(trees.edited(None, trees.blobs(files)), folder=True)
        present = trees.find(tip, (path, index))
        if path in present:
            if present[path] == session_node:
                return None
            raise AnswerIsNo(
                f"{path} is on the branch {branch.branch} with other bytes, and what is there is never changed.",
                "Compare the two by `./bench verify`; a session has one record.",
            )
        known_entries = parse_index(trees.content(present[index])) if index in present else ()
        _require_new_parts(record, known_entries)
        new_files = {index: index_bytes((*known_entries, entry_of(record, files))), **_fixed_files()}
        return trees.edited(tip, {path: session_node, **trees.blobs(new_files)})

    verdict = f"{counted(len(record.trials), 'trial')}, {record.verdict}"
    return branch.land(change, f"{session}: {record.plan.suite} on {record.plan.host}, {verdict}")


def _require_new_parts(record: Record, known_entries: Iterable[IndexEntry]) -> None:
    """Check that no joined session has the first part of this one, and that this session is no such part by itself. A
    host that was lost is measured again later than the others, so that the first part of both sessions is the same.

    The id of a joined session has the time of its first part alone.
    """
    parts = {(part.plan.session[:_STAMP], part.host.name) for part in record.parts or (record,)}
    # All other hosts were lost, so that the joined session has one part.
    joined_alone = joined_id([record.plan.session])
    for entry in known_entries:
        hosts = entry.host.split(BETWEEN_HOSTS)
        # Hosted runners may have one name, and so begin two sessions in one second.
        either_is_joined = record.parts or len(hosts) > 1
        has_part = either_is_joined and any((entry.session[:_STAMP], host) in parts for host in hosts)
        if has_part or entry.session == joined_alone:
            raise AnswerIsNo(
                f"Trials of this session are on the data branch already, as part of {entry.session}.",
                "That record stays. To have the lost blocks as well, start a new campaign.",
            )


def land_files(branch: DataBranch, files: Mapping[str, bytes], message: str) -> Landed:
    """Write files beside the runs, over what is there. Raises UsageError for a path that is not kept there, AnswerIsNo
    for content that is no document of a sane size."""
    _require_kept(files)
    for path, content in files.items():
        document(content, path, layout.RECORD_VALUES)
    return branch.land(lambda trees, tip: trees.edited(tip, trees.blobs({**files, **_fixed_files()})), message)


def readme() -> bytes:
    """Return the README of the data branch."""
    return (resources(__package__) / "branch_readme.md").read_bytes()


def _require_kept(files: Mapping[str, bytes]) -> None:
    for path in files:
        if not may_be_kept(path):
            raise UsageError(
                f"'{path}' is none of the files that are kept beside the runs.",
                "Those are alerts.json, github-action-benchmark/<name>.json, hosts/<host>/before.json and after.json.",
            )


def _fixed_files() -> dict[str, bytes]:
    return {README: readme(), ATTRIBUTES: _ATTRIBUTES}
