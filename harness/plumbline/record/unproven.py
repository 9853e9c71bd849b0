"""Reads older records, whose figures were not proven to be of warm programs, so that they claim no more than that."""

from __future__ import annotations

from plumbline.figures.metrics import WARMING
from plumbline.model.finding import Finding
from plumbline.model.record import Figures, Record, Trial
from .agreement import agreements
from .comparison import compared
from .standings import standings

PROVEN_SINCE = 3
"""The version of figures from which a record says itself what its phases proved."""

_RULE = "R29"


def conservatively(record: Record) -> Record:
    """Return the record as it may be read today: older figures are of a warm program only where rule R29 passed.

    The figures of other trials get the names of figures while warming up, and what was derived from them is derived
    again. The stored record does not change. A record of today is returned as it stands.
    """
    if record.versions.figures >= PROVEN_SINCE:
        return record
    trials = tuple(_renamed(trial) for trial in record.trials)
    if trials == record.trials:
        return record
    plan = record.plan
    return record.model_copy(
        update={
            "trials": trials,
            "standings": standings(plan, trials) if plan.comparison is None else (),
            "comparison": compared(plan, trials),
            "agreements": agreements(plan, trials),
        }
    )


def _renamed(trial: Trial) -> Trial:
    if _passed(trial.findings):
        return trial
    figures: Figures = {
        phase: {WARMING.get(metric, metric): value for metric, value in found.items()}
        for phase, found in trial.figures.items()
    }
    return trial.model_copy(update={"figures": figures})


def _passed(findings: tuple[Finding, ...]) -> bool:
    """Return whether the rule said of every phase that it judged that it was steady, and judged one."""
    said = [one.outcome for one in findings if one.rule == _RULE]
    return bool(said) and all(outcome == "pass" for outcome in said)
