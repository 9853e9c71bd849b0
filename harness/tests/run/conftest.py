"""A clone with two commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.clones import make_clone


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return make_clone(tmp_path / "clone")


@pytest.fixture(scope="module")
def unchanged_clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone that the tests of a file share: none of them changes it."""
    return make_clone(tmp_path_factory.mktemp("shared") / "clone")
