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
_OTHER_LOAD = "A comparison has another load than this search: it saturates both sides, so each may need more heap."


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
def command(subjects: tuple[str, ...], scenario: str, rate: int, apps: tuple[Path, ...], as_json: bool) -> int:
    """Search the smallest heap with which a subject keeps a rate of requests, up to the heap of bench.toml.

    Fresh processes get half of the heap, then a quarter or three quarters, and so on; three have to keep the rate with
    the heap that is found. That takes some ten minutes a subject. The figures are readings of few processes; the last
    lines name the commands that compare memory in a session, under another load. Exit status 1: a subject does not keep
    the rate with the heap of bench.toml.
    """
    from plumbline.measuring.launch.lock import MachineLock
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.opening import testbed_for_now
    from plumbline.measuring.run.smallest_heap import require_searchable, smallest_heap

    context = open_context(ROOT, apps, say)
    chosen = dict.fromkeys(require_searchable(context, text, scenario) for text in subjects)
    heaps = {}
    for subject in chosen:
        with MachineLock() as lock, testbed_for_now(context, "heap", [subject], lock.descriptor) as testbed:
            heaps[subject] = smallest_heap(testbed, context, subject, scenario, rate)
    if as_json:
        print_json(
            {
                subject.id: {"heap_mib": heap.heap_mib, "rss_under_load_bytes": heap.memory_bytes}
                for subject, heap in heaps.items()
            }
        )
        return 0 if all(heap.heap_mib for heap in heaps.values()) else 1
    for subject, heap in heaps.items():
        click.echo(f"{subject.id} {_sentence(heap, rate)}")
    sides = [(subject, heap.heap_mib) for subject, heap in heaps.items() if heap.heap_mib is not None]
    if len(sides) == 2:
        click.echo(_OTHER_LOAD)
        for sizes in (["auto", "auto"], [f"{heap_mib}m" for _, heap_mib in sides]):
            ids = (f"{subject.id}+heap={size}" for (subject, _), size in zip(sides, sizes, strict=True))
            click.echo(f"./bench compare {' '.join(ids)} --scenario {scenario}")
    return 0 if len(sides) == len(heaps) else 1


def _sentence(heap: FoundHeap, rate: int) -> str:
    from plumbline.reporting.report.parts.naming import mebibytes

    text = (
        f"does not keep {rate} requests/s"
        if heap.heap_mib is None
        else f"keeps {rate} requests/s with {heap.heap_mib} MiB of heap, {mebibytes(heap.memory_bytes)} in memory"
    )
    return text if heap.below is None else f"{text}; with {heap.below.heap_mib} MiB: {heap.below.problem}"
