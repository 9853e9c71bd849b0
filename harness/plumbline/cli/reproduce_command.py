"""`./bench reproduce`: a record's session again, on this host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from . import completing
from .console import ROOT, duration, json_option, report_session, say
from .sandbox import sandbox_option, within_sandbox

if TYPE_CHECKING:
    from plumbline.measuring.run.context import Context
    from plumbline.measuring.run.finish import FinishedSession


@click.command(epilog="Example: ./bench reproduce results/local/20260901T101502Z-bench-1a2b3c")
@click.argument("record", metavar="RUN_ID|RECORD", shell_complete=completing.sessions)
@sandbox_option
@json_option
def command(record: str, sandbox: str, as_json: bool) -> int:
    """Run the plan of a record here, and say whether its ratios agree.

    The session has the record's commit, subjects, phases, settings, order and seed. The command first says what
    difference this host could detect. Hosts differ, so ratios are compared (subject to control, between subjects,
    head to base), never absolute figures. Exit status 1: a ratio disagrees.
    """
    if (status := within_sandbox(sandbox, lambda: _measured(record))) is not None:
        return status
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.local import find_record
    from plumbline.measuring.run.planning import reproduction_of
    from plumbline.measuring.run.session import planned_session
    from .progress import TerminalProgress

    with TerminalProgress() as progress:
        context = open_context(ROOT, (), progress.say)
        reproduction = reproduction_of(context, find_record(context.paths.results, record))
        for line in reproduction.sentences:
            progress.say(line)
        progress.say(f"about {duration(reproduction.plan.expected_s)} once built")
        finished = planned_session(context, reproduction.plan, progress).run()
    return report_reproduction(finished, as_json)


def report_reproduction(finished: FinishedSession, as_json: bool) -> int:
    """Report whether the ratios of a session agree with those of its record, and return the exit status."""
    reproduces, agreements = finished.record.plan.reproduces, finished.record.agreements
    assert reproduces is not None
    document = {
        "reproduces": reproduces.session,
        "agrees": sum(agreement.word == "agrees" for agreement in agreements),
        "disagrees": sum(agreement.word == "disagrees" for agreement in agreements),
        "cannot_tell": sum(agreement.word == "can't tell" for agreement in agreements),
        "ratios": [agreement.model_dump(mode="json") for agreement in agreements],
    }
    report_session(finished, document if as_json else None)
    return int(any(agreement.word == "disagrees" for agreement in agreements))


def _measured(record: str) -> tuple[Context, Iterable[str]]:
    """Return the subjects of the record, which will be measured again."""
    from plumbline.archive.record.gate import opened
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.local import find_record

    context = open_context(ROOT, (), say)
    session, _ = opened(find_record(context.paths.results, record), say)
    return context, [subject for _, subject in session.plan.contenders]
