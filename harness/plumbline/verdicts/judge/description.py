"""Describe a rule for people: what it asks, its thresholds with their reasons, and the mistake that it would have
caught.

The words stand in the rule's own file, in its docstring and in the comments above its constants. So they stay with the
code that decides.
"""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.record import Kind
from .referee import SOFT_OUTSIDE_LABS
from .rule import Rule
from .rules import RULES

# A shorter text is in half of all titles.
_WORD_MIN = 3


class RuleThreshold(Frozen):
    """A number or a word that a rule compares readings with, and the reason for it."""

    name: str
    value: int | float | str
    reason: str


class RuleDescription(Frozen):
    """A rule in words: what it asks, what it looks at and where, and the published `mistake` that it would have caught.

    `soft`: it warns instead of refusing on hosts that are no lab; `required`: without its evidence a trial is at best
    advisory. `needs` names the readings without which the rule answers `unknown`.
    """

    id: str
    title: str
    asks: str
    looks_at: str
    source: str
    mistake: str
    kind: Kind
    soft: bool
    required: bool
    thresholds: tuple[RuleThreshold, ...]
    needs: tuple[str, ...]


def describe(rule: Rule) -> RuleDescription:
    """Return the description of a rule, read from the file in which its `judge` stands."""
    module = inspect.getmodule(rule.judge)
    assert module is not None
    asks = (inspect.getdoc(module) or "").splitlines()[0].partition(": ")[2]
    return RuleDescription(
        id=rule.id,
        title=rule.title,
        asks=f"{asks[:1].upper()}{asks[1:]}",
        looks_at=" ".join((inspect.getdoc(rule.judge) or "").split()),
        source=rule.source,
        mistake=rule.mistake,
        kind=rule.kind,
        soft=rule.kind in SOFT_OUTSIDE_LABS,
        required=rule.required,
        thresholds=_thresholds(module),
        needs=rule.needs,
    )


def rule_named(text: str) -> Rule:
    """Return the rule with an id such as `R29`, `r29` or `29`.

    Raises UsageError for any other text, with the rules that have it in their titles.
    """
    number = text.upper().removeprefix("R")
    found = next((rule for rule in RULES if number.isdecimal() and int(rule.id[1:]) == int(number)), None)
    if found is None:
        raise UsageError(f"There is no rule '{text}'.", _instead_of(text))
    return found


def _instead_of(text: str) -> str:
    with_text = [rule for rule in RULES if len(text) >= _WORD_MIN and text.casefold() in rule.title.casefold()]
    if with_text:
        return f"Titles with that word: {', '.join(f'{rule.id} ({rule.title})' for rule in with_text)}."
    return f"There are {RULES[0].id} to {RULES[-1].id}; `./bench explain` lists them with their titles."


def _thresholds(module: ModuleType) -> tuple[RuleThreshold, ...]:
    """Return the public constants of a rule's file that are numbers or texts.

    The reason of a constant is the comment above it, or above the neighbour that it shares a comment with.
    """
    lines = inspect.getsource(module).splitlines()
    thresholds, reason = [], ""
    for node in ast.parse("\n".join(lines)).body:
        if not isinstance(node, ast.Assign):
            continue
        reason = _comment_above(lines, node.lineno - 1) or reason
        for target in ast.walk(node.targets[0]):
            name = target.id if isinstance(target, ast.Name) else ""
            value = getattr(module, name, None)
            if name.isupper() and not name.startswith("_") and isinstance(value, int | float | str):
                thresholds.append(RuleThreshold(name=name, value=value, reason=reason))
    return tuple(thresholds)


def _comment_above(lines: list[str], index: int) -> str:
    words: list[str] = []
    while index > 0 and lines[index - 1].startswith("#"):
        index -= 1
        words.insert(0, lines[index].removeprefix("#").strip())
    return " ".join(words)
