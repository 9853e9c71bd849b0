"""Linters of others find nothing in workflows and Containerfiles but what a file silences, with a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .built import built
from .reading import ROOT

PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def actionlint() -> Path:
    return built("actionlint")


def lint(program: Path, root: Path) -> subprocess.CompletedProcess[str]:
    files = sorted(str(path.relative_to(root)) for path in (root / ".github/workflows").glob("*.yml"))
    config = ROOT / ".github/actionlint.yaml"
    words = [
        str(program),
        "-no-color",
        "-config-file",
        str(config),
        "-shellcheck",
        str(PROGRAMS / "shellcheck"),
    ]
    return subprocess.run([*words, "-pyflakes", "", *files], cwd=root, capture_output=True, text=True)


def test_actionlint_finds_nothing(actionlint: Path) -> None:
    completed = lint(actionlint, ROOT)
    assert completed.returncode == 0, completed.stdout


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("cache-mod: none", "cache-mod"),
        ("concurrency: {group: a, queues: max}", "queues"),
    ],
)
def test_only_the_two_new_keys_are_let_through(actionlint: Path, tmp_path: Path, line: str, word: str) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    job = "jobs: {a: {runs-on: ubuntu-24.04, steps: [{run: 'true'}]}}"
    (folder / "a.yml").write_text(f"name: a\non: push\npermissions: {{}}\n{line}\n{job}\n")
    completed = lint(actionlint, tmp_path)
    assert completed.returncode == 1
    assert f'unexpected key "{word}"' in completed.stdout


def test_zizmor_finds_nothing_either_when_it_is_pedantic() -> None:
    words = [str(PROGRAMS / "zizmor"), "--offline", "--no-progress", "--persona", "pedantic", "--collect=all"]
    completed = subprocess.run(
        [*words, "--config", ".github/zizmor.yml", ".github"], cwd=ROOT, capture_output=True, text=True
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr


def test_hadolint_finds_nothing() -> None:
    folders = ("apps/containers", "harness")
    files = [str(path.relative_to(ROOT)) for name in folders for path in sorted((ROOT / name).glob("*.Containerfile"))]
    assert len(files) == 3
    completed = subprocess.run([str(PROGRAMS / "hadolint"), *files], cwd=ROOT, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stdout + completed.stderr
