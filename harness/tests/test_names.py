"""The names of values are nouns: a pronoun sends the reader to another line to learn what it stands for."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pytest

from tests.test_rooms import HARNESS

PRONOUNS = frozenset({"it", "its", "one", "ones", "this", "that", "these", "those", "which"})


def pronouns(source: str) -> Iterable[tuple[int, str]]:
    """Yield the line and the name of each variable, parameter and field that is named by a pronoun.

    `one` may stand beside `other`, for two values of equal rank.
    """
    names = [
        (node.lineno, node.arg if isinstance(node, ast.arg) else node.id)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    of_pairs = {line for line, name in names if name == "other"}
    for line, name in names:
        if name in PRONOUNS and not (name == "one" and of_pairs & {line, line + 1}):
            yield line, name


def test_no_value_is_named_by_a_pronoun() -> None:
    found = {
        f"{file.relative_to(HARNESS)}:{line}: {name}"
        for file in HARNESS.rglob("*.py")
        if "node_modules" not in file.parts
        for line, name in pronouns(file.read_text())
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    ["for one in []: pass", "lambda its: its", "def order(one):\n\n other = one", "(it := 1)", "class A:\n one: int"],
)
def test_a_pronoun_is_found(source: str) -> None:
    assert len(list(pronouns(source))) == 1


@pytest.mark.parametrize("source", ["def order(one, other): pass", "class A:\n one: int\n other: int", "trial = 1"])
def test_a_pair_is_one_and_other(source: str) -> None:
    assert list(pronouns(source)) == []
