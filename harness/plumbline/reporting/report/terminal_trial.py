"""Print a trial in a terminal: the verdict, what rules say against it, then its figures with their units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from plumbline.archive.record.steadiness import rows_of
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED
from plumbline.model.record import GRAVITY, Outcome, Record, Trial, Verdict
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import counted, listed
from .parts.naming import plain_number, unit_of
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
    words = [f"refused by {listed(trial.refused_by)}" if trial.refused_by else trial.verdict for trial in record.trials]
    widest = max(map(len, words), default=0)
    yield f"Trials of {record.plan.session}, suite {record.plan.suite}:"
    for trial, word in zip(record.trials, words, strict=True):
        yield f"{trial.number:>4}  {word:{widest}}  {_place(trial)}"


def trial_lines(record: Record, trial: Trial, evidence: Evidence, logs: Path, width: int) -> Iterator[str]:
    """Yield the lines of a trial, findings in at most `width` columns; `logs` is the folder of its logs, if present."""
    yield f"Trial {trial.number} of {record.plan.session}: {_place(trial)}"
    yield f"Verdict: {_verdict(trial)}."
    if evidence.failure is not None:
        yield f"It failed in the phase {evidence.failure.phase}: {evidence.failure.problem}"
        yield from (f"    {line}" for line in evidence.failure.tail)
    for finding in _findings(trial):
        yield from wrap(finding, width, subsequent_indent=_BELOW, break_on_hyphens=False)
    for phase, figures in trial.figures.items():
        yield from ("", phase)
        # Times of one start stand below each other, so they are shown in one unit.
        neighbours = figures if phase == "start" else {}
        for name, value in figures.items():
            yield f"  {_title(name):{_TITLE}} {_amount(name, value, neighbours)}"
        for steadiness in rows_of(record.steadiness, trial.subject, trial.scenario, phase, trial.side):
            processes = counted(steadiness.processes, "process", "processes")
            yield f"  {_title(steadiness.metric)}, by {processes}: {steadiness.words}"
    yield ""
    yield f"Logs: {logs}" if logs.is_dir() else "Its logs are not here; they stay where it was measured."


def _verdict(trial: Trial) -> str:
    if trial.verdict == "invalid" or trial.role in COUNTED:
        return _VERDICTS[trial.verdict]
    return f"{trial.verdict}, and in no figure: it is a {trial.role} trial"


def _place(trial: Trial) -> str:
    return f"{trial.subject} under {trial.scenario}, block {trial.block} ({trial.role})"


def _findings(trial: Trial) -> Iterator[str]:
    """Yield the findings against a trial, gravest first, then a line of passed and a line of inapplicable rules."""
    for outcome in GRAVITY[: GRAVITY.index("pass")]:
        for finding in (finding for finding in trial.findings if finding.outcome == outcome):
            where = f" in {finding.phase}" if finding.phase else ""
            yield f"  {_OUTCOMES[outcome]:9} {finding.rule:4} {title_of(finding.rule)}{where}: {finding.reading}"
    shown_rules = {finding.rule for finding in trial.findings if GRAVITY.index(finding.outcome) < GRAVITY.index("pass")}
    for outcome in GRAVITY[GRAVITY.index("pass") :]:
        rules = {
            finding.rule: None
            for finding in trial.findings
            if finding.outcome == outcome and finding.rule not in shown_rules
        }
        shown_rules |= rules.keys()
        if rules:
            yield f"  {_OUTCOMES[outcome]}: {listed(rules)}"


def _title(metric: str) -> str:
    return METRICS[metric].title if metric in METRICS else metric


def _amount(metric: str, value: float, neighbours: Mapping[str, float]) -> str:
    """Return a figure as text: `4,870 /s`, `yes` or `no`, or the bare number of a metric that is not known.

    The figure and those of its `neighbours` that are stored in the same unit are shown in one unit.
    """
    if metric not in METRICS:
        return plain_number(value)
    stored_unit = METRICS[metric].unit
    if stored_unit == "0 or 1":
        return "yes" if value else "no"
    same_unit_values = (
        neighbour for name, neighbour in neighbours.items() if name in METRICS and METRICS[name].unit == stored_unit
    )
    unit = unit_of(stored_unit, (value, *same_unit_values))
    return f"{plain_number(value / unit.per)} {unit.symbol}"
