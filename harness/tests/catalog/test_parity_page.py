"""docs/parity.md says of every variant what an expert may object, in the part of its class."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.checkout import CATALOG

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "parity.md").read_text(encoding="utf-8")
VARIANT = re.compile(r"`([a-z0-9-]+)`")
PARTS = {
    "ORM on threads": {"orm"},
    "ORM on event loops": {"orm"},
    "SQL on threads": {"sql"},
    "SQL on event loops": {"sql"},
    "Without a database": {"none"},
    "Programs without a server, and the control": {"sql"},
}
NAMED = "no variant"
"""What a row is of that says why a class lacks a framework's usual way."""


def rows() -> list[tuple[str, str, str, str]]:
    """Part, first cell (that of the row above where it is empty), objection and answer of each row."""
    found, part, first = [], "", ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            part, first = line[3:], ""
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if part in PARTS and line.startswith("|") and not set(line) <= set("|-") and cells[0] != "variant":
            assert len(cells) == 3, line
            first = cells[0] or first
            found.append((part, first, cells[1], cells[2]))
    return found


def test_every_variant_has_objections_in_the_part_of_its_class() -> None:
    told = Counter((part, name) for part, first, _, _ in rows() for name in set(VARIANT.findall(first)))
    parts = {name: {part for part, its in told if its == name} for _, name in told}
    assert set(parts) == set(CATALOG.variants)
    for name, its in parts.items():
        (part,) = its
        assert CATALOG.variants[name].spec.data_access in PARTS[part], (name, part)


def test_every_objection_has_an_answer() -> None:
    for _, first, objection, answer in rows():
        assert first == NAMED or VARIANT.search(first), first
        assert objection.endswith(".") and answer.endswith("."), objection
