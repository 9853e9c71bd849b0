"""One box for all tests on an emulated host, and one host on which the runner's parts are installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from .box import ROOT, Box, get_box
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


@pytest.fixture(scope="session")
def installed(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A host on which install-runner.sh was run, as operate.md says; code of this checkout is in /srv/brought."""
    brought = tmp_path_factory.mktemp("brought")
    brought.chmod(0o755)
    for name in ("runner-setup", "harness/plumbline", "harness/tests/emulated"):
        shutil.copytree(ROOT / name, brought / name, ignore=shutil.ignore_patterns("__pycache__"))
    with Machine(box, tmp_path_factory.mktemp("installed"), brought=brought) as found:
        found.check("bash", "/srv/brought/runner-setup/install-runner.sh", "me/plumbline", "lab-1")
        yield found
