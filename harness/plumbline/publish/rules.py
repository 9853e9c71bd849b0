"""The page of all rules: each as it describes itself, and how often it refused here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plumbline.judge.description import Description, describe
from plumbline.judge.referee import RULES_VERSION
from plumbline.judge.rules import RULES
from plumbline.model.finding import Outcome
from .digest import Digest
from .model.rules import RuleEntry, RulesFile, RuleThreshold


def rules_file(digests: Sequence[Digest], simulated: bool) -> RulesFile:
    """Every rule in the order of its number, with its outcomes over all sessions."""
    told: dict[str, Counter[str]] = {}
    for one in digests:
        for rule, counts in one.told.items():
            told.setdefault(rule, Counter()).update(counts)
    return RulesFile(
        simulated=simulated,
        version=RULES_VERSION,
        trials=sum(one.measured for one in digests),
        rules=tuple(_entry(describe(rule), told.get(rule.id, Counter())) for rule in RULES),
    )


def _entry(one: Description, told: Counter[str]) -> RuleEntry:
    def of(outcome: Outcome) -> int:
        return told[outcome]

    return RuleEntry(
        id=one.id,
        slug=one.id.lower(),
        title=one.title,
        asks=one.asks,
        looks_at=one.looks_at,
        source=one.source,
        mistake=one.mistake,
        kind=one.kind,
        soft=one.soft,
        required=one.required,
        thresholds=tuple(
            RuleThreshold(name=its.name, value=its.value, reason=its.reason) for its in one.thresholds
        ),
        refused=of("invalid"),
        doubted=of("warn"),
        unknown=of("unknown"),
    )
