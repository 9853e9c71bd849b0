"""Judges a session: its facts become findings, rule by rule."""

from __future__ import annotations

from dataclasses import replace

from plumbline.model.finding import Finding
from .facts import SessionFacts, TrialFacts
from .hardness import softened
from .profile import not_asked
from .rule import Rule, gravest, not_applicable
from .rules import RULES

# Goes up when a rule or a threshold changes; records keep the version they were judged by.
RULES_VERSION = 21


def judge(session: SessionFacts) -> dict[int, tuple[Finding, ...]]:
    """The findings of every trial that left evidence, by number, in the order of rules and phases.

    A trial that proves something is judged beside the others, and these as if it were not there.
    """
    found = {
        number: tuple(finding for rule in RULES for finding in findings_of(rule, facts, session))
        for number, facts in sorted(session.trials.items())
    }
    for number, facts in sorted(session.proofs.items()):
        beside = replace(session, trials={**session.trials, number: facts})
        found[number] = tuple(finding for rule in RULES for finding in findings_of(rule, facts, beside))
    return found


def findings_of(rule: Rule, trial: TrialFacts, session: SessionFacts) -> list[Finding]:
    """Judge one trial by one rule: a finding for each phase, or one for the trial as a whole."""
    if (why := not_asked(rule.id, session.plan, trial.planned)) is not None:
        return [gravest(rule.id, None, [not_applicable(why)])]
    said = list(rule.judge(trial, session))
    if not said:
        said = [(None, (not_applicable("No phase of this scenario is of the kind that this rule judges."),))]
    return [
        gravest(rule.id, phase, [softened(check, rule.kind, session.plan.host_class) for check in checks])
        for phase, checks in said
    ]
