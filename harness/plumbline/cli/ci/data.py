"""`./bench ci data`, `keep`, `index`, `sample` and `growth`: the data branch as a whole."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.reporting.github.workflow import outputs
from ..console import ROOT, say
from .options import branch_option, data_argument, data_branch, remote_option, token, tries_option

if TYPE_CHECKING:
    from plumbline.subjects.catalog.bench import SuiteSpec
    from plumbline.subjects.catalog.catalog import Catalog


@click.command(epilog="Example: ./bench ci data data --remote origin")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@remote_option
@branch_option
@click.option(
    "--evidence",
    multiple=True,
    metavar="SESSION",
    help="Fetch its evidence too; '*' for all. May be repeated.",
)
@click.option(
    "--newest",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Fetch the evidence of the N newest sessions too.",
)
def data_command(out: Path, remote: str, branch: str, evidence: tuple[str, ...], newest: int | None) -> None:
    """Make a small copy of the data branch in the new folder OUT: one commit deep, without evidence.

    OUT is empty, and the output `commit` too, as long as there is no such branch.
    """
    from plumbline.archive.data.branch import add_evidence, clone
    from plumbline.archive.data.layout import RUNS
    from plumbline.archive.record.layout import session_folders

    commit = clone(remote, out, branch=branch, token=token(), evidence=evidence)
    if newest is not None and (folders := session_folders(out / RUNS)):
        # Folders are sorted by month and id, which begins with the time.
        add_evidence(out, [folder.name for folder in folders[-newest:]], token())
    outputs({"commit": commit or ""})


@click.command(epilog="Example: ./bench ci keep data alerts.json --remote origin --message 'Alerts'")
@data_argument
@click.argument("paths", nargs=-1, required=True)
@remote_option
@branch_option
@click.option("--message", default="Derived files", show_default=True, help="Message of the commit.")
@tries_option
def keep_command(data: Path, paths: tuple[str, ...], remote: str, branch: str, message: str, tries: int) -> None:
    """Commit derived files to a copy of the data branch, over the files that are there.

    The files are alerts.json, github-action-benchmark/<name>.json, and hosts/<host>/before.json and after.json, or one
    of their folders; runs are never written again. The files may come from a job that ran programs of others: anything
    but a JSON document of a sane size is refused.
    """
    from plumbline.archive.data import layout
    from plumbline.archive.data.landing import land_files
    from plumbline.model.errors import AnswerIsNo, UsageError

    files = {}
    for path in _files(data, paths):
        place = data / path
        if place.is_symlink() or not place.is_file():
            raise UsageError(f"{place} is no plain file.", "Name files below DATA.")
        if place.stat().st_size > layout.RECORD_BYTES:
            raise AnswerIsNo(f"{path} has more than {layout.RECORD_BYTES:,} bytes.", "Look at what made it.")
        files[path] = place.read_bytes()
    landed = land_files(data_branch(remote, branch, tries), files, message)
    outputs({"commit": landed.commit, "landed": "new" if landed.new else "already"})


def _files(data: Path, paths: Sequence[str]) -> Iterator[str]:
    """Yield the paths, with the entries of a folder in place of the folder."""
    for path in paths:
        place = data / path
        if place.is_dir() and not place.is_symlink():
            yield from (f"{path}/{entry.name}" for entry in sorted(place.iterdir()))
        else:
            yield path


@click.command(epilog="Example: ./bench ci index data --check")
@data_argument
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 when one differs.")
def index_command(data: Path, check: bool) -> int:
    """Write the indexes of a copy of the data branch again from its records, or check them."""
    from plumbline.archive.data.entry import differing, rebuilt
    from plumbline.archive.data.layout import INDEX
    from plumbline.archive.record.files import write_whole

    if check:
        wrong_paths = list(differing(data))
        for path in wrong_paths:
            say(f"{path} is not what the records say.", err=False)
        click.echo(f"{len(wrong_paths)} indexes differ.")
        return 1 if wrong_paths else 0
    indexes = rebuilt(data)
    for month, content in indexes.items():
        write_whole(data / month / INDEX, content)
    click.echo(f"{len(indexes)} indexes made.")
    return 0


@click.command(epilog="Example: ./bench ci sample data --count 20")
@data_argument
@click.option("--count", type=click.IntRange(1, 1000), default=20, show_default=True, help="Sessions to verify.")
@click.option("--seed", type=int, help="Seed of the random sample; another seed each time when left out.")
def sample_command(data: Path, count: int, seed: int | None) -> int:
    """Verify a random sample of the sessions in a copy of the data branch, and fetch the evidence that the copy
    lacks.

    Each session is recomputed by the versions that it names. Exit status 1: a session is not as recorded. 3: a
    session can't be recomputed here.
    """
    from plumbline.archive.data.branch import add_evidence
    from plumbline.archive.data.layout import RUNS
    from plumbline.archive.record.gate import check
    from plumbline.archive.record.layout import session_folders
    from ..verify_command import lines, status

    folders = session_folders(data / RUNS)
    drawn = sorted(random.Random(seed).sample(folders, min(count, len(folders))))
    lacking = [folder.name for folder in drawn if not (folder / "evidence").is_dir()]
    if lacking:
        add_evidence(data, lacking, token())
    results = tuple(check(folder) for folder in drawn)
    for result in results:
        if result.word != "as recorded":
            for line in lines(result):
                say(line, err=False)
    recorded = sum(result.word == "as recorded" for result in results)
    click.echo(f"{len(drawn)} of {len(folders)} sessions checked, {recorded} as recorded.")
    return status(results)


@click.command(epilog="Example: ./bench ci growth data")
@click.argument("data", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--suite", default="nightly", show_default=True, help="The suite that runs every night.")
def growth_command(data: Path | None, suite: str) -> int:
    """Estimate how much a year of nights adds to the data branch, from what its trials took, or a high estimate.

    Exit status 1: 1.5 GB or more.
    """
    from plumbline.archive.data.growth import MOST_BYTES_A_YEAR, OTHERS_SHARE, growth
    from plumbline.subjects.catalog.catalog import read_catalog
    from plumbline.verdicts.judge.wording import percent

    catalog = read_catalog(ROOT)
    name, spec = catalog.suite(suite)
    trials = _trials_a_night(catalog, spec)
    estimate = growth(data, trials)
    points = f", and {estimate.points_bytes / 1000:.0f} kB of points," if estimate.points_bytes else ""
    click.echo(
        f"{name}: {trials:.0f} trials a night x {estimate.trial_bytes / 1000:.1f} kB ({estimate.basis}){points} x 365, "
        f"and {percent(OTHERS_SHARE)} for tags and comparisons: {estimate.bytes_a_year / 1e9:.2f} GB a year (at most "
        f"{MOST_BYTES_A_YEAR / 1e9:.1f})."
    )
    return 0 if estimate.fits else 1


def _trials_a_night(catalog: Catalog, suite: SuiteSpec) -> float:
    """Return how many trials a night of a suite has, with those that prove limits: the mean over a week of nights."""
    from plumbline.subjects.catalog.bench import NIGHTS
    from plumbline.subjects.plan.make import trials_at_most
    from plumbline.subjects.plan.phases import scenario_of

    scenarios = [scenario_of(text, catalog.scenario(text), suite) for text in suite.scenarios]
    today, trials = datetime.now(UTC).date(), 0
    for days in range(len(NIGHTS)):
        subjects = catalog.subjects_of(suite, night=today + timedelta(days=days))
        trials += len(trials_at_most(catalog, suite, subjects, scenarios, suite.blocks))
    return trials / len(NIGHTS)
