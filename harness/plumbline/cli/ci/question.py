"""`./bench ci question`."""

from __future__ import annotations

import json
import math

import click

from plumbline.github.workflow import outputs, summary
from ..console import ROOT, duration
from ..matrix import matrix
from ..selecting import only_option, scale_option, scenario_option
from .options import HOSTED, host_option, job_minutes, place_of

# So many pairs are tried for, and no comparison is given longer than half a working day.
LONGEST_S = 4 * 3600.0


@click.command(
    epilog="Example: ./bench ci question --suite nightly --only vertx-pg/jvm/pg --scenario fruits --host lab"
)
@click.option(
    "--suite", default="", help="The suite whose phases are run; `compare_suite` of bench.toml when left out."
)
@only_option
@scenario_option
@host_option
@scale_option
def command(suite: str, only: tuple[str, ...], scenarios: tuple[str, ...], host: str, scale: float) -> None:
    """Plan the comparison of two commits on a host: print the matrix of builds of a side, and the budget.

    Subjects are given by their exact ids and scenarios by name, of any suite. The budget is that of the suite for
    comparisons, or the time that the second interim analysis needs.
    """
    from plumbline.catalog.catalog import read_catalog
    from plumbline.model.errors import UsageError
    from plumbline.plan.declared import control_of
    from plumbline.plan.duration import REHEARSAL_S, trial_s
    from plumbline.plan.phases import scenario_of
    from plumbline.stats.interim import LOOKS

    catalog = read_catalog(ROOT)
    name, spec = catalog.suite(suite or catalog.bench.compare_suite)
    _, usual = catalog.suite(catalog.bench.compare_suite)
    place = place_of(host)
    if not only:
        raise UsageError("No subject is named.", "Name them by --only, with commas.")
    subjects = [catalog.subject(text) for text in only]
    ids = [one.id for one in subjects]
    chosen = scenarios or spec.scenarios
    made = [scenario_of(text, catalog.scenario(text), spec, scale) for text in chosen]
    # On a hosted runner both sides run at once.
    pair_s = sum(trial_s(one) for one in made) * len(subjects) * (1 if place == HOSTED else 2)
    # A try ends at its first look.
    pairs = LOOKS[1] if scale == 1.0 else LOOKS[0]
    budget_s = min(LONGEST_S, max(usual.budget * scale, 1.2 * pair_s * pairs))
    builds = matrix(catalog, (control_of(catalog, subjects).id, *ids))
    outputs(
        {
            "suite": name,
            "only": ",".join(ids),
            "scenarios": ",".join(chosen),
            "host": place,
            "scale": f"{scale:g}",
            "budget": f"{math.ceil(budget_s)}s",
            "timeout": str(job_minutes(budget_s + 2 * REHEARSAL_S * (len(subjects) + 1), place)),
            "matrix": json.dumps(builds, separators=(",", ":")),
        }
    )
    names = ", ".join(f"`{id_}`" for id_ in ids)
    summary(
        f"## A comparison on {place}\n\n{names} under {', '.join(chosen)}, with the phases of the suite {name}: "
        f"at most {duration(budget_s)} once built.\n"
    )
