"""`./bench plan`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import UsageError
from plumbline.subjects.plan.make import Selection
from .changed import changed, document, matrix
from .changed import table as changed_table
from .clustered import ClusterChoice, kubernetes, with_cluster_options
from .console import ROOT, app_option, json_option, print_json, say
from .plan_table import table
from .selecting import refuse_other_options, with_selection_options

if TYPE_CHECKING:
    from plumbline.measuring.run.context import Context
    from plumbline.model.plan import Plan
    from plumbline.subjects.plan.detectable import NoiseBook

# Stands for the subject in a sentence that several subjects share.
SUBJECT = "{subject}"


@click.command(epilog="Example: ./bench plan --suite packagings --only 'vertx-pg/*'")
@with_selection_options
@click.option(
    "--changed-since",
    "since",
    metavar="REF",
    help="Instead: what the changes since a commit can affect, and why. Without --suite, of all suites.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "github", "kubernetes"]),
    default="table",
    show_default=True,
    help="kubernetes: the objects of one trial and one phase of load, as YAML; docs/scale.md says how to use them.",
)
@click.option(
    "--history",
    "histories",
    multiple=True,
    metavar="DATA",
    type=click.Path(path_type=Path),
    help="Records that say how trials scatter on this kind of host, besides results/local. May be repeated.",
)
@with_cluster_options
@app_option
@json_option
def command(
    selection: Selection,
    since: str | None,
    form: str,
    cluster: ClusterChoice,
    histories: tuple[Path, ...],
    apps: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Show what would run, why, how long it takes, and what difference it could detect.

    The detectable difference follows from how trials scattered in earlier sessions on this host, else on hosts of
    its class. Without any such session the scatter is assumed, and the text says so.
    """
    if cluster.given and form != "kubernetes":
        raise UsageError(f"{cluster.given} is for a cluster.", "Say --format kubernetes as well.")
    if as_json and form not in ("table", "json"):
        raise UsageError(f"--format {form} has a form of its own.", "Leave --json out.")
    if since is not None:
        if form == "kubernetes":
            raise UsageError(
                "--changed-since names subjects, and objects are those of one trial.",
                "Say --format kubernetes without it.",
            )
        refuse_other_options(
            {"since", "suite", "form", "as_json"}, "--changed-since finds out by itself what to measure"
        )
        catalog, base, effect = changed(ROOT, since, selection.suite)
        if as_json or form == "json":
            print_json(document(base, effect))
        elif form == "github":
            print_json(matrix(catalog, effect.subjects))
        else:
            click.echo(changed_table(base, effect))
        return
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.planning import plan_session

    context = replace(open_context(ROOT, apps, lambda text: None), histories=histories)
    plan = plan_session(context, selection)
    if as_json or form == "json":
        print_json({**plan.model_dump(mode="json"), "power": _power_document(plan, context.noise())})
    elif form == "kubernetes":
        click.echo(kubernetes(context, plan, cluster), nl=False)
    elif form == "github":
        print_json(matrix(context.catalog, (plan.control, *plan.subjects)))
    else:
        night = None if selection.only else selection.night or datetime.now(UTC).date()
        click.echo(table(plan, context.catalog, night, context.noise()))
        _say_unavailable(plan, context)


def refusals(refused: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each reason; subjects that share the reason are listed below the sentence.

    `refused` is sentence -> subjects, with SUBJECT in the place of the subject.
    """
    for sentence, subjects in refused.items():
        if len(subjects) == 1:
            yield sentence.replace(SUBJECT, subjects[0])
        else:
            heading = f"{len(subjects)} subjects are unavailable:"
            yield sentence.replace(f"{SUBJECT} is unavailable:", heading).replace(SUBJECT, "Each of them")
            yield from (f"  {subject}" for subject in subjects)


def _say_unavailable(plan: Plan, context: Context) -> None:
    """Print the subjects of a plan that can't be built or run on this host, with the command that mends each.

    For native images that can be built, print the memory that the build takes.
    """
    from plumbline.measuring.build.builder import unavailable
    from plumbline.measuring.run.conditions import why_unavailable
    from plumbline.model.subject import Subject, is_native
    from plumbline.subjects.plan.declared import engine_of

    scratch = context.paths.scratch
    existing_folder = next(folder for folder in (scratch, *scratch.parents) if folder.exists())
    engine = engine_of(map(Subject.parse, plan.subjects))
    folder = existing_folder if context.database_place(engine) == "embedded" else None
    builds_native = False
    refused_subjects: dict[str, list[str]] = {}
    for text in plan.subjects:
        subject = context.catalog.subject(text)
        settings = context.catalog.settings_of(subject)
        missing = unavailable(subject, settings, context.native_image, context.cannot_contain)
        if missing is not None:
            refused_subjects.setdefault(str(missing).replace(text, SUBJECT, 1), []).append(text)
        builds_native |= missing is None and is_native(subject.packaging)
        reason = why_unavailable(context.placement, settings, len(plan.sets.app), folder, context.proc)
        if reason is not None:
            refused_subjects.setdefault(f"{SUBJECT} is unavailable: {reason}", []).append(text)
    for line in refusals(refused_subjects):
        say(line, err=False)
    if builds_native:
        memory = context.native_memory()
        click.echo(f"To build a native image {memory.said}. {memory.lacking or ''}".rstrip())


def _power_document(plan: Plan, noise: NoiseBook) -> list[dict[str, object]]:
    from plumbline.subjects.plan.detectable import by_metric

    return [
        {**asdict(row), "trials": detectable.trials, "change": detectable.change}
        for row, detectable in by_metric(plan, noise)
    ]
