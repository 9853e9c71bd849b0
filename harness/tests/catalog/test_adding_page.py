"""docs/add-a-variant.md names every file that lists variants, and shows what the commands say of its own variant."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from plumbline.measuring.conformance.suite import subjects_on
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.catalog.new_variant import Facts, marks_left, new_variant
from tests.checkout import CATALOG, ROOT
from .tree import small_tree

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


def test_the_sample_of_a_check_has_the_places_and_the_subjects_of_the_pages_own_variant(tmp_path: Path) -> None:
    tree = small_tree(tmp_path)
    whole = shutil.ignore_patterns("target")
    shutil.copytree(ROOT / "apps" / "vertx-pg", tree / "apps" / "vertx-pg", ignore=whole, dirs_exist_ok=True)
    guide = GUIDE.read_text(encoding="utf-8")
    assert "    ./bench new-variant my-variant --like vertx-pg --framework vertx --serves-on event-loop\n" in guide
    catalog = read_catalog(tree)
    folder = new_variant(catalog, "my-variant", catalog.variant("vertx-pg"), Facts("vertx", "event-loop"))
    places = ", ".join(f"{path.relative_to(folder)}:{number}" for path, number, _ in marks_left(folder))
    assert f"The word WRITE: still stands in my-variant/ at {places}.\n" in guide
    subjects = subjects_on(read_catalog(tree).variant("my-variant"), "pg")
    assert tuple(re.findall(r"^    (my-variant/jvm/pg\S*)$", guide, re.MULTILINE)) == subjects
