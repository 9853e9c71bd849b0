"""The catalog has variants for the systems of every study."""

from __future__ import annotations

import pytest

from plumbline.subjects.catalog.catalog import Catalog
from tests.checkout import CATALOG

STUDIES = {"000", "001", "002", "003", "004"}


@pytest.fixture
def catalog() -> Catalog:
    return CATALOG


def test_the_control_and_the_programs_of_the_studies_are_here(catalog: Catalog) -> None:
    assert len(catalog.variants) >= 24


def test_each_study_has_systems(catalog: Catalog) -> None:
    studies = {study for variant in catalog.variants.values() for study in variant.spec.studies}
    assert studies == STUDIES
