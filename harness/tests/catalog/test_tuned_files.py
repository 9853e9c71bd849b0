"""Each tuned setting stands in a file of the variant or of a module it shares, with a reason and a link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plumbline.subjects.catalog.variant import Variant
from tests.checkout import CATALOG, ROOT

# Settings that no starter states: the size of the heap, and whether the pool is full before the port opens.
OF_THE_STARTER = {"heap", "pool-warm-up"}
TUNED = Path("src/main/resources/application-tuned.properties")
USUAL = TUNED.with_name("application.properties")
VARIANTS = CATALOG.variants
# Settings that a profile brings along stand in variant.toml.
WITH_FILE = [
    variant
    for variant in VARIANTS.values()
    if "tuned" in variant.spec.settings.get("profile", ()) and "tuned" not in variant.spec.profile
]


def files_of(variant: Variant) -> list[Path]:
    """The tuned files in the folder of a variant and in the folders that it is built with."""
    folders = [variant.folder, *((variant.folder / path).resolve() for path in variant.spec.build.inputs)]
    return [folder / TUNED for folder in folders if (folder / TUNED).is_file()]


def test_who_has_the_setting_has_one_file_and_nobody_else_has() -> None:
    assert {variant.id: len(files_of(variant)) for variant in WITH_FILE} == {variant.id: 1 for variant in WITH_FILE}
    assert {path for variant in WITH_FILE for path in files_of(variant)} == {*(ROOT / "apps").glob(f"*/{TUNED}")}


def test_what_a_profile_brings_along_has_its_source() -> None:
    bringing = [variant for variant in VARIANTS.values() if variant.spec.profile]
    assert bringing
    for variant in bringing:
        text = (variant.folder / "variant.toml").read_text(encoding="utf-8")
        for profile, brought in variant.spec.profile.items():
            _, _, table = text.partition(f"[profile.{profile}]")
            own_lines = [line for line in table.splitlines() if line.partition(" =")[0] in {*brought} - OF_THE_STARTER]
            assert own_lines and all("# https://" in line for line in own_lines), f"{variant.id} has no link"


@pytest.mark.parametrize("variant", WITH_FILE, ids=lambda variant: variant.id)
def test_each_value_has_a_reason_and_a_link(variant: Variant) -> None:
    text = files_of(variant)[0].read_text(encoding="utf-8")
    head, *paragraphs = text.strip().split("\n\n")
    assert all(line.startswith("#") for line in head.splitlines())
    assert paragraphs
    for paragraph in paragraphs:
        *comments, value = paragraph.splitlines()
        assert re.match(r"[a-z][\w.-]*=\S", value), value
        assert all(line.startswith("# ") for line in comments), value
        assert any(not line.startswith("# https://") for line in comments), f"{value} has no reason"
        assert any(line.startswith("# https://") for line in comments), f"{value} has no link"


@pytest.mark.parametrize("variant", WITH_FILE, ids=lambda variant: variant.id)
def test_nothing_of_the_contract_is_said_otherwise(variant: Variant) -> None:
    """No tuned file repeats a key of application.properties, which follows the contract or keeps variants equal."""
    [file] = files_of(variant)
    usual_of = [path for path in (file.with_name(USUAL.name), variant.folder / USUAL) if path.is_file()]
    tuned, usual = (
        {
            line.partition("=")[0]
            for path in paths
            for line in path.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")
        }
        for paths in ([file], usual_of)
    )
    assert tuned and (usual or not usual_of) and not tuned & usual
