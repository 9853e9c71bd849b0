"""Every study has its systems here."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.catalog.catalog import Catalog, read_catalog

ROOT = Path(__file__).resolve().parents[3]
STUDIES = {"000", "001", "002", "003", "004"}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return read_catalog(ROOT)


def test_the_control_and_the_programs_of_the_studies_are_here(catalog: Catalog) -> None:
    assert len(catalog.variants) >= 24


def test_each_study_has_systems(catalog: Catalog) -> None:
    named = {study for variant in catalog.variants.values() for study in variant.spec.studies}
    assert named == STUDIES
