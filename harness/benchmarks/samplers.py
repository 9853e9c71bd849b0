"""Measures the cost of sampling: CPU time of each sampler per tick, and, in pairs, the effect on who is observed.

    ./bench benchmark samplers [--app PID] [--db PID] [--load PID] [--hsperfdata FILE] [--ticks 50]
                                  [--conninfo TEXT --database NAME --user NAME]
    ./bench benchmark samplers --pairs 20 [--seconds 2] [--write] ...

The first form prints the mean CPU time per tick by sampler, of what is running: name an application, a
database and a k6 under load, or see the cost for this process alone. What the database spends on its answer
is not in it.

The second echoes a byte between a server on the first of our CPUs and a client on the last, where the
observer runs as well, which is the worst place for it. Windows with and without the observer alternate in
ABBA order. Half a second of echoes goes before each window, so that a window of whole seconds has a reading for
each of its seconds, and never the first, which opens the files. It prints how much more CPU time and how much more
time an echo took with the observer, by the mean of the log ratio with its 95 % t interval. With --write the table
stands in docs/promises.md. Both want a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import math
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from textwrap import fill

from laboratory.promises.page import COST_OF_SAMPLERS, PAGE, write_part
from plumbline.measuring.observe.observer import PERIOD_S, Observer
from plumbline.measuring.observe.processes import Processes
from plumbline.measuring.observe.samplers import SAMPLERS
from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.observe.threads import ThreadLog
from plumbline.measuring.place.interface import PlacedRole
from plumbline.measuring.services.interface import DatabaseTarget
from plumbline.model.host import CpuSets
from plumbline.verdicts.judge.wording import listed
from plumbline.verdicts.stats.interval import t_interval
from .replaying import PAGE_WIDTH

# The first ticks open files and connections, which a trial does once.
WARM_UP_TICKS = 3
# From the observer's start to the window: by then the first reading is over, and each next one lies amid its second.
LEAD_S = PERIOD_S / 2

# The allowed cost of all readings of a trial: a share of the application's CPU time, and of its latency.
CPU_MAX = 0.005
TIME_MAX = 0.01


def thread_cpu_us() -> float:
    """Return the CPU time of this thread, in finer steps than getrusage's."""
    return time.thread_time_ns() / 1000


def print_costs(targets: Targets, ticks: int, pause_s: float) -> None:
    """Sample `ticks` times, and print a line for each sampler, the dearest first."""
    roots = Roots()
    samplers = {name: make(roots) for name, make in SAMPLERS.items()}
    processes, threads = Processes(roots), ThreadLog(roots)
    spent_us: Counter[str] = Counter()
    for number in range(-WARM_UP_TICKS, ticks):
        time.sleep(pause_s)
        marks = [("", thread_cpu_us())]
        processes.begin(targets)
        marks.append(("(who is there)", thread_cpu_us()))
        tick = Tick(targets, processes)
        threads.sample(float(number), tick)
        marks.append(("(threads of the application)", thread_cpu_us()))
        for name, sampler in samplers.items():
            sampler.sample(tick)
            marks.append((name, thread_cpu_us()))
        if number >= 0:
            for (_, before), (name, after) in pairwise(marks):
                spent_us[name] += round(after - before)
    for sampler in samplers.values():
        sampler.close()
    processes.close()
    threads.close()
    for name, us in spent_us.most_common():
        print(f"{name:30} {us / ticks:8.0f} us")
    total_us = sum(spent_us.values()) / ticks
    cpus = os.cpu_count() or 1
    print(f"{'all':30} {total_us:8.0f} us a tick, {total_us / PERIOD_S / cpus / 1e4:.3f} % of {cpus} CPUs")


def echo(cpu: int, listener: socket.socket) -> None:
    """Serve one client until it hangs up."""
    os.sched_setaffinity(0, {cpu})
    connection, _ = listener.accept()
    with suppress(ConnectionError):
        while byte := connection.recv(1):
            connection.sendall(byte)


@dataclass(frozen=True)
class Echoes:
    """A window of echoes: the mean time of an echo, and the mean CPU time that the server spent on it."""

    time_us: float
    cpu_us: float


def echoes(connection: socket.socket, server: int, seconds: float) -> Echoes:
    """Send a byte there and back for so many seconds; `server` is the process that answers."""
    count, begun_s, cpu_us = 0, time.monotonic(), used_us(server)
    while (elapsed_s := time.monotonic() - begun_s) < seconds:
        for _ in range(100):
            connection.sendall(b"x")
            connection.recv(1)
        count += 100
    return Echoes(elapsed_s * 1e6 / count, (used_us(server) - cpu_us) / count)


def used_us(pid: int) -> float:
    """Return the CPU time of the first thread of a process, by the scheduler's own clock."""
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1000


