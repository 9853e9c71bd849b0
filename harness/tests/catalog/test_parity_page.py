"""docs/parity.md says what an expert may object to every variant, in the part of the variant's class."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.checkout import CATALOG, ROOT, assert_named

PAGE = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")
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
"""The first cell of a row that says why a class lacks a framework's usual way."""


def rows() -> list[tuple[str, str, str, str]]:
    """Part, first cell (of the row above if it is empty), objection and answer of each row."""
    page_rows, part, variants = [], "", ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            part, variants = line[3:], ""
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if part in PARTS and line.startswith("|") and not set(line) <= set("|-") and cells[0] != "variant":
            assert len(cells) == 3, line
            variants = cells[0] or variants
            page_rows.append((part, variants, cells[1], cells[2]))
    return page_rows


def test_every_variant_has_objections_in_the_part_of_its_class() -> None:
    parts_of_variants = Counter(
        (part, name) for part, variants, _, _ in rows() for name in set(VARIANT.findall(variants))
    )
    parts = {name: {part for part, variant in parts_of_variants if variant == name} for _, name in parts_of_variants}
    assert_named("docs/parity.md, with an objection and its answer", set(parts), set(CATALOG.variants))
    for name, parts_of_name in parts.items():
        (part,) = parts_of_name
        assert CATALOG.variants[name].spec.data_access in PARTS[part], (name, part)


def test_every_objection_has_an_answer() -> None:
    for _, variants, objection, answer in rows():
        assert variants == NAMED or VARIANT.search(variants), variants
        assert objection.endswith(".") and answer.endswith("."), objection


@pytest.mark.parametrize(
    ("name", "library"), [("hikari", "HikariCP"), ("pgjdbc", "pgjdbc"), ("hibernate", "Hibernate")]
)
def test_releases_that_no_bom_decides_are_those_of_the_catalog(name: str, library: str) -> None:
    version = re.search(rf"<{name}\.version>([0-9.]+[0-9])", (ROOT / "apps" / "pom.xml").read_text(encoding="utf-8"))
    assert version is not None and f"{library} is {version[1]} in " in PAGE
