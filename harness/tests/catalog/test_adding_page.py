"""docs/add-a-variant.md names every file that lists the variants, so that nobody finds one by a test that fails."""

from __future__ import annotations

import re
from pathlib import Path

from tests.checkout import CATALOG, ROOT

GUIDE = ROOT / "docs" / "add-a-variant.md"
# The variants of the plans that were made before plans named classes: nobody adds to these.
CLOSED = {"harness/plumbline/model/data_access.py"}
NAMES = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, CATALOG.variants)) + r")(?![\w-])")


def _lists_variants(path: Path) -> bool:
    """Tell whether a file names most of the variants."""
    named = set(NAMES.findall(path.read_text(encoding="utf-8")))
    return len(named) > len(CATALOG.variants) / 2


def test_every_file_that_lists_the_variants_is_named() -> None:
    files = [
        ROOT / "README.md",
        ROOT / "bench.toml",
        ROOT / "apps" / "pom.xml",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "harness" / "plumbline").rglob("*.py"),
    ]
    found = {str(path.relative_to(ROOT)) for path in files if path != GUIDE and _lists_variants(path)} - CLOSED
    assert {"README.md", "apps/pom.xml", "docs/parity.md"} <= found
    said = GUIDE.read_text(encoding="utf-8")
    assert {name for name in found if f"`{name}`" not in said} == set()
