"""Write the documents that github-action-benchmark reads: one for each direction, of the newest session.

The action appends them to its own history and draws one chart for each name. It compares with the one value before and
ignores the range, so it is only an exporter beside these pages, which store and judge.
"""

from __future__ import annotations

from typing import Any, Literal

from plumbline.archive.record.standings import in_record
from plumbline.model.record import Record, Standing
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import plain, unit_of, where
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import counted
from .addresses import run_page

FOLDER = "github-action-benchmark"
FILES: dict[Literal["higher", "lower"], str] = {
    "higher": f"{FOLDER}/bigger.json",
    "lower": f"{FOLDER}/smaller.json",
}
_WATCHED_TOO = ("rss_idle_bytes", "rss_under_load_bytes")

Entry = dict[str, Any]
"""`name`, `unit`, `value`, `range`, `extra`, as the action documents them."""


def documents(record: Record, address: str | None) -> dict[str, list[Entry]]:
    """Return the entries of `customBiggerIsBetter` and `customSmallerIsBetter` by path; nothing of a comparison.

    Without an entry there is no document: the action fails when it reads an empty one.
    """
    found: dict[str, list[Entry]] = {path: [] for path in FILES.values()}
    if record.plan.comparison is not None:
        return {}
    for scenario in record.plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                if metric.better is None or not (metric.primary or metric.name in _WATCHED_TOO):
                    continue
                its = in_record(record, scenario, phase.name, metric)
                said = where(scenario, phase.name)
                # The action alerts where a value moves: what a compiler had not finished yet moves by itself.
                found[FILES[metric.better]] += [
                    _entry(record, row, said, address)
                    for row in (() if its is None else its.everybody)
                    if row.mean is not None and not row.warming_up
                ]
    return {path: entries for path, entries in found.items() if entries}


def _entry(record: Record, row: Standing, said: str, address: str | None) -> Entry:
    metric = METRICS[row.metric]
    unit = unit_of(metric.unit, ())
    mean = row.mean or 0.0
    entry: Entry = {
        "name": clean_text(f"{row.subject} {row.scenario} {said}: {metric.title} on {record.host.name}"),
        "unit": unit.symbol,
        "value": float(f"{mean / unit.per:.9g}"),
    }
    if row.low is not None and row.high is not None:
        entry["range"] = f"{plain(row.low / unit.per)} to {plain(row.high / unit.per)}"
    facts = [
        f"session {record.plan.session}",
        f"{counted(row.trials, 'trial')}, {row.invalid_trials} refused",
        f"verdict {record.verdict}",
        f"commit {(record.provenance.commit or 'unknown')[:12]}",
    ]
    if row.rank is not None:
        facts.append(f"rank {row.rank} of the class {row.data_access}")
    if address is not None:
        facts.append(f"{address}{run_page(record.plan.session)}")
    entry["extra"] = "\n".join(facts)
    return entry
