"""`./bench lifecycle SUBJECT...`."""

from __future__ import annotations

import random
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from .completing import subjects as known_subjects
from .console import ROOT, app_option, colour, columns, json_option, say

# The systems of study 003: they have no database that could change what is built or started.
_USUAL_SUBJECTS = ("micronaut-hello", "quarkus-hello-rest", "quarkus-hello-routes")


@click.command(epilog="Example: ./bench lifecycle micronaut-hello quarkus-hello-rest --step compile --step dev")
@click.argument("subjects", nargs=-1, shell_complete=known_subjects)
@click.option("--step", "steps", multiple=True, metavar="STEP", help="Only this step. May be repeated.")
@click.option("--blocks", type=click.IntRange(1, 50), default=5, help="Runs of each step that count; 5.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Seed of the order of runs; drawn when left out.")
@app_option
@json_option
def command(
    subjects: tuple[str, ...],
    steps: tuple[str, ...],
    blocks: int,
    seed: int | None,
    apps: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Measure the life cycle of subjects: compile, test, package, development start, hot reload, native build,
    start, memory.

    The systems of study 003 are measured when no subject is named. Sources are changed in a private copy alone.
    Ctrl-C stops every process and keeps the runs that ended. Exit status 1: a run that counts gave no result.
    """
    from plumbline.archive.record.layout import LIFECYCLE
    from plumbline.measuring.lifecycle.session import LifecycleRequest, check, measure
    from plumbline.measuring.lifecycle.steps import STEPS
    from plumbline.measuring.run.context import open_context
    from plumbline.model.errors import UsageError
    from plumbline.reporting.report.lifecycle_view import lifecycle_markdown, lifecycle_view, render_lifecycle
    from plumbline.subjects.catalog.reading import nearest
    from plumbline.subjects.plan.make import session_id

    for step in steps:
        if step not in STEPS:
            raise UsageError(f"Unknown step '{step}'.", nearest(step, STEPS))
    context = open_context(ROOT, apps, say)
    request = LifecycleRequest(
        subjects=subjects or _USUAL_SUBJECTS,
        steps=tuple(name for name in STEPS if name in steps),
        blocks=blocks,
        seed=random.SystemRandom().randrange(2**32) if seed is None else seed,
    )
    check(context, request)
    session = session_id(datetime.now(UTC), context.host_name, secrets.token_hex(3))
    folder, document = measure(context, request, session, say)
    view = lifecycle_view(document)
    (folder / "report.md").write_text(lifecycle_markdown(view), encoding="utf-8")
    if as_json:
        sys.stdout.write((folder / LIFECYCLE).read_text(encoding="utf-8"))
    else:
        click.echo(render_lifecycle(view, columns(), colour=colour()))
    say(f"Report: {folder / 'report.md'}")
    say(f"Document: {folder / LIFECYCLE}")
    return 1 if any(run.problem is not None and run.block > 0 for run in document.runs) else 0
