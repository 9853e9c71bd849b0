"""`./bench python` is the interpreter that has the packages of the checks, with the modules of harness/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.cli.calling import bench


def test_the_interpreter_gets_every_word_and_finds_the_modules_of_the_harness(tmp_path: Path) -> None:
    program = "import os, sys, pytest, laboratory, tests.checkout; print(sys.argv[1:], os.getcwd())"
    process = bench("python", "-c", program, "--help", "a b", cwd=tmp_path)
    assert (process.returncode, process.stdout) == (0, f"['--help', 'a b'] {tmp_path}\n"), process.stderr
    assert bench("python", "-c", "raise SystemExit(7)", cwd=tmp_path).returncode == 7


@pytest.mark.parametrize(
    "page", [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.name
)
def test_pages_name_modules_that_the_interpreter_finds(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    modules = re.findall(r"\./bench python -m ([\w.]+)", text)
    assert len(re.findall(r"\bpython -m ", text)) == len(modules), "the system's Python lacks the packages"
    for module in set(modules) - {"pytest", "ruff"}:
        assert (ROOT / "harness" / f"{module.replace('.', '/')}.py").is_file()
