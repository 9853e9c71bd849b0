"""`./bench plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import ROOT, app_option, duration, json_option, print_json

if TYPE_CHECKING:
    from plumbline.catalog.catalog import Catalog
    from plumbline.model.plan import Plan


@click.command(epilog="Example: ./bench plan --suite quick --only 'vertx-pg/*'")
@click.option("--suite", help="A suite of bench.toml; the default one when left out.")
@click.option("--only", multiple=True, metavar="GLOB", help="Only subjects that match. May be repeated.")
@click.option("--blocks", type=click.IntRange(1, 200), help="Trials of each subject, instead of the suite's.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "github"]), default="table", show_default=True
)
@app_option
@json_option
def command(
    suite: str | None,
    only: tuple[str, ...],
    blocks: int | None,
    form: str,
    apps: tuple[Path, ...],
    as_json: bool,
) -> None:
    """What would run, why, how long it takes and what difference it could detect."""
    from plumbline.run.workshop import open_workshop

    workshop = open_workshop(ROOT, apps, lambda text: None)
    plan = workshop.plan(suite, only=only, blocks=blocks)
    if as_json or form == "json":
        print_json(plan.model_dump(mode="json"))
    elif form == "github":
        print_json(_matrix(plan, workshop.catalog))
    else:
        click.echo(_table(plan, workshop.catalog))


def _matrix(plan: Plan, catalog: Catalog) -> dict[str, Any]:
    """A matrix of builds for GitHub Actions: one entry an artifact, with the subjects that run it."""
    rows: dict[str, dict[str, Any]] = {}
    for text in (plan.control, *plan.subjects):
        subject = catalog.subject(text)
        packaging = catalog.variant(subject.variant).artifact_packaging(subject.packaging)
        artifact = f"{subject.variant}/{packaging}/{subject.engine}"
        row = rows.setdefault(
            artifact,
            {
                "artifact": artifact,
                "variant": subject.variant,
                "packaging": packaging,
                "engine": subject.engine,
                "subjects": [],
            },
        )
        row["subjects"].append(text)
    return {"include": list(rows.values())}


def _table(plan: Plan, catalog: Catalog) -> str:
    _, spec = catalog.suite(plan.suite)
    measured = sum(trial.role == "measured" for trial in plan.trials)
    lines = [
        f"Suite {plan.suite}: {spec.about}.",
        f"{len(plan.subjects)} subjects x {len(plan.scenarios)} scenarios x {plan.blocks} blocks = {measured} trials, "
        f"and {len(plan.trials) - measured} of the control; about {duration(plan.expected_s)} once built"
        f" (budget {duration(spec.budget)}).",
        "",
        "Subjects",
    ]
    for text in (*plan.subjects, plan.control):
        subject = catalog.subject(text)
        note = (
            " (control: first, middle, last; its first trial is thrown away)" if text == plan.control else ""
        )
        lines.append(f"  {text:48} {catalog.variant(subject.variant).spec.name}{note}")
    for scenario in plan.scenarios:
        lines += ["", f"Scenario {scenario.id}: {scenario.operation}"]
        for phase in scenario.phases:
            if phase.duration_s:
                load = f"{phase.connections} connections"
                if phase.kind == "open":
                    load = (
                        f"{phase.rate_per_s} requests/s"
                        if phase.rate_per_s
                        else f"{phase.rate_share:.0%} of the slowest subject's capacity"
                    )
                cycles = f" x {phase.cycles}" if phase.cycles > 1 else ""
                lines.append(f"  {phase.name:12} {phase.duration_s:g} s{cycles}, {load}")
    found = plan.detectable
    could = (
        "so few trials a subject allow no verdict"
        if found.change is None
        else f"a difference of {found.change:.1%} between two subjects would be found in 95 of 100 sessions"
    )
    sets = plan.sets
    lines += [
        "",
        f"Host {plan.host} ({plan.host_class}), placement by {plan.placement}: app on CPU {_cpus(sets.app)}, "
        f"database on {_cpus(sets.db)}, load on {_cpus(sets.load)}, housekeeping on {_cpus(sets.housekeeping)}.",
        f"Detectable with {found.trials} trials: {could} ({found.basis}).",
        f"Seed {plan.seed}; order of the first block: "
        + ", ".join(trial.subject for trial in plan.trials if trial.block == 1)
        + ".",
    ]
    if plan.expected_s > spec.budget:
        lines.append(
            f"This is over the budget of {duration(spec.budget)}: lower --blocks or narrow by --only."
        )
    return "\n".join(lines)


def _cpus(numbers: tuple[int, ...]) -> str:
    return ",".join(str(number) for number in numbers)
