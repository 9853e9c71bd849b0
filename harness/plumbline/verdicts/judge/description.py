"""Describe a rule for people: what it asks, its thresholds with their reasons, and the mistake that it would have
caught.

The words stand in the rule's own file, in its docstring and in the comments above its constants, and those of a
threshold that several rules share stand where it does. So they stay with the code that decides.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection
from importlib import import_module
from importlib.util import resolve_name
from types import ModuleType

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.record import Kind
from .referee import SOFT_OUTSIDE_LABS
from .rule import Rule
from .rules import RULES

# A shorter text is in half of all titles.
_WORD_MIN = 3
_VERDICTS = "plumbline.verdicts."


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
    """Return the thresholds of a rule's file, and those that it takes from other files: by their own names, or in a
    function of the referee.
    """
    thresholds = _constants(module)
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and (node.level or str(node.module).startswith(_VERDICTS)):
            place = resolve_name(f"{'.' * node.level}{node.module or ''}", module.__package__)
            taken, names = import_module(place), {alias.name for alias in node.names}
            used = _used_by(taken, names) if node.level else names
            thresholds += [constant for constant in _constants(taken) if constant.name in used and constant.reason]
    return tuple(thresholds)


def _used_by(module: ModuleType, names: Collection[str]) -> set[str]:
    """Return these names of a module, and those that its functions of these names use."""
    functions = {
        node.name: node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.FunctionDef)
    }
    used, left = set[str](), list(names)
    while left:
        name = left.pop()
        if name not in used and name in functions:
            left += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
        used.add(name)
    return used


def _constants(module: ModuleType) -> list[RuleThreshold]:
    """Return the public constants of a file that are numbers or texts.

    The reason of a constant is the comment above it, or the text below it; constants may share a comment.
    """
    lines = inspect.getsource(module).splitlines()
    nodes = ast.parse("\n".join(lines)).body
    constants, reason = [], ""
    for node, below in zip(nodes, (*nodes[1:], None), strict=True):
        if not isinstance(node, ast.Assign):
            continue
        reason = _comment_above(lines, node.lineno - 1) or _text_of(below) or reason
        for target in ast.walk(node.targets[0]):
            name = target.id if isinstance(target, ast.Name) else ""
            value = getattr(module, name, None)
            if name.isupper() and not name.startswith("_") and isinstance(value, int | float | str):
                constants.append(RuleThreshold(name=name, value=value, reason=reason))
    return constants


def _text_of(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
        case _:
            return ""


def _comment_above(lines: list[str], index: int) -> str:
    words: list[str] = []
    while index > 0 and lines[index - 1].startswith("#"):
        index -= 1
        words.insert(0, lines[index].removeprefix("#").strip())
    return " ".join(words)
