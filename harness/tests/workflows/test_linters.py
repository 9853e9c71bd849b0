"""What others know about workflows and Containerfiles: no finding but those silenced by a file, with a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .built import built
from .reading import ROOT

BESIDE = Path(sys.executable).parent


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
        str(BESIDE / "shellcheck"),
    ]
    return subprocess.run([*words, "-pyflakes", "", *files], cwd=root, capture_output=True, text=True)


def test_actionlint_finds_nothing(actionlint: Path) -> None:
    found = lint(actionlint, ROOT)
    assert found.returncode == 0, found.stdout


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
    found = lint(actionlint, tmp_path)
    assert found.returncode == 1
    assert f'unexpected key "{word}"' in found.stdout


def test_zizmor_finds_nothing_either_when_it_is_pedantic() -> None:
    words = [str(BESIDE / "zizmor"), "--offline", "--no-progress", "--persona", "pedantic", "--collect=all"]
    found = subprocess.run(
        [*words, "--config", ".github/zizmor.yml", ".github"], cwd=ROOT, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_hadolint_finds_nothing() -> None:
    folders = ("apps/containers", "harness")
    files = [str(path.relative_to(ROOT)) for name in folders for path in sorted((ROOT / name).glob("*.Containerfile"))]
    assert len(files) == 3
    found = subprocess.run([str(BESIDE / "hadolint"), *files], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
