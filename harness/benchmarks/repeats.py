"""Do sessions of the same suite on the same host agree? Their orders side by side, and their means in their intervals.

    python -m benchmarks.repeats SESSION SESSION...

Prints two tables in Markdown. The first has a row for each order that a session claims: how many of the sessions claim
it, how many claim its opposite. The second has a row for each figure of a subject: the mean of all sessions, the means
from the lowest to the highest, and how many sessions' intervals hold the mean of all. The status is 1 where two
sessions claim opposite orders.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from plumbline.figures.metrics import METRICS
from plumbline.model.record import Record, Standing
from plumbline.record.read import read_record
from plumbline.record.standings import in_record

Question = tuple[str, str, str, str, str]
"""scenario, phase, metric, one subject, another"""


@dataclass(frozen=True)
class Claims:
    """How many sessions say that the first subject is better, that the second is, and neither."""

    first: int
    second: int
    neither: int

    @property
    def contradict(self) -> bool:
        """Whether two sessions claim opposite orders."""
        return self.first > 0 and self.second > 0


def claims(records: Sequence[Record]) -> dict[Question, Claims]:
    """All orders within a class that at least one session claims."""
    counts: dict[Question, list[int]] = defaultdict(lambda: [0, 0])
    for record in records:
        for question, first_is_better in _orders(record):
            counts[question][0 if first_is_better else 1] += 1
    return {
        question: Claims(first, second, len(records) - first - second)
        for question, (first, second) in sorted(counts.items())
    }


def _orders(record: Record) -> Iterator[tuple[Question, bool]]:
    for scenario in record.plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                found = metric.primary and metric.better and in_record(record, scenario, phase.name, metric)
                if not found:
                    continue
                for one, other in combinations(sorted(found.rows, key=lambda row: row.subject), 2):
                    pair = found.between(one, other)
                    if pair is not None and pair.verdict in ("faster", "slower"):
                        question = (scenario.id, phase.name, metric.name, one.subject, other.subject)
                        yield question, pair.verdict == "faster"


def figures(records: Sequence[Record]) -> dict[tuple[str, str, str, str], list[Standing]]:
    """The rows of all sessions by scenario, phase, metric and subject, of figures that have an interval."""
    found: dict[tuple[str, str, str, str], list[Standing]] = defaultdict(list)
    for record in records:
        for row in record.standings:
            if row.low is not None and row.high is not None and not row.warming_up:
                found[row.scenario, row.phase, row.metric, row.subject].append(row)
    return {key: rows for key, rows in sorted(found.items()) if len(rows) > 1}


def mean_of_all(rows: Sequence[Standing]) -> float:
    """The mean of the sessions' means, each of the same weight, on the logarithmic scale of the intervals."""
    return math.exp(math.fsum(math.log(row.mean) for row in rows if row.mean) / len(rows))


def holding(rows: Sequence[Standing]) -> int:
    """How many of the rows' intervals hold the mean of all."""
    middle = mean_of_all(rows)
    return sum(row.low <= middle <= row.high for row in rows if row.low is not None and row.high is not None)


def table(records: Sequence[Record]) -> str:
    """Both tables, and a line under each that adds it up."""
    told = claims(records)
    lines = [
        "| order | better | sessions that claim it | the opposite | neither |",
        "|---|---|---|---|---|",
        *(
            f"| {scenario}, {phase}: {METRICS[metric].title} of {one} and {other} "
            f"| {one if its.first >= its.second else other} | {max(its.first, its.second)} "
            f"| {min(its.first, its.second)} | {its.neither} |"
            for (scenario, phase, metric, one, other), its in told.items()
        ),
        "",
        f"{len(told)} orders are claimed: {sum(max(one.first, one.second) == len(records) for one in told.values())} "
        f"by all {len(records)} sessions, {sum(one.contradict for one in told.values())} by one against another.",
        "",
        "| figure | mean of all | lowest and highest mean | intervals that hold it |",
        "|---|---|---|---|",
    ]
    held = whole = 0
    for (scenario, phase, metric, subject), rows in figures(records).items():
        means = [row.mean for row in rows if row.mean is not None]
        held, whole = held + holding(rows), whole + len(rows)
        lines.append(
            f"| {scenario}, {phase}: {METRICS[metric].title} of {subject}, {METRICS[metric].unit} "
            f"| {mean_of_all(rows):.4g} | {min(means):.4g} to {max(means):.4g} | {holding(rows)} of {len(rows)} |"
        )
    lines += ["", f"{held} of {whole} intervals hold the mean of all sessions ({held / max(1, whole):.0%})."]
    return "\n".join(lines)


def main() -> None:
    """Read the sessions and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    records = [read_record(folder) for folder in parser.parse_args().sessions]
    print(table(records))
    sys.exit(any(one.contradict for one in claims(records).values()))


if __name__ == "__main__":
    main()
