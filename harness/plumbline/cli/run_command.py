"""`./bench run`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import UsageError
from plumbline.subjects.plan.make import Selection
from .clustered import cluster_options, generators_option, images_option, on_option
from .console import ROOT, app_option, json_option, report_session, say
from .reproduce_command import report_reproduction
from .sandbox import measured_by_interrupted, sandbox_option, within_sandbox
from .selecting import refuse_other_options, require_resumed_by, resume_option, with_selection_options

if TYPE_CHECKING:
    from plumbline.measuring.run.context import Context


@click.command(epilog="Example: ./bench run --only 'vertx-pg/*,spring4-mvc-jdbc/*' --budget 20m")
@with_selection_options
@click.option(
    "--quick",
    is_flag=True,
    help="Take a first look in five minutes: start, memory, the first ten seconds of load.",
)
@resume_option
@click.option(
    "--artifacts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Build nothing; use the artifacts that `./bench ci unpack` put into the store and listed in FILE.",
)
@sandbox_option
@on_option
@generators_option
@images_option
@app_option
@json_option
def command(
    selection: Selection,
    quick: bool,
    resume: str | None,
    artifacts: Path | None,
    sandbox: str,
    on: str | None,
    generators: int | None,
    images: str | None,
    apps: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Plan, build, measure, judge and report a suite on this machine, or in a cluster.

    A suite has a fixed number of blocks, and asks once, at the end, which orders are decided. With --budget the session
    goes on until every order within a class is decided or the time is spent, and says which.

    Ctrl-C stops every process that the session started and keeps what was measured; --resume goes on from there.
    Exit status 1: the session is done, and a trial is invalid.
    """
    if resume is not None:
        refuse_other_options({"resume", "sandbox", "artifacts", "as_json"}, "--resume goes on with what was asked")
    cluster = cluster_options(on, generators, images, sandbox=sandbox)
    if quick and any(option is not None for option in (selection.suite, selection.blocks, selection.budget_s)):
        raise UsageError(
            "--quick is a suite with blocks of its own.",
            "Leave --suite, --blocks and --budget out.",
        )

    def measured() -> tuple[Context, Iterable[str]]:
        return measured_by_interrupted(resume) if resume is not None else _measured(selection, quick, apps)

    if (status := within_sandbox(sandbox, measured)) is not None:
        return status
    from plumbline.archive.record.orders import words_of
    from plumbline.measuring.cluster.context import ClusterContext
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.local import find_interrupted
    from plumbline.measuring.run.planning import plan_session
    from plumbline.measuring.run.session import planned_session, resumed_session
    from .plan_table import short_budget
    from .progress import TerminalProgress

    with TerminalProgress() as progress:
        if resume is not None:
            folder, journaled = find_interrupted(ROOT / "results" / "local", resume or None)
            require_resumed_by("run", journaled.plan)
            cluster = journaled.options.cluster
            context = open_context(ROOT, journaled.apps, progress.say, artifacts)
            if cluster is not None:
                context = ClusterContext.of(context, cluster)
            session = resumed_session(context, folder, progress)
        else:
            context = open_context(ROOT, apps, progress.say, artifacts)
            if cluster is not None:
                context = ClusterContext.of(context, cluster)
                cluster = context.options
            plan = plan_session(context, _with_suite(context, selection, quick))
            if (warning := short_budget(plan)) is not None:
                progress.say(warning)
            session = planned_session(context, plan, progress, apps, cluster=cluster)
        finished = session.run()
    record = finished.record
    if record.plan.reproduces is not None:
        return report_reproduction(finished, as_json)
    document = {
        "verdict": record.verdict,
        "trials": len(record.trials),
        "invalid_trials": sum(trial.verdict == "invalid" for trial in record.trials),
        "ended": None if record.ended is None else record.ended.model_dump(mode="json"),
        "standings": [standing.model_dump(mode="json") for standing in record.standings],
    }
    closing_lines = () if record.ended is None else words_of(record.ended)
    report_session(finished, document if as_json else None, *closing_lines)
    return 1 if any(trial.verdict == "invalid" for trial in record.trials) else 0


def _with_suite(context: Context, selection: Selection, quick: bool) -> Selection:
    return replace(selection, suite=context.catalog.bench.quick_suite) if quick else selection


def _measured(selection: Selection, quick: bool, apps: tuple[Path, ...]) -> tuple[Context, Iterable[str]]:
    """Return the subjects that a new session will measure."""
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.planning import subjects_of

    context = open_context(ROOT, apps, say)
    return context, subjects_of(context, _with_suite(context, selection, quick))
