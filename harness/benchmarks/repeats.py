"""Do sessions of the same suite on the same host agree? Their orders side by side, and their means in their intervals.

    ./bench benchmark repeats FOLDER... [--write]

FOLDER holds sessions of one suite, measured on one commit and one host: results/repeats is such a folder. Their
evidence is judged anew, by the rules of this checkout. Prints two tables in Markdown. The first table has a row for
each order that a session claims: how many of the sessions claim that order, and how many claim its opposite. The second
has a row for each figure of a subject: the mean of all sessions, the means from the lowest to the highest, and how many
sessions' intervals hold the mean of all. With --write the text stands in docs/promises.md. The exit status is 1 where
two sessions claim opposite orders.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from textwrap import fill

from laboratory.promises.page import REPEATS
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.errors import UsageError
from plumbline.model.record import Record, Standing
from plumbline.reporting.report.parts.naming import plain_number, unit_of
from plumbline.reporting.report.parts.scenarios import ALWAYS_CLAIMED
from plumbline.verdicts.figures.compute import WHOLE_TRIAL
from plumbline.verdicts.figures.metrics import METRICS
from .replaying import PAGE_WIDTH, judged_anew, parser, real_sessions, tell, written_by

Question = tuple[str, str, str, str, str]
"""Scenario, phase, metric, first subject, second subject."""


@dataclass(frozen=True)
class Claims:
    """How many sessions claim that the first subject is better, that the second is better, and neither."""

    first: int
    second: int
    neither: int

    @property
    def contradict(self) -> bool:
        """Whether two sessions claim opposite orders."""
        return self.first > 0 and self.second > 0


def claims(records: Sequence[Record]) -> dict[Question, Claims]:
    """Return all orders within a class that at least one session claims, with their counts."""
    counts: dict[Question, list[int]] = defaultdict(lambda: [0, 0])
    for record in records:
        for question, first_is_better in _orders(record):
            counts[question][0 if first_is_better else 1] += 1
    return {
        question: Claims(first, second, len(records) - first - second)
        for question, (first, second) in sorted(counts.items())
    }


def _standings_of(record: Record) -> Iterator[tuple[tuple[str, str, str], MetricStandings]]:
    """Yield (scenario, phase, metric) and the standings of every figure by which the report may claim an order."""
    for scenario in record.plan.scenarios:
        for phase in (*(phase.name for phase in scenario.phases), WHOLE_TRIAL):
            for metric in METRICS.values():
                if metric.better is None or not (metric.primary or metric.name in ALWAYS_CLAIMED):
                    continue
                standings = in_record(record, scenario, phase, metric)
                if standings is not None:
                    yield (scenario.id, phase, metric.name), standings


def _orders(record: Record) -> Iterator[tuple[Question, bool]]:
    for key, standings in _standings_of(record):
        for first, second in combinations(sorted(standings.rows, key=lambda row: row.subject), 2):
            pair = standings.between(first, second)
            if pair is not None and pair.verdict in ("faster", "slower"):
                yield (*key, first.subject, second.subject), pair.verdict == "faster"


def figures(records: Sequence[Record]) -> dict[tuple[str, str, str, str], list[Standing]]:
    """Return the rows of all sessions by scenario, phase, metric and subject, of figures that have an interval."""
    rows: dict[tuple[str, str, str, str], list[Standing]] = defaultdict(list)
    for record in records:
        for figure_key, standings in _standings_of(record):
            for row in standings.everybody:
                if row.low is not None and row.high is not None and not row.warming_up:
                    rows[*figure_key, row.subject].append(row)
    return {key: key_rows for key, key_rows in sorted(rows.items()) if len(key_rows) > 1}


def mean_of_all(rows: Sequence[Standing]) -> float:
    """Return the mean of the sessions' means, with equal weights, on the logarithmic scale of the intervals."""
    return math.exp(math.fsum(math.log(row.mean) for row in rows if row.mean) / len(rows))