def measured_pairs(targets: Targets, pairs: int, seconds: float) -> list[tuple[Echoes, Echoes]]:
    """Run pairs of windows: without the observer, and with it."""
    first, last = targets.sets.app[0], targets.sets.housekeeping[-1]
    listener = socket.create_server(("127.0.0.1", 0))
    # A child that is spawned would look for `echo` in the module that runs, which is `./bench`.
    server = get_context("fork").Process(target=echo, args=(first, listener))
    server.start()
    connection = socket.create_connection(listener.getsockname())
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.sched_setaffinity(0, {last})
    assert server.pid is not None
    echoing: dict[PlacedRole, tuple[int, ...]] = {"app": (server.pid,), "load": (os.getpid(),)}
    watched = replace(targets, pids={**echoing, **targets.pids})
    echoes(connection, server.pid, seconds)
    window_pairs = []
    for pair in range(pairs):
        windows = {}
        for observed in (False, True) if pair % 2 == 0 else (True, False):
            observer = Observer(Roots(), watched, zero_s=time.monotonic()) if observed else None
            if observer is not None:
                observer.start()
            echoes(connection, server.pid, LEAD_S)
            windows[observed] = echoes(connection, server.pid, seconds)
            if observer is not None:
                observer.stop()
        window_pairs.append((windows[False], windows[True]))
    connection.close()
    server.join()
    return window_pairs


def idle_samplers(targets: Targets) -> list[str]:
    """Return the names of the samplers that have nothing to read."""
    read = {"jvm": targets.hsperfdata, "load": targets.load_addresses, "database": targets.database}
    return [name for name, target in read.items() if not target]


def effects(pairs: Sequence[tuple[Echoes, Echoes]], seconds: float, idle: Sequence[str]) -> str:
    """Return the part of the page on these pairs of windows, with the allowed cost beside the measured one.

    `idle` are the samplers that had nothing to read.
    """
    idle_words = f"Of the {len(SAMPLERS)} samplers {listed(f'`{name}`' for name in idle)} had nothing to read. "
    paragraph = (
        "A byte goes there and back over loopback, between a server on one CPU and a client on another, where the "
        f"samplers run as well. {len(pairs)} pairs of windows of {seconds:g} s, without the samplers and with them, "
        f"on {os.cpu_count()} CPUs. The first reading, which opens the files, lies before the window. "
        f"{idle_words if idle else ''}"
        f"Written by `./bench benchmark samplers --pairs {len(pairs)} --seconds {seconds:g} --write`."
    )
    lines = ["| with the samplers | allowed | mean | 95 % interval | |", "|---|---:|---:|---:|---|"]
    for name, most, ratios in (
        (
            "CPU time of the server for an echo",
            CPU_MAX,
            [observed.cpu_us / plain.cpu_us for plain, observed in pairs],
        ),
        ("time of an echo", TIME_MAX, [observed.time_us / plain.time_us for plain, observed in pairs]),
    ):
        interval = t_interval([math.log(ratio) for ratio in ratios])
        cells = [name, f"{most * 100:g} % more", f"{interval.mean * 100:+.2f} %"]
        if interval.low is not None and interval.high is not None:
            cells.append(f"{interval.low * 100:+.2f} to {interval.high * 100:+.2f} %")
            cells.append("kept" if interval.high < most else "missed" if interval.low > most else "not decided")
        lines.append(f"| {' | '.join(cells)} |")
    return f"{fill(paragraph, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)}\n\n" + "\n".join(lines)


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for role in ("app", "db", "load"):
        parser.add_argument(f"--{role}", type=int, metavar="PID")
    parser.add_argument("--conninfo", help="of a database that is not the application's")
    parser.add_argument("--database", default="bench")
    parser.add_argument("--user", default="bench")
    parser.add_argument("--load-address")
    parser.add_argument("--hsperfdata", type=Path)
    parser.add_argument("--ticks", type=int, default=50)
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two ticks")
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--write", action="store_true", help="put the pairs' result into docs/promises.md")
    arguments = parser.parse_args()
    if arguments.pairs == 1 or (arguments.write and not arguments.pairs):
        parser.error("--pairs: it takes two pairs or more to tell an interval")
    cpus = sorted(os.sched_getaffinity(0))
    other_cpus = tuple(cpus[1:] or cpus)
    pid_of_role: dict[PlacedRole, int | None] = {
        "app": arguments.app,
        "db": arguments.db,
        "load": arguments.load,
        "harness": os.getpid(),
    }
    database = arguments.conninfo and DatabaseTarget(arguments.conninfo, arguments.database, arguments.user)
    targets = Targets(
        sets=CpuSets(app=tuple(cpus[:1]), db=other_cpus, load=other_cpus, housekeeping=other_cpus[-1:]),
        pids={role: (pid,) for role, pid in pid_of_role.items() if pid is not None},
        database=database or None,
        load_addresses=() if arguments.load_address is None else (arguments.load_address,),
        hsperfdata=arguments.hsperfdata,
    )
    if arguments.pairs:
        page_part = effects(
            measured_pairs(targets, arguments.pairs, arguments.seconds), arguments.seconds, idle_samplers(targets)
        )
        print(page_part)
        if arguments.write:
            write_part(PAGE, COST_OF_SAMPLERS, page_part)
    else:
        print_costs(targets, arguments.ticks, arguments.pause)


if __name__ == "__main__":
    main()
