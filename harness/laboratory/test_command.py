"""`./bench test`: every check of the project."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import click

from plumbline.cli.console import ROOT, duration, say
from plumbline.cli.selecting import TimeBudget
from plumbline.model.errors import UsageError
from .checks import Check, Tier, checks
from .set_up import set_up

EXAMPLES = "results/examples"
PROMISES = ROOT / "docs" / "promises.md"
# The time of a comparison in which a slowdown of an eighth is promised to be found.
INJECTED_BUDGET_S = 900.0

INSTEAD: dict[Tier, str] = {
    "live": "the long live tests: comparisons, sessions that are ended in every way, several kinds of servers. "
    "20 to 30 minutes.",
    "workflows": "run every job of every workflow here, against a stand-in for GitHub. Half an hour or so.",
    "site": "every page in both themes and all sizes, Lighthouse, frames of the chart. Some minutes.",
    "faults": "put known faults into real trials, and see that the right rule names each. Half an hour or so.",
    "host": "the runner's parts on an emulated host, and an application that attacks it. An hour or so.",
    "containers": "applications in containers, by each engine of this host. Some minutes; --all notes what was held.",
    "kubernetes": "a real cluster of one node. Half an hour; the first run builds Kubernetes, in ten minutes more.",
}
"""The tiers that run instead of all others, and what each does."""


def _names(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for text in values for part in text.split(",") if (name := part.strip()))


def _tiers(command: Callable[..., int]) -> Callable[..., int]:
    """Add a flag for each tier that runs only when it is asked for by name."""
    for tier, description in reversed(INSTEAD.items()):
        command = click.option(f"--{tier}", is_flag=True, help=f"Instead: {description}")(command)
    return command


@click.command(epilog="Example: ./bench test --quick")
@click.option(
    "--quick",
    is_flag=True,
    help="For each save: formatter, linter, types, shell, and all unit tests but the slow ones.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Hold every variant to the contract, on each database, packaging and profile, and every subject of a suite "
    "outside of containers; README's table of it. Some hours. With --containers: the subjects in containers instead.",
)
@click.option(
    "--only",
    metavar="NAME[,NAME]",
    multiple=True,
    callback=_names,
    help="Only checks of that name; all when it is empty. May be repeated.",
)
@_tiers
@click.option("--promises", is_flag=True, help="Instead: measure what the statistics promise, into docs/promises.md.")
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    metavar="DATA",
    help=f"With --promises: sessions whose real trials are resampled as well; {EXAMPLES} if they are long enough.",
)
@click.option(
    "--injected",
    is_flag=True,
    help="Instead: slow an application down by an eighth of a request, and look whether `compare` finds it.",
)
@click.option(
    "--tries",
    type=click.IntRange(1, 200),
    help="With --injected: repeat so often, half an hour each; once when left out.",
)
@click.option(
    "--budget",
    "budget_s",
    type=TimeBudget(),
    help="With --injected: the time of each comparison; 15m when left out.",
)
@click.option(
    "--write",
    is_flag=True,
    help="With --injected: add the tries to results/injected.json, and write the table of all into docs/promises.md.",
)
def command(
    quick: bool,
    every: bool,
    only: tuple[str, ...],
    promises: bool,
    records: Path | None,
    injected: bool,
    tries: int | None,
    budget_s: float | None,
    write: bool,
    **tier_flags: bool,
) -> int:
    """Run the project's own checks: formatter, linter, types, shell, unit tests, the report in a browser, live tests.

    Live tests build vertx-pg and the control, check them against the contract with a real database, and run a real
    short session end to end; --live takes more variants, and --all takes every one. The command ends with a line of
    counts. Exit status 1: a check failed.
    """
    if records is not None and not promises:
        raise UsageError("--records goes with --promises.", "Add --promises, or leave --records out.")
    if (tries is not None or budget_s is not None or write) and not injected:
        raise UsageError("--tries, --budget and --write go with --injected.", "Add --injected, or leave them out.")
    alone = [name for name, is_asked in (("--promises", promises), ("--injected", injected)) if is_asked]
    if alone and (len(alone) > 1 or quick or every or only or any(tier_flags.values())):
        raise UsageError(f"{alone[0]} runs alone.", "Leave out every other choice of checks.")
    if injected:
        from .injected import LEDGER, inject

        made_tries = inject(tries or 1, budget_s or INJECTED_BUDGET_S, LEDGER if write else None, PROMISES)
        for line in made_tries.lines():
            click.echo(line)
        return 0 if made_tries.kept else 1
    if promises:
        from .promises.write import can_be_resampled, write_promises

        if records is None and can_be_resampled(ROOT / EXAMPLES):
            records = ROOT / EXAMPLES
        return 0 if write_promises(PROMISES, records) else 1
    tiers = {tier for tier in INSTEAD if tier_flags[tier]}
    with tempfile.TemporaryDirectory(prefix="bench-test-") as scratch:
        all_checks = checks(Path(scratch), quick=quick, every=every)
        chosen_checks = choose(all_checks, only, tiers, quick=quick)
        if every:
            plain_checks = checks(Path(scratch), quick=quick)
            if all(check in plain_checks for check in chosen_checks):
                raise UsageError("--all would change none of these checks.", "Leave it out, or choose others.")
        variables = set_up(frozenset().union(*(check.needs for check in chosen_checks)), os.environ)
        results = [check.run(variables) for check in chosen_checks]
    say("")
    for result in results:
        skipped = f", {result.skipped} skipped" if result.skipped else ""
        say(f"{'passed' if result.passed else 'FAILED':7} {result.name} ({duration(result.seconds)}){skipped}")
    for check in all_checks:
        if check not in chosen_checks and (check.name in only or check.tier in tiers):
            say(f"not run {check.name}")
    failed = sum(not result.passed for result in results)
    click.echo(f"checks: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def choose(all_checks: Sequence[Check], only: Collection[str], tiers: Collection[Tier], *, quick: bool) -> list[Check]:
    """Return the checks named in `only`, of any tier; if it is empty, the checks of `tiers`.

    Without both, these are the quick and the whole ones. `quick` leaves out all checks that are not quick. Raises
    UsageError for an unknown name, and if no check is left.
    """
    for name in only:
        if name not in {check.name for check in all_checks}:
            raise UsageError(f"There is no check '{name}'.", f"Known: {', '.join(check.name for check in all_checks)}.")
    wanted_tiers = tiers or ("quick", "whole")
    chosen_checks = [check for check in all_checks if (check.name in only if only else check.tier in wanted_tiers)]
    chosen_checks = [check for check in chosen_checks if check.tier == "quick" or not quick]
    if not chosen_checks:
        raise UsageError("None of these checks is a quick one.", "Leave out --quick.")
    return chosen_checks
