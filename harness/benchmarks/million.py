"""What a rate would take: CPUs, generators and network for so many requests a second, from recorded trials.

    ./bench benchmark million FOLDER... [--rate 1000000]

FOLDER holds sessions of `./bench run` with a closed phase, such as results/repeats. Each figure is the median over the
trials that count, times the rate; generators are k6 on one CPU each. It is arithmetic: nobody ran such a rate here, and
a request costs another amount on other CPUs, with other neighbours in its caches, and over a network.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from plumbline.archive.record.read import read_session
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED
from plumbline.model.record import Trial
from plumbline.subjects.plan.phases import ARRIVALS_A_CPU
from plumbline.verdicts.figures.metrics import WARMING
from .replaying import real_sessions

RATE = 1_000_000


@dataclass(frozen=True)
class RequestCost:
    """What one request costs: microseconds of CPU time, bytes between load and application, statements."""

    app_us: float
    db_us: float
    bytes: float
    statements: float


def cost_of(trial: Trial, evidence: Evidence) -> RequestCost | None:
    """The cost in the closed phase; None where it was not measured."""
    figures = trial.figures.get("closed", {})
    load = next((one for one in evidence.load if one.phase == "closed"), None)
    work = next((one for one in evidence.database if one.phase == "closed"), None)
    app_us, db_us = (
        figures.get(name, figures.get(WARMING[name]))
        for name in ("app_cpu_us_per_request", "db_cpu_us_per_request")
    )
    if app_us is None or db_us is None or load is None or work is None or load.requests == 0:
        return None
    return RequestCost(
        app_us,
        db_us,
        (load.received_bytes + load.sent_bytes) / load.requests,
        sum(one.calls for one in work.statements) / load.requests,
    )


def costs(folders: Sequence[Path]) -> dict[str, RequestCost]:
    """The median cost of each subject, by its id."""
    found: dict[str, list[RequestCost]] = {}
    for folder, _ in real_sessions(folders):
        record, evidence = read_session(folder)
        for trial in record.trials:
            if trial.role in COUNTED and trial.verdict != "invalid":
                cost = cost_of(trial, evidence[trial.number])
                if cost is not None:
                    found.setdefault(trial.subject, []).append(cost)
    return {
        subject: RequestCost(
            median(one.app_us for one in its),
            median(one.db_us for one in its),
            median(one.bytes for one in its),
            median(one.statements for one in its),
        )
        for subject, its in sorted(found.items())
    }


def text(folders: Sequence[Path], rate: int = RATE) -> str:
    """A Markdown table, a line a subject."""
    generators = math.ceil(rate / ARRIVALS_A_CPU)
    heads = (
        "",
        "generators",
        "application, CPUs",
        "database, CPUs",
        "statements/s",
        "load to application, Gbit/s",
    )
    lines = [heads, ("---", *["---:"] * (len(heads) - 1))]
    for subject, cost in costs(folders).items():
        lines.append(
            (
                f"`{subject}`",
                f"{generators:,}",
                f"{cost.app_us * rate / 1e6:,.0f}",
                f"{cost.db_us * rate / 1e6:,.0f}",
                f"{cost.statements * rate:,.0f}",
                f"{cost.bytes * 8 * rate / 1e9:.0f}",
            )
        )
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--rate", type=int, default=RATE)
    chosen = parser.parse_args()
    if chosen.rate < 1:
        parser.error("a rate is at least one request a second")
    print(text(chosen.folders, chosen.rate), end="")


if __name__ == "__main__":
    main()
