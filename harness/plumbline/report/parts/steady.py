"""Whether the phases of a session were proven steady, in a sentence that every report and every page shows."""

from __future__ import annotations

from plumbline.judge.wording import counted
from plumbline.model.plan import Scenario
from plumbline.model.record import Record
from .trials import measured_trials
from .words import phases_in_words


def steady_words(record: Record, scenario: Scenario) -> str:
    """Steady is what a rule proved for every measured trial (R29), and nothing else."""
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
