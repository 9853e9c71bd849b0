"""`./bench ci record`, `join`, `check`, `logs` and `summary`: the steps with one session."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.reporting.github.workflow import annotate, outputs, summary
from .options import (
    branch_option,
    commit_option,
    data_branch,
    digests_option,
    expected,
    remote_option,
    session_argument,
    tries_option,
)

if TYPE_CHECKING:
    from plumbline.model.evidence import Evidence
    from plumbline.model.record import Record


@click.command(epilog="Example: ./bench ci record results/local/20260901T101500Z-lab-0a1b2c --remote origin")
@session_argument
@remote_option
@branch_option
@digests_option
@commit_option
@tries_option
def record_command(
    session: Path, remote: str, branch: str, digests: tuple[str, ...], commit: str | None, tries: int
) -> None:
    """Check a session's folder, then commit it to the data branch, also while other jobs commit there.

    Exit status 0: committed, or the same bytes are there already. 1: other bytes are there. 3: no push got through;
    the command that lands the session later is printed. The output `manifest` is the SHA-256 of MANIFEST.sha256.
    """
    from plumbline.archive.data.branch import NotLanded
    from plumbline.archive.data.check import checked, files_of
    from plumbline.archive.data.landing import land_session
    from plumbline.archive.data.layout import run_path
    from plumbline.archive.record.write import NAME

    record = checked(session, expected(commit, digests, clean=True))
    files = files_of(session, record)
    try:
        landed = land_session(data_branch(remote, branch, tries), record, files)
    except NotLanded as error:
        landing_command = f"./bench ci record {session} --remote {remote} --branch {branch}"
        hosts = [*(part.host.name for part in record.parts), *record.lost_hosts] or [record.host.name]
        summary(
            "## Measured, and not recorded\n\nThe artifacts `session-*` of this run hold all of it. Download them into "
            "the folder `sessions` of a checkout of the main branch, and land the session by these commands:\n\n```\n"
            f"./bench ci join sessions --hosts {','.join(hosts)} --into session\n{landing_command}\n```\n"
        )
        raise NotLanded(error.problem, f"Land it later by: {landing_command}") from None
    outputs(
        {
            "session": record.plan.session,
            "path": run_path(record.plan.session),
            "manifest": hashlib.sha256(files[NAME]).hexdigest(),
            "commit": landed.commit,
            "landed": "new" if landed.new else "already",
        }
    )


@click.command(epilog="Example: ./bench ci join parts --hosts lab-a,lab-b --into session")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="SESSIONS_DIR")
@click.option(
    "--hosts",
    required=True,
    metavar="NAMES",
    help="The hosts that were to measure blocks, with commas. The record names those that left no session.",
)
@click.option(
    "--into",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the folder of the joined session is made.",
)
def join_command(folder: Path, hosts: str, into: Path) -> None:
    """Join the sessions of equal hosts, each with blocks of its own, in one session with one record.

    Each session is checked and verified first, whoever made it. A session is left out where it is not as recorded, of
    other versions than this checkout, or of a host that --hosts does not name; an annotation says why, and its host is
    named as lost. The joined session is verified like every other. The session of a single host stays as it is.
    Exit status 1: no session is as recorded. 2: no session is of these versions and hosts, or the hosts or what they
    measured are not equal. 3: no host left a session.
    """
    from plumbline.archive.record.assemble import joined
    from plumbline.archive.record.join import parts_of, require_equal_machines
    from plumbline.archive.record.write import write_record
    from plumbline.verdicts.contract import WORKLOAD_VERSION

    expected_hosts = [name for name in hosts.split(",") if name]
    sessions = _sessions(folder, expected_hosts)
    present_hosts = {record.host.name for record, _ in sessions}
    lost_hosts = tuple(name for name in expected_hosts if name not in present_hosts)
    joined_session, evidence = sessions[0]
    if len(expected_hosts) > 1 or len(sessions) > 1:
        parts, evidence = parts_of(sessions)
        require_equal_machines(parts)
        joined_session = joined(parts, lost_hosts, evidence, workload_version=WORKLOAD_VERSION)
    into.mkdir(parents=True, exist_ok=True)
    write_record(into / joined_session.plan.session, joined_session, evidence)
    outputs(
        {
            "session": joined_session.plan.session,
            "hosts": ",".join(sorted(present_hosts)),
            "lost": ",".join(lost_hosts),
        }
    )


def _sessions(folder: Path, hosts: Container[str]) -> list[tuple[Record, dict[int, Evidence]]]:
    """Return the sessions of these hosts below a folder that stood every check; an annotation names each other session.

    Raises the first reason where no session stood every check, and CannotGoOn where there is no session.
    """
    from plumbline.archive.data.check import well_formed
    from plumbline.archive.record.gate import opened
    from plumbline.archive.record.layout import session_folders
    from plumbline.model.errors import AnswerIsNo, CannotGoOn, PlumblineError, UsageError
    from ..console import say

    sessions = []
    errors: list[PlumblineError] = []
    for session in session_folders(folder):
        try:
            well_formed(session)
            record, evidence = opened(session, say)
            _require_ours(record, hosts)
            sessions.append((record, evidence))
        except (AnswerIsNo, UsageError) as error:
            annotate("error", f"{session.name} is left out: {error.problem}")
            errors.append(error)
    if not sessions and errors:
        raise errors[0]
    if not sessions:
        raise CannotGoOn(f"No host left a session below {folder}.", "Measure again.")
    return sessions


def _require_ours(record: Record, hosts: Container[str]) -> None:
    """Check that a record has the versions of this checkout, and is of one of these hosts. Raises UsageError."""
    from plumbline.model.errors import UsageError
    from plumbline.model.record import Versions
    from plumbline.verdicts.contract import WORKLOAD_VERSION
    from plumbline.verdicts.figures.compute import FIGURES_VERSION
    from plumbline.verdicts.judge.referee import RULES_VERSION

    if record.versions != Versions(figures=FIGURES_VERSION, rules=RULES_VERSION, workload=WORKLOAD_VERSION):
        raise UsageError(
            f"{record.plan.session} is of other rules, figures or workload than this checkout.",
            "Join sessions in a checkout of the commit that measured them.",
        )
    for name in (record.host.name, record.plan.host):
        if name not in hosts:
            raise UsageError(f"No blocks were for the host {name}.", "Name it by --hosts.")


@click.command(epilog="Example: ./bench ci check session/20260901T101500Z-lab-0a1b2c")
@session_argument
@digests_option
@commit_option
def check_command(session: Path, digests: tuple[str, ...], commit: str | None) -> None:
    """Check a session's folder, whoever made it: sizes, shape, names, where it belongs, then `verify`.

    Exit status 1 with the first reason.
    """
    from plumbline.archive.data.check import checked

    record = checked(session, expected(commit, digests, clean=False))
    outputs({"session": record.plan.session, "verdict": record.verdict})


@click.command(epilog="Example: ./bench ci logs session/20260901T101500Z-lab-0a1b2c")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="SESSIONS_DIR")
def logs_command(folder: Path) -> None:
    """Store the logs of each session at or below a folder as an asset of the release logs-YYYY-MM.

    An asset is named by its SHA-256. Exit status 0 as well where the same logs are there already. A session without
    logs, or that is none, ends the command once the logs of the others are kept.
    """
    from plumbline.archive.data.layout import month_of
    from plumbline.archive.record.layout import session_folders
    from plumbline.model.errors import AnswerIsNo, UsageError
    from plumbline.reporting.github.api import Api
    from plumbline.reporting.github.releases import keep_logs, packed_logs

    sessions = session_folders(folder.resolve())
    if not sessions:
        raise UsageError(f"There is no session at or below {folder}.", "Name a folder that holds some.")
    kept = []
    errors: list[AnswerIsNo | UsageError] = []
    for session in sessions:
        try:
            _, year, month = month_of(session.name).split("/")
            name, content = packed_logs(session)
        except (AnswerIsNo, UsageError) as error:
            errors.append(error)
            continue
        address, _ = keep_logs(Api.of(os.environ), f"{year}-{month}", name, content)
        kept.append(address)
    if errors:
        raise errors[0]
    outputs({"assets": " ".join(kept)})


@click.command(epilog="Example: ./bench ci summary session/20260901T101500Z-lab-0a1b2c")
@session_argument
def summary_command(session: Path) -> None:
    """Write a session as a job summary: our Markdown, our names, and every other text as plain words."""
    from plumbline.archive.data.check import Expected, checked
    from plumbline.reporting.report.compose import compose
    from plumbline.reporting.report.markdown import brief

    record = checked(session, Expected())
    summary(brief(compose(record, {}), "Session" if record.comparison is None else "Comparison"))
    outputs({"session": record.plan.session, "verdict": record.verdict})
