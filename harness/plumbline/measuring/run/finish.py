"""Finish a session: make the record from journal, evidence and provenance, and put it in its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.archive.record.assemble import assemble, compared_so_far
from plumbline.archive.record.write import write_record
from plumbline.machine.host.kernel import format_cpulist
from plumbline.model.errors import CannotGoOn
from plumbline.model.evidence import Evidence
from plumbline.model.record import Build, HostSession, Image, Provenance, Record, Training, Usage
from plumbline.model.subject import Subject
from plumbline.verdicts.contract import WORKLOAD_VERSION
from .context import Context
from .journal import Journaled
from .local import put_away
from .rounds import with_final_looks


def provenance(
    context: Context,
    journaled: Journaled,
    evidence: Collection[Evidence],
    database_settings: Mapping[str, str],
    ended_at: str,
) -> Provenance:
    """Return the provenance of a session that ends now: its checkout and tools are those with which it began, and in a
    cluster the tools of its pods.
    """
    assert journaled.origin is not None
    tools = context.tools_elsewhere(evidence)
    origin = {
        **journaled.origin.provenance,
        "database": _database(journaled.plan.control, database_settings),
        **({} if tools is None else tools._asdict()),
    }
    return Provenance(
        **origin,
        database_settings=dict(database_settings),
        command_line=journaled.options.command_line,
        started_at=journaled.started_at,
        ended_at=ended_at,
        resumed=journaled.resumed,
    )


def _database(control: str, settings: Mapping[str, str]) -> str:
    """Return the database server with its version, by the engine of the control."""
    if Subject.parse(control).engine == "mysql":
        return f"MySQL {settings.get('version', 'unknown')}"
    return f"PostgreSQL {settings.get('server_version', 'unknown')}"


@dataclass(frozen=True)
class FinishedSession:
    """A finished session: its record, the evidence of its trials by number, and the folder they lie in."""

    record: Record
    evidence: Mapping[int, Evidence]
    folder: Path


def require_whole(journaled: Journaled, evidence: Collection[int]) -> None:
    """Check that a session has all trials of its plan. Raises CannotGoOn: no record is made of half a session."""
    plan = journaled.plan
    missing_trials = [trial.number for trial in plan.trials if trial.number not in evidence]
    if missing_trials or journaled.damage is not None:
        sentences = [f"Trials {format_cpulist(missing_trials)} of its plan left nothing."] if missing_trials else []
        raise CannotGoOn(
            " ".join((f"The session {plan.session} is not whole.", *sentences, journaled.damage or "")).rstrip(),
            f"Go on by `./bench {plan.resumed_by} --resume {plan.session}`.",
        )


def finish(
    context: Context,
    journaled: Journaled,
    running: Path,
    evidence: Mapping[int, Evidence],
    *,
    builds: Sequence[Build],
    training: Sequence[Training],
    images: Sequence[Image],
    database_settings: Mapping[str, str],
    ended_at: str,
) -> FinishedSession:
    """Write the record as a new folder, move the logs beside it, and remove the folder of the running session.

    The host is read once more: its class must have held from the beginning to the end.
    """
    cpu_s = journaled.cpu_s
    host = context.host_of((*journaled.readings, context.read_host()))
    plan = journaled.plan.model_copy(update={"host_class": host.host_class})
    if plan.comparison is not None:
        plan = with_final_looks(plan, compared_so_far(plan, host, evidence))
    session = HostSession(
        plan=plan,
        host=host,
        provenance=provenance(context, journaled, evidence.values(), database_settings, ended_at),
        builds=tuple(builds),
        training=tuple(training),
        usage=Usage(
            session_cpu_s=round(cpu_s.get("session", 0.0), 3),
            sampler_cpu_s=round(cpu_s.get("sampler", 0.0), 3),
            harness_cpu_s=round(cpu_s.get("harness", 0.0), 3),
        ),
        images=tuple(images),
    )
    record = assemble(session, evidence, workload_version=WORKLOAD_VERSION)
    folder = context.paths.results / journaled.plan.session
    write_record(folder, record, evidence)
    put_away(running, folder)
    return FinishedSession(record, evidence, folder)
