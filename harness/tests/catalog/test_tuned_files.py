"""A tuned setting stands in the variant's own file, with a line of reason and a link for each value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.catalog.variant import Variant

ROOT = Path(__file__).resolve().parents[3]
# What no starter states: the size of the heap, and that the pool is full before the port opens.
OF_THE_STARTER = {"heap", "pool-warm-up"}
TUNED = Path("src/main/resources/application-tuned.properties")
VARIANTS = read_catalog(ROOT).variants
# Settings that a profile brings along stand in variant.toml; what is built of a sibling's sources has its file.
WITH_FILE = [
    one
    for one in VARIANTS.values()
    if "profile" in one.spec.settings
    and "tuned" not in one.spec.profile
    and not any(path.removeprefix("../") in VARIANTS for path in one.spec.build.inputs)
]


def test_who_has_the_setting_has_the_file_and_no_other() -> None:
    with_file = {name for name, variant in VARIANTS.items() if (variant.folder / TUNED).is_file()}
    assert {one.id for one in WITH_FILE} == with_file


def test_what_a_profile_brings_along_has_its_source() -> None:
    bringing = [one for one in VARIANTS.values() if one.spec.profile]
    assert bringing
    for variant in bringing:
        text = (variant.folder / "variant.toml").read_text(encoding="utf-8")
        for profile, brought in variant.spec.profile.items():
            _, _, table = text.partition(f"[profile.{profile}]")
            own = [
                line for line in table.splitlines() if line.partition(" =")[0] in {*brought} - OF_THE_STARTER
            ]
            assert own and all("# https://" in line for line in own), f"{variant.id} has no link"


@pytest.mark.parametrize("variant", WITH_FILE, ids=lambda one: one.id)
def test_each_value_has_a_reason_and_a_link(variant: Variant) -> None:
    text = (variant.folder / TUNED).read_text(encoding="utf-8")
    head, *paragraphs = text.strip().split("\n\n")
    assert all(line.startswith("#") for line in head.splitlines())
    assert paragraphs
    for paragraph in paragraphs:
        *comments, value = paragraph.splitlines()
        assert re.match(r"[a-z][\w.-]*=\S", value), value
        assert all(line.startswith("# ") for line in comments), value
        assert any(not line.startswith("# https://") for line in comments), f"{value} has no reason"
        assert any(line.startswith("# https://") for line in comments), f"{value} has no link"


@pytest.mark.parametrize("variant", WITH_FILE, ids=lambda one: one.id)
def test_nothing_of_the_contract_is_said_otherwise(variant: Variant) -> None:
    """What application.properties says, by the contract or to be equal, no tuned file says again."""
    tuned, usual = (
        {
            line.partition("=")[0]
            for line in (variant.folder / file).read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")
        }
        for file in (TUNED, TUNED.with_name("application.properties"))
    )
    assert tuned and usual and not tuned & usual
