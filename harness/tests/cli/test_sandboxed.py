"""A command that enters the sandbox fetches tools for the subjects that it will measure, and for the control."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from plumbline.archive.record import gate
from plumbline.cli import compare_command, reproduce_command, run_command
from plumbline.measuring.place import launcher
from plumbline.measuring.run import local, tools
from tests.checkout import CATALOG

CONTROL, SUBJECT = "control/jvm/mysql", "quarkus-rest-reactive/jvm/mysql"
PLAN = SimpleNamespace(contenders=((None, CONTROL), ("base", SUBJECT), ("head", SUBJECT)))


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The course of a command: the subjects whose tools it fetches, then `entered`."""
    steps: list[object] = []

    def fetch(context: Any, ids: Iterable[str]) -> None:
        steps.append(set(ids))

    def enter(*_: Any) -> int:
        steps.append("entered")
        return 0

    monkeypatch.delenv(launcher.INSIDE, raising=False)
    monkeypatch.setattr(launcher, "Launcher", lambda: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(launcher, "enter", enter)
    monkeypatch.setattr(tools, "fetch_tools", fetch)
    interrupted = (Path("folder"), SimpleNamespace(apps=(), plan=PLAN))
    monkeypatch.setattr(local, "find_interrupted", lambda results, name: interrupted)
    monkeypatch.setattr(gate, "opened", lambda folder, say: (SimpleNamespace(plan=PLAN), {}))
    return steps


def call(command: click.Command, *words: str) -> Any:
    result = CliRunner().invoke(command, [*words, "--sandbox", "required"], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value


def test_a_suite_and_what_is_chosen_of_it(steps: list[object]) -> None:
    assert call(run_command.command, "--suite", "seed-000-mysql") == 0
    suite = CATALOG.bench.suites["seed-000-mysql"]
    assert steps == [{CONTROL, *(CATALOG.subject(text).id for text in suite.subjects)}, "entered"]
    steps.clear()
    assert call(run_command.command, "--quick", "--only", "vertx-pg/jvm/pg") == 0
    assert steps == [{"control/jvm/pg", "vertx-pg/jvm/pg"}, "entered"]


def test_both_sides_of_a_comparison(steps: list[object]) -> None:
    other = f"{SUBJECT}+pool=95"
    assert call(compare_command.command, SUBJECT, other, "--design", "duet") == 0
    assert steps == [{CONTROL, SUBJECT, other}, "entered"]


@pytest.mark.parametrize("command", [run_command.command, compare_command.command])
def test_an_interrupted_session(steps: list[object], command: click.Command) -> None:
    assert call(command, "--resume") == 0
    assert steps == [{CONTROL, SUBJECT}, "entered"]


def test_a_record(steps: list[object], tmp_path: Path) -> None:
    (tmp_path / "record.json").touch()
    assert call(reproduce_command.command, str(tmp_path)) == 0
    assert steps == [{CONTROL, SUBJECT}, "entered"]