def holding(rows: Sequence[Standing]) -> int:
    """Return how many of the rows' intervals contain the mean of all sessions."""
    middle = mean_of_all(rows)
    return sum(row.low <= middle <= row.high for row in rows if row.low is not None and row.high is not None)


def table(records: Sequence[Record]) -> str:
    """Return both tables, and under each a line that sums it up."""
    orders = claims(records)
    lines = [
        "| order | better | sessions that claim it | the opposite | neither |",
        "|---|---|---|---|---|",
        *(
            f"| {_heading(scenario, phase, metric)} of {first} and {second} "
            f"| {first if count.first >= count.second else second} | {max(count.first, count.second)} "
            f"| {min(count.first, count.second)} | {count.neither} |"
            for (scenario, phase, metric, first, second), count in orders.items()
        ),
        "",
        f"{len(orders)} orders are claimed: "
        f"{sum(max(count.first, count.second) == len(records) for count in orders.values())} "
        f"by all {len(records)} sessions, {sum(count.contradict for count in orders.values())} by one against another.",
        "",
        "| figure | mean of all | lowest and highest mean | intervals that hold it |",
        "|---|---|---|---|",
    ]
    holding_count = interval_count = 0
    for (scenario, phase, metric, subject), rows in figures(records).items():
        means = [row.mean for row in rows if row.mean is not None]
        holding_count, interval_count = holding_count + holding(rows), interval_count + len(rows)
        unit = unit_of(METRICS[metric].unit, means)
        middle, least, most = (plain_number(value / unit.per) for value in (mean_of_all(rows), min(means), max(means)))
        lines.append(
            f"| {_heading(scenario, phase, metric)} of {subject}, {unit.symbol} "
            f"| {middle} | {least} to {most} | {holding(rows)} of {len(rows)} |"
        )
    lines += [
        "",
        f"{holding_count} of {interval_count} intervals of 99 % hold the mean of all sessions "
        f"({holding_count / max(1, interval_count) * 100:.0f} %).",
        "An interval covers the scatter of its own session's processes, and not what differs on another day.",
    ]
    return "\n".join(lines)


def _heading(scenario: str, phase: str, metric: str) -> str:
    where = "" if phase == WHOLE_TRIAL else f", {phase}"
    return f"{scenario}{where}: {METRICS[metric].title}"


def repeated(folders: Sequence[Path]) -> list[Record]:
    """Return the records below the folders.

    Raises UsageError for fewer than two sessions, or sessions of several suites, commits or hosts.
    """
    records = [record for record, _ in judged_anew(folder for folder, _ in real_sessions(folders))]
    measured = {(record.plan.suite, record.provenance.commit, record.plan.host) for record in records}
    if len(records) < 2 or len(measured) > 1:
        raise UsageError(
            f"There are {len(records)} real sessions of {len(measured)} suites, commits and hosts below "
            f"{' and '.join(map(str, folders))}.",
            "Name folders that hold two or more sessions of one suite, measured on one commit and one host.",
        )
    return records


def text(records: Sequence[Record], folders: Sequence[Path]) -> str:
    """Return the part of the page on records of one suite and commit, and the folders that hold them."""
    suite, commit = records[0].plan.suite, records[0].provenance.commit
    paragraph = (
        f"{len(records)} sessions of the suite `{suite}` on one machine, on commit "
        f"`{(commit or 'unknown')[:12]}`, their evidence judged by the rules of today. "
        f"{written_by('repeats', folders)}"
    )
    return f"{fill(paragraph, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)}\n\n{table(records)}"


def main() -> int:
    """Print the text; return 1 where two sessions claim opposite orders, 2 where the folders can't be used."""
    records: list[Record] = []

    def repeated_text(folders: Sequence[Path]) -> str:
        records.extend(repeated(folders))
        return text(records, folders)

    return tell(parser(__doc__).parse_args(), REPEATS, repeated_text) or int(
        any(count.contradict for count in claims(records).values())
    )


if __name__ == "__main__":
    sys.exit(main())
