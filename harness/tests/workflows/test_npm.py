"""Packages of npm run nothing when they are installed, whoever installs them."""

from __future__ import annotations

import subprocess

from .reading import ROOT


def test_our_own_installs_run_no_scripts() -> None:
    installs = [
        line
        for room in ("plumbline", "laboratory")
        for path in (ROOT / "harness" / room).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if '"ci",' in line and "npm" in line
    ]
    assert len(installs) == 2 and all('"--ignore-scripts"' in line for line in installs)


def test_those_of_a_person_run_none_either() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*package.json"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    places = [ROOT / name for name in listed.split("\0") if name]
    assert places
    for path in places:
        assert "ignore-scripts=true" in path.with_name(".npmrc").read_text().splitlines(), path
