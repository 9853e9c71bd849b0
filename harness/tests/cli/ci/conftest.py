"""A checkout for each test."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from tests.change.checkout import files, make
from .job import HARNESS, Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    content = {path: text for path, text in files().items() if not path.startswith("harness/plumbline/")}
    root = make(
        tmp_path / "tree",
        {**content, ".gitignore": "/harness/plumbline\n/harness/frozen\n/harness/__main__.py\n"},
    )
    # The package finds the checkout by its own path, so a copy has to lie here; with the bytecode, which Python would
    # else make again in each checkout. Another process of the tests may be writing parts of the bytecode (*.pyc.*).
    for folder in ("plumbline", "frozen"):
        copytree(HARNESS / folder, root / "harness" / folder, ignore=ignore_patterns("*.pyc.*"))
    (root / "harness" / "__main__.py").write_bytes((HARNESS / "__main__.py").read_bytes())
    return Checkout(root)
