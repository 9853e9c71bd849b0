"""docs/add-a-variant.md names every file that lists the variants, so that nobody learns of a file by a failed test."""

from __future__ import annotations

import re
from pathlib import Path

from tests.checkout import CATALOG, ROOT

GUIDE = ROOT / "docs" / "add-a-variant.md"
# This file lists the variants of plans that were made before plans named classes: nobody adds a variant to it.
CLOSED = {"harness/plumbline/model/data_access.py"}
NAMES = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, CATALOG.variants)) + r")(?![\w-])")


def _lists_variants(path: Path) -> bool:
    """Tell whether a file names most of the variants."""
    names = set(NAMES.findall(path.read_text(encoding="utf-8")))
    return len(names) > len(CATALOG.variants) / 2


def test_every_file_that_lists_the_variants_is_named() -> None:
    files = [
        ROOT / "README.md",
        ROOT / "bench.toml",
        ROOT / "apps" / "pom.xml",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "harness" / "plumbline").rglob("*.py"),
    ]
    listing = {str(path.relative_to(ROOT)) for path in files if path != GUIDE and _lists_variants(path)} - CLOSED
    assert {"README.md", "apps/pom.xml", "docs/parity.md"} <= listing
    guide = GUIDE.read_text(encoding="utf-8")
    assert {name for name in listing if f"`{name}`" not in guide} == set()
