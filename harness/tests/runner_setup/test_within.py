"""`--sandbox required`, tested from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from plumbline.cli import sandbox
from plumbline.cli.console import ROOT
from plumbline.measuring.place import launcher
from plumbline.measuring.run import tools
from plumbline.measuring.run.context import Context, open_context
from plumbline.model.errors import UsageError
from .conftest import Host


def nothing_measured() -> tuple[Context, list[str]]:
    raise AssertionError("tools were fetched")


def test_off_enters_nothing() -> None:
    assert sandbox.within_sandbox("off", nothing_measured) is None


def test_who_is_inside_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(launcher.INSIDE, "plumbline-0a1b2c")
    assert sandbox.within_sandbox("required", nothing_measured) is None


def test_a_host_without_one_refuses_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(launcher, "SOCKET", tmp_path / "none.sock")
    with pytest.raises(UsageError) as refused:
        sandbox.within_sandbox("required", nothing_measured)
    assert "no sandbox for this user" in refused.value.problem
    assert "docs/operate.md" in refused.value.next_step


def test_the_same_command_runs_inside_and_its_status_is_ours(
    host: Host, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher, "SOCKET", host.socket)
    # Tools are fetched outside, which is no part of entering.
    monkeypatch.setattr(tools, "fetch_tools", lambda context, ids: None)
    monkeypatch.setattr(sys, "argv", ["bench", "show", "no-such-trial", "--json"])
    assert sandbox.within_sandbox("required", lambda: (open_context(ROOT, (), print), [])) == 2
    assert json.loads(capfd.readouterr().out)["exit"] == 2
    (unit,) = host.units.glob("*-harness-*.json")
    assert "no-such-trial" not in unit.read_text()
