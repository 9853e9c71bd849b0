"""Makes the documents that github-action-benchmark reads: one for each direction, of the newest session.

The action appends the entries to its own history and draws one chart for each name. It compares a value only with the
value before and ignores the range, so this is only an export beside these pages, which store and judge.
"""

from __future__ import annotations

from typing import Any, Literal

from plumbline.archive.history.extract import AGAINST_ITSELF
from plumbline.archive.record.standings import in_record
from plumbline.model.record import Record, Standing
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import phase_in_words, plain_number, unit_of
from plumbline.reporting.report.parts.trust import verdict_of_counting
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
"""The keys `name`, `unit`, `value`, `range` and `extra`, as the action documents them."""


def documents(record: Record, address: str | None) -> dict[str, list[Entry]]:
    """Return the entries of `customBiggerIsBetter` and `customSmallerIsBetter` by path.

    A comparison has none, be it of two sides or of a subject with itself.

    A document without entries is left out: the action fails when it reads an empty document.
    """
    entries_by_file: dict[str, list[Entry]] = {path: [] for path in FILES.values()}
    if record.plan.comparison is not None or record.plan.suite == AGAINST_ITSELF:
        return {}
    for scenario in record.plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                if metric.better is None or not (metric.primary or metric.name in _WATCHED_TOO):
                    continue
                standings = in_record(record, scenario, phase.name, metric)
                # Without the rate: each session finds rates of its own, and a name is a chart.
                phase_words = phase_in_words(scenario.unrated, phase.name)
                # The action alerts when a value moves; the figures of a program that still warms up move by themselves.
                entries_by_file[FILES[metric.better]] += [
                    _entry(record, row, phase_words, address)
                    for row in (() if standings is None else standings.everybody)
                    if row.mean is not None and not row.warming_up
                ]
    return {path: entries for path, entries in entries_by_file.items() if entries}


def _entry(record: Record, row: Standing, phase_words: str, address: str | None) -> Entry:
    metric = METRICS[row.metric]
    unit = unit_of(metric.unit, ())
    mean = row.mean or 0.0
    entry: Entry = {
        "name": clean_text(f"{row.subject} {row.scenario} {phase_words}: {metric.title} on {record.host.name}"),
        "unit": unit.symbol,
        "value": float(f"{mean / unit.per:.9g}"),
    }
    if row.low is not None and row.high is not None:
        entry["range"] = f"{plain_number(row.low / unit.per)} to {plain_number(row.high / unit.per)}"
    facts = [
        f"session {record.plan.session}",
        f"{counted(row.trials, 'trial')}, {row.invalid_trials} refused",
        f"verdict {verdict_of_counting(trial for trial in record.trials if trial.role == 'measured')}",
        f"commit {(record.provenance.commit or 'unknown')[:12]}",
    ]
    if row.rank is not None:
        facts.append(f"rank {row.rank} of the class {row.data_access}")
    if address is not None:
        facts.append(f"{address}{run_page(record.plan.session)}")
    entry["extra"] = "\n".join(facts)
    return entry
