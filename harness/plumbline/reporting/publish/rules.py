"""The page of all rules: each as it describes itself, and how often it refused here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plumbline.verdicts.judge.description import describe
from plumbline.verdicts.judge.referee import RULES_VERSION
from plumbline.verdicts.judge.rule import Rule
from plumbline.verdicts.judge.rules import RULES
from .digest import Digest
from .model.site import RuleEntry, RulesFile


def rules_file(digests: Sequence[Digest], simulated: bool) -> RulesFile:
    """Return every rule in the order of its number, with its outcomes over all sessions."""
    outcomes: dict[str, Counter[str]] = {}
    for one in digests:
        for rule, counts in one.outcomes.items():
            outcomes.setdefault(rule, Counter()).update(counts)
    return RulesFile(
        simulated=simulated,
        version=RULES_VERSION,
        trials=sum(one.measured for one in digests),
        rules=tuple(_entry(rule, outcomes.get(rule.id, Counter())) for rule in RULES),
    )


def _entry(rule: Rule, outcomes: Counter[str]) -> RuleEntry:
    return RuleEntry(
        **dict(describe(rule)),
        slug=rule.id.lower(),
        refused=outcomes["invalid"],
        doubted=outcomes["warn"],
        unknown=outcomes["unknown"],
    )
