"""What our scenarios cost: CPU time of k6 per request against a server that does nothing.

    ./bench benchmark k6_cost [--rounds 5] [--seconds 4] [--write]

Takes the k6 of a session, or the k6 that `PLUMBLINE_K6` names.
Each round runs every way once, in random order, k6 on the last of our CPUs and the server on the first.
Prints the mean CPU time per request with its 95 % t interval, and the rate that was reached. With --write the
table stands in docs/promises.md.
"""

from __future__ import annotations

import argparse
import http.client
import math
import os
import random
import resource
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from textwrap import fill

from scipy.stats import t as student

from laboratory.promises.page import COST_OF_COMPARING, PAGE, write_part
from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.k6 import get_k6
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.load.k6 import K6
from plumbline.measuring.load.params import CHECK_EVERY, COMPARED_MIN, Target
from plumbline.model.plan import Phase, Scenario
from tests.load.server import Server
from tests.processes import PlainSpawner
from .replaying import PAGE_WIDTH

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "k6" / "scenarios"
# About as long as the answer of GET /fruits.
BODY = "x" * 8000
CONNECTIONS = 20
OPEN_RATE_PER_S = 1000
NEVER = 10**9


@dataclass(frozen=True)
class Way:
    """A way to run k6: how many bodies k6 compares, and whether its REST API is asked each second.

    With a golden body, k6 checks the length of each answer as well.
    """

    name: str
    check_every: int
    golden: bool = True
    polled: bool = False
    open: bool = False
    compared_min: int = 0


WAYS = (
    Way("closed, no checks", NEVER, golden=False),
    Way("closed, one answer in 100 compared, every length", 100),
    Way("closed, as in trials", CHECK_EVERY, compared_min=COMPARED_MIN),
    Way("closed, one in 100, REST API asked each second", 100, polled=True),
    Way("closed, every answer compared", 1),
    Way(f"open at {OPEN_RATE_PER_S}/s, no checks", NEVER, golden=False, open=True),
    Way(f"open at {OPEN_RATE_PER_S}/s, as in trials", CHECK_EVERY, open=True, compared_min=COMPARED_MIN),
)


class PinnedSpawner(PlainSpawner):
    """Starts k6 on one CPU."""

    def __init__(self, cpu: int) -> None:
        super().__init__()
        self._prefix = ["/usr/bin/taskset", "-c", str(cpu)]

    def spawn(self, *, argv: list[str], **options):  # type: ignore[no-untyped-def]
        return super().spawn(argv=[*self._prefix, *argv], **options)


class Poller:
    """Asks k6 for the running count at every second look; looks are half a second apart."""

    def __init__(self) -> None:
        self.address = ""
        self._looks = 0

    def started(self, pids: tuple[int, ...], addresses: tuple[str, ...]) -> None:
        (self.address,) = addresses

    def look(self) -> str | None:
        self._looks += 1
        if self._looks % 2 == 0:
            connection = http.client.HTTPConnection(self.address, timeout=1)
            # A k6 that has just ended, or that has too much to do, gives no answer.
            with closing(connection), suppress(OSError, http.client.HTTPException):
                connection.request("GET", "/v1/metrics/http_reqs")
                connection.getresponse().read()
        return None


def children_cpu_s() -> float:
    """Return the CPU time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(way: Way, binary: Path, server: Server, seconds: float, cpu: int) -> tuple[float, float]:
    """Return the CPU time of k6 per request in microseconds, its start included, and requests a second."""
    scenario = Scenario(
        name="fruits",
        version=1,
        workload="fruits",
        script="fruits.ts",
        operation="GET /fruits",
        uses_database=False,
        phases=(),
    )
    phase = (
        Phase(kind="open", name="open", duration_s=seconds, rate_per_s=OPEN_RATE_PER_S)
        if way.open
        else Phase(kind="closed", name="closed", duration_s=seconds, connections=CONNECTIONS)
    )
    k6 = K6(binary, SCENARIOS, 1, PinnedSpawner(cpu), check_every=way.check_every, compared_min=way.compared_min)
    target = Target(base_url=server.url, name="Apple", golden=BODY if way.golden else None)
    poller = Poller()
    stop: Callable[[], str | None] = poller.look if way.polled else lambda: None
    with socket.socket() as probe, tempfile.TemporaryDirectory() as folder:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        before = children_cpu_s()
        load = k6.run(
            phase,
            scenario,
            target,
            folder=Path(folder),
            rest_port=port,
            on_started=poller.started,
            stop=stop,
        ).result
    if load.failed or load.checks_failed:
        raise SystemExit(f"{way.name}: {load.failed} failed, {load.checks_failed} wrong. {load.messages}")
    return (children_cpu_s() - before) * 1e6 / load.requests, load.completed / load.window_s


def interval(values: list[float]) -> float:
    """Return half the width of the 95 % t interval of the mean."""
    quantile = float(student.ppf(0.975, len(values) - 1))
    return quantile * stdev(values) / math.sqrt(len(values))


def table(costs: Mapping[str, list[float]], rates: Mapping[str, list[float]], seconds: float) -> str:
    """Return the part of the page on the cost of each way (us a request), and the rate that it reached (requests/s)."""
    rounds = min(map(len, costs.values()))
    paragraph = (
        f"CPU time of k6 on one CPU for a request, against a server on another that answers {len(BODY):,} bytes and "
        f"does nothing else: means of {rounds} runs of {seconds:g} s, with their 95 % intervals, k6's start included. "
        f"Written by `./bench benchmark k6_cost --rounds {rounds} --seconds {seconds:g} --write`."
    )
    lines = ["| way | CPU time, µs | requests/s |", "|---|---:|---:|"]
    for name, way_costs in costs.items():
        lines.append(f"| {name} | {fmean(way_costs):.1f} ± {interval(way_costs):.1f} | {fmean(rates[name]):,.0f} |")
    return f"{fill(paragraph, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)}\n\n" + "\n".join(lines)


def main() -> None:
    """Run the rounds, and print the table."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--write", action="store_true", help="put the result into docs/promises.md")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds: it takes two rounds or more to tell an interval")
    paths = Paths.of(os.environ, ROOT, os.geteuid())
    program = get_k6(Toolbox.of(paths, os.environ, lambda text: print(text, file=sys.stderr))).program
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[0]})
    server = Server("ok", BODY)
    costs: dict[str, list[float]] = {way.name: [] for way in WAYS}
    rates: dict[str, list[float]] = {way.name: [] for way in WAYS}
    try:
        for number in range(arguments.rounds):
            for way in random.Random(number).sample(WAYS, len(WAYS)):
                cost_us, rate_per_s = measure(way, program, server, arguments.seconds, cpus[-1])
                costs[way.name].append(cost_us)
                rates[way.name].append(rate_per_s)
    finally:
        server.stop()
    page_part = table(costs, rates, arguments.seconds)
    print(page_part)
    if arguments.write:
        write_part(PAGE, COST_OF_COMPARING, page_part)


if __name__ == "__main__":
    main()
