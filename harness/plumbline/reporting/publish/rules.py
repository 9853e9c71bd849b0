"""Makes the document of all rules: the description of each rule, and how often it refused a trial of this site."""

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
    """Return every rule in the order of the numbers, with the counts of its outcomes over all sessions."""
    outcomes: dict[str, Counter[str]] = {}
    for digest in digests:
        for rule, counts in digest.outcomes.items():
            outcomes.setdefault(rule, Counter()).update(counts)
    return RulesFile(
        simulated=simulated,
        version=RULES_VERSION,
        trials=sum(digest.measured for digest in digests),
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
