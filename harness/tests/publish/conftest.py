from __future__ import annotations

from pathlib import Path

import pytest

from .data import published, simulated, tree


@pytest.fixture(scope="session")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up data branch; nobody changes it."""
    return simulated(tmp_path_factory.mktemp("branch") / "data")


@pytest.fixture(scope="session")
def site(branch: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the site that is published from the branch."""
    out = tmp_path_factory.mktemp("site") / "out"
    published(branch, out)
    return tree(out)
