"""One box for all tests on an emulated host; a module boots a machine of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .box import Box, get_box
from .machine import Machine


@pytest.fixture(scope="session")
def box() -> Box:
    """The box of this checkout, made on the first use."""
    return get_box(os.environ)


@pytest.fixture(scope="module")
def machine(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A host as Debian installs it, with nothing of the project but its Python environment."""
    with Machine(box, tmp_path_factory.mktemp("machine")) as found:
        yield found
