"""Say in a sentence whether the phases of a session were proven steady; every report and every page shows it."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.judge.steadiness import LEAST_BOUND
from plumbline.judge.wording import counted, listed, percent
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Steadiness
from .naming import names, phases_in_words
from .trials import measured_trials


def steady_words(record: Record, scenario: Scenario) -> str:
    """Return the sentences on subjects that were not proven steady and why, and on how far the other figures may still
    drift.

    An older record has no such rows; it has the result of rule R29, for all of its trials.
    """
    rows = [
        row
        for row in record.steadiness
        if row.scenario == scenario.id and row.subject in record.plan.subjects
    ]
    return _by_subject(record, rows) if rows else _by_rule(record, scenario)


def _by_subject(record: Record, rows: Sequence[Steadiness]) -> str:
    named = names(record.plan)
    cold = {row.subject: row.words for row in reversed(rows) if not row.proven}
    bounds = [row.bound for row in rows if row.subject not in cold and row.bound is not None]
    within = percent(max(LEAST_BOUND, *bounds)) if bounds else ""
    if not cold:
        return f"Steady within {within} in every subject; no order is claimed that such a drift could turn round."
    first = next(subject for subject in record.plan.subjects if subject in cold)
    others = f" The others are steady within {within}." if within else ""
    return (
        f"Not proven steady: {listed(named[one].short for one in record.plan.subjects if one in cold)} "
        f"({cold[first]}). Longer phases may give other figures and another order.{others}"
    )


def _by_rule(record: Record, scenario: Scenario) -> str:
    trials = measured_trials(record, scenario)
    proven = [
        trial
        for trial in trials
        if any(one.rule == "R29" and one.outcome == "pass" for one in trial.findings)
    ]
    if trials and len(proven) == len(trials):
        return "Proven steady: rule R29 passed in every measured trial."
    some = f" ({counted(len(proven), 'trial')} of {len(trials)} was)" if proven else ""
    return (
        f"Not proven steady{some}: after {phases_in_words(scenario).split(', then ')[0]} the JIT compiler may still"
        " have been at work. Longer phases may give other figures and another order."
    )
