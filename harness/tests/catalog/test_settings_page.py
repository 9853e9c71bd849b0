"""docs/settings.md has a row for each setting, and names the variants that have a setting or a profile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from plumbline.subjects.catalog.settings import SETTINGS
from tests.checkout import CATALOG

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "settings.md").read_text(encoding="utf-8")
NAMES = re.compile(r"`([a-z0-9-]+)`")
# Said of the variants of a row in other words than their names.
BY_PROFILE, OF_ROW_ABOVE = "the variants with `profile=defaults`", "those"
VARIANTS = {name: one.spec for name, one in CATALOG.variants.items() if not one.spec.only_in}


def rows(columns: int) -> Iterator[tuple[str, ...]]:
    """The cells of the page's rows that have so many of them."""
    for line in PAGE.splitlines():
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if line.startswith("|") and len(cells) == columns:
            yield cells


def with_profile(profile: str) -> set[str]:
    return {name for name, spec in VARIANTS.items() if profile in spec.settings.get("profile", ())}


def test_every_setting_has_its_row() -> None:
    found = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, re.MULTILINE)
    assert sorted(found) == sorted(SETTINGS)


def test_variants_that_a_row_names_are_those_that_have_the_setting() -> None:
    told: dict[str, set[str]] = {}
    for setting, _, _, who, _ in rows(5):
        if setting.strip("`") in SETTINGS and (named := set(NAMES.findall(who)) & set(VARIANTS)):
            told[setting.strip("`")] = named | (with_profile("defaults") if BY_PROFILE in who else set())
    assert len(told) > 5
    have = {setting: {name for name, spec in VARIANTS.items() if setting in spec.settings} for setting in told}
    assert told == have


def test_variants_that_are_named_of_a_profile_have_it() -> None:
    told: dict[str, set[str]] = {}
    for profile, _, _, who in rows(4):
        if profile in ("defaults", "tuned"):
            above = told["defaults"] if who.startswith(OF_ROW_ABOVE) else set()
            # `those but A and B; C`: without A and B, and with C.
            but, _, own = who.rpartition(";")
            told[profile] = (above - set(NAMES.findall(but))) | set(NAMES.findall(own))
    assert told == {profile: with_profile(profile) for profile in ("defaults", "tuned")}


def test_every_variant_that_lacks_a_profile_is_named_once() -> None:
    told: dict[str, str] = {}
    for lacks, who, _ in rows(3):
        if lacks in ("defaults", "tuned", "both"):
            for name in NAMES.findall(who):
                assert name not in told, name
                told[name] = lacks
    without = {profile: set(VARIANTS) - with_profile(profile) for profile in ("defaults", "tuned")}
    for profile, those in without.items():
        assert {name for name, lacks in told.items() if lacks in (profile, "both")} == those
