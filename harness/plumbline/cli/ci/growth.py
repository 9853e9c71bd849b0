"""`./bench ci growth`."""

from __future__ import annotations

from pathlib import Path

import click

from ..console import ROOT


@click.command(epilog="Example: ./bench ci growth data")
@click.argument("data", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--suite", default="nightly", show_default=True, help="The suite that runs every night.")
def command(data: Path | None, suite: str) -> int:
    """Estimate how much a year of nights adds to the data branch, from what its trials took, or may take at most.

    Exit status 1: 1.5 GB or more.
    """
    from plumbline.catalog.bench import NIGHTS
    from plumbline.catalog.catalog import read_catalog
    from plumbline.data.growth import MOST_BYTES_A_YEAR, OTHERS_SHARE, growth
    from plumbline.plan.order import order_trials

    catalog = read_catalog(ROOT)
    name, spec = catalog.suite(suite)
    control = catalog.bench.control
    a_night = len(catalog.subjects_of(spec)) + len(spec.rotation) / len(NIGHTS)
    of_control = len(order_trials([control], spec.scenarios, control, spec.blocks, 0)) - spec.blocks * len(
        spec.scenarios
    )
    trials = a_night * len(spec.scenarios) * spec.blocks + of_control
    found = growth(data, trials)
    click.echo(
        f"{name}: {trials:.0f} trials a night x {found.trial_bytes / 1000:.1f} kB ({found.basis}) x 365, and "
        f"{OTHERS_SHARE:.0%} for tags and comparisons: {found.bytes_a_year / 1e9:.2f} GB a year (at most "
        f"{MOST_BYTES_A_YEAR / 1e9:.1f})."
    )
    return 0 if found.fits else 1
