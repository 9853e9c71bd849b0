"""`./bench smallest-heap SUBJECT...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import completing
from .console import ROOT, app_option, json_option, print_json, say

if TYPE_CHECKING:
    from plumbline.measuring.run.smallest_heap import FoundHeap

_RATE_PER_S = 200


@click.command(epilog="Example: ./bench smallest-heap quarkus-rest-orm spring4-mvc-jpa")
@click.argument("subjects", nargs=-1, required=True, shell_complete=completing.subjects)
@click.option("--scenario", default="fruits", metavar="NAME", help="The requests that arrive; fruits.")
@click.option(
    "--rate",
    type=click.IntRange(1, 100_000),
    default=_RATE_PER_S,
    help=f"Arrivals a second that have to be answered in time; {_RATE_PER_S}.",
)
@app_option
@json_option
def command(
    subjects: tuple[str, ...], scenario: str, rate: int, apps: tuple[Path, ...], as_json: bool
) -> int:
    """Search the smallest heap with which a subject keeps a rate of requests, up to the heap of bench.toml.

    Fresh processes get half of the heap, then a quarter or three quarters, and so on; three have to keep the rate with
    the heap that is found. That takes some seven minutes a subject. The figures are readings of few processes; the last
    lines name the commands that compare memory in a session. Exit status 1: a subject does not keep the rate with the
    heap of bench.toml.
    """
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.opening import testbed_for_now
    from plumbline.measuring.run.smallest_heap import check, smallest_heap

    context = open_context(ROOT, apps, say)
    asked = dict.fromkeys(check(context, text, scenario) for text in subjects)
    found = {}
    for subject in asked:
        with testbed_for_now(context, "heap", [subject]) as testbed:
            found[subject] = smallest_heap(testbed, context, subject, scenario, rate)
    if as_json:
        print_json(
            {
                subject.id: {"heap_mib": its.heap_mib, "rss_under_load_bytes": its.memory_bytes}
                for subject, its in found.items()
            }
        )
        return 0 if all(its.heap_mib for its in found.values()) else 1
    for subject, its in found.items():
        click.echo(f"{subject.id} {_in_words(its, rate)}")
    sides = [(one, its.heap_mib) for one, its in found.items() if its.heap_mib is not None]
    if len(sides) == 2:
        for heaps in (["auto", "auto"], [f"{heap_mib}m" for _, heap_mib in sides]):
            named = (f"{one.id}+heap={heap}" for (one, _), heap in zip(sides, heaps, strict=True))
            click.echo(f"./bench compare {' '.join(named)}")
    return 0 if len(sides) == len(found) else 1


def _in_words(its: FoundHeap, rate: int) -> str:
    from plumbline.reporting.report.parts.naming import mebibytes

    said = (
        f"does not keep {rate} requests/s"
        if its.heap_mib is None
        else f"keeps {rate} requests/s with {its.heap_mib} MiB of heap, {mebibytes(its.memory_bytes)} in memory"
    )
    return said if its.below is None else f"{said}; with {its.below.heap_mib} MiB: {its.below.problem}"
