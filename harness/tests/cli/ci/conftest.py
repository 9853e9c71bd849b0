"""A checkout for each test."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

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
    # The package finds its checkout by where it lies, so that it has to lie here.
    (root / "harness" / "plumbline").mkdir()
    for path in (HARNESS / "plumbline").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = root / "harness" / path.relative_to(HARNESS)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    copytree(HARNESS / "frozen", root / "harness" / "frozen")
    (root / "harness" / "__main__.py").write_bytes((HARNESS / "__main__.py").read_bytes())
    return Checkout(root)
