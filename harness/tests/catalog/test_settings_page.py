"""docs/settings.md has a row for each setting, and names the variants that have a setting or a profile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from plumbline.subjects.catalog.settings import SETTINGS
from tests.checkout import CATALOG, assert_named

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "settings.md").read_text(encoding="utf-8")
NAMES = re.compile(r"`([a-z0-9-]+)`")
# The phrase by which a row means several variants without their names.
BY_PROFILE = "the variants with `profile=defaults`"
VARIANTS = {name: variant.spec for name, variant in CATALOG.variants.items() if not variant.spec.only_in}


def rows(columns: int) -> Iterator[tuple[str, ...]]:
    """The cells of the page's rows that have `columns` cells."""
    for line in PAGE.splitlines():
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if line.startswith("|") and len(cells) == columns:
            yield cells


def with_profile(profile: str) -> set[str]:
    return {name for name, spec in VARIANTS.items() if profile in spec.settings.get("profile", ())}


def test_every_setting_has_its_row() -> None:
    settings = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, re.MULTILINE)
    assert sorted(settings) == sorted(SETTINGS)


def test_variants_that_a_row_names_are_those_that_have_the_setting() -> None:
    named_variants: dict[str, set[str]] = {}
    for setting, _, _, variants, _ in rows(5):
        if setting.strip("`") in SETTINGS and (names := set(NAMES.findall(variants)) & set(VARIANTS)):
            named_variants[setting.strip("`")] = names | (with_profile("defaults") if BY_PROFILE in variants else set())
    assert len(named_variants) > 5
    for setting, names in named_variants.items():
        having = {name for name, spec in VARIANTS.items() if setting in spec.settings}
        assert_named(f"docs/settings.md, row `{setting}`", names, having)


def test_every_variant_that_lacks_a_profile_is_named_once() -> None:
    profile_lacked: dict[str, str] = {}
    for lacks, variants, _ in rows(3):
        if lacks in ("defaults", "tuned", "both"):
            for name in NAMES.findall(variants):
                assert name not in profile_lacked, name
                profile_lacked[name] = lacks
    without = {profile: set(VARIANTS) - with_profile(profile) for profile in ("defaults", "tuned")}
    for profile, lacking in without.items():
        names = {name for name, lacks in profile_lacked.items() if lacks in (profile, "both")}
        assert_named(f"docs/settings.md, who lacks `profile={profile}`", names, lacking)
