"""Print a trial in a terminal: the verdict, what rules say against it, then its figures with their units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from plumbline.archive.record.steadiness import rows_of
from plumbline.model.evidence import Evidence
from plumbline.model.record import GRAVITY, Outcome, Record, Trial, Verdict
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import counted, listed
from .parts.naming import plain, unit_of
from .parts.trials import title_of

_VERDICTS: dict[Verdict, str] = {
    "valid": "valid: it counts",
    "advisory": "advisory: it counts, and says less than a valid one",
    "invalid": "refused: it is in no figure",
}
_OUTCOMES: dict[Outcome, str] = {
    "invalid": "refused",
    "warn": "in doubt",
    "unknown": "unknown",
    "pass": "passed",
    "n/a": "does not apply",
}
_TITLE = 48
# A check result that takes several lines goes on below its title.
_BELOW = " " * 17


def session_lines(record: Record) -> Iterator[str]:
    """Yield a line for each trial of a session: its number, its verdict or what refuses it, and its place."""
    words = [
        f"refused by {listed(row.refused_by)}" if row.refused_by else row.verdict for row in record.trials
    ]
    widest = max(map(len, words), default=0)
    yield f"Trials of {record.plan.session}, suite {record.plan.suite}:"
    for row, word in zip(record.trials, words, strict=True):
        yield f"{row.number:>4}  {word:{widest}}  {_place(row)}"


def trial_lines(record: Record, row: Trial, evidence: Evidence, logs: Path, width: int) -> Iterator[str]:
    """Yield the lines, findings in at most `width` columns; `logs` is the folder of the trial's logs, if it is here."""
    yield f"Trial {row.number} of {record.plan.session}: {_place(row)}"
    yield f"Verdict: {_VERDICTS[row.verdict]}."
    if evidence.failure is not None:
        yield f"It failed in the phase {evidence.failure.phase}: {evidence.failure.problem}"
        yield from (f"    {line}" for line in evidence.failure.tail)
    for finding in _findings(row):
        yield from wrap(finding, width, subsequent_indent=_BELOW, break_on_hyphens=False)
    for phase, figures in row.figures.items():
        yield f"\n{phase}"
        # Times of one start stand below each other, so they have one unit.
        beside = figures if phase == "start" else {}
        for name, value in figures.items():
            yield f"  {_title(name):{_TITLE}} {_amount(name, value, beside)}"
        for told in rows_of(record.steadiness, row.subject, row.scenario, phase, row.side):
            processes = counted(told.processes, "process", "processes")
            yield f"  {_title(told.metric)}, by {processes}: {told.words}"
    yield f"\nLogs: {logs}" if logs.is_dir() else "\nIts logs are not here; they stay where it was measured."


def _place(row: Trial) -> str:
    return f"{row.subject} under {row.scenario}, block {row.block} ({row.role})"


def _findings(row: Trial) -> Iterator[str]:
    """Yield the findings against the trial, the gravest first, then a line of passed rules and of those not asked."""
    for outcome in GRAVITY[: GRAVITY.index("pass")]:
        for one in (one for one in row.findings if one.outcome == outcome):
            where = f" in {one.phase}" if one.phase else ""
            yield f"  {_OUTCOMES[outcome]:9} {one.rule:4} {title_of(one.rule)}{where}: {one.reading}"
    told = {one.rule for one in row.findings if GRAVITY.index(one.outcome) < GRAVITY.index("pass")}
    for outcome in GRAVITY[GRAVITY.index("pass") :]:
        rules = {one.rule: None for one in row.findings if one.outcome == outcome and one.rule not in told}
        told |= rules.keys()
        if rules:
            yield f"  {_OUTCOMES[outcome]}: {listed(rules)}"


def _title(metric: str) -> str:
    return METRICS[metric].title if metric in METRICS else metric


def _amount(metric: str, value: float, beside: Mapping[str, float]) -> str:
    """Return a figure as text: `4,870 /s`, `yes` or `no`, or the bare number of a metric that is not known.

    It has the unit of the figures `beside` it that are stored in the same one.
    """
    if metric not in METRICS:
        return plain(value)
    stored = METRICS[metric].unit
    if stored == "0 or 1":
        return "yes" if value else "no"
    alike = (other for name, other in beside.items() if name in METRICS and METRICS[name].unit == stored)
    unit = unit_of(stored, (value, *alike))
    return f"{plain(value / unit.per)} {unit.symbol}"
