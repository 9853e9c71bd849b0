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
    """Return the cost of a request in the closed phase; None if it was not measured."""
    figures = trial.figures.get("closed", {})
    load = next((result for result in evidence.load if result.phase == "closed"), None)
    work = next((result for result in evidence.database if result.phase == "closed"), None)
    app_us, db_us = (
        figures.get(name, figures.get(WARMING[name])) for name in ("app_cpu_us_per_request", "db_cpu_us_per_request")
    )
    if app_us is None or db_us is None or load is None or work is None or load.requests == 0:
        return None
    return RequestCost(
        app_us,
        db_us,
        (load.received_bytes + load.sent_bytes) / load.requests,
        sum(statement.calls for statement in work.statements) / load.requests,
    )


def costs(folders: Sequence[Path]) -> dict[str, RequestCost]:
    """Return the median cost of a request by the id of the subject."""
    costs_of_subject: dict[str, list[RequestCost]] = {}
    for folder, _ in real_sessions(folders):
        record, evidence = read_session(folder)
        for trial in record.trials:
            if trial.role in COUNTED and trial.verdict != "invalid":
                cost = cost_of(trial, evidence[trial.number])
                if cost is not None:
                    costs_of_subject.setdefault(trial.subject, []).append(cost)
    return {
        subject: RequestCost(
            median(cost.app_us for cost in trial_costs),
            median(cost.db_us for cost in trial_costs),
            median(cost.bytes for cost in trial_costs),
            median(cost.statements for cost in trial_costs),
        )
        for subject, trial_costs in sorted(costs_of_subject.items())
    }


def text(folders: Sequence[Path], rate: int = RATE) -> str:
    """Return a Markdown table with a line for each subject."""
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
    arguments = parser.parse_args()
    if arguments.rate < 1:
        parser.error("a rate is at least one request a second")
    print(text(arguments.folders, arguments.rate), end="")


if __name__ == "__main__":
    main()
