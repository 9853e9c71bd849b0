"""`./bench plan` shows in which order the first block would run."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from plumbline.cli.plan_command import command
from plumbline.model.errors import UsageError


def planned(*words: str) -> str:
    words = (*words, "--seed", "1")
    return CliRunner().invoke(command, list(words), standalone_mode=False, catch_exceptions=False).stdout


@pytest.mark.parametrize("suite", ["smoke", "full"])
def test_the_first_dozen_of_the_first_block_is_named(suite: str) -> None:
    trials = json.loads(planned("--suite", suite, "--json"))["trials"]
    order = [trial["subject"] for trial in trials if trial["block"] == 1]
    (line,) = [line for line in planned("--suite", suite).splitlines() if line.startswith("Seed 1; ")]
    shown, cut, rest = line.removeprefix("Seed 1; order of the first block: ").removesuffix(".").partition(" … and ")
    names = []
    for run in shown.split(", "):
        name, times, _ = f"{run} 1 times".split(" ", 2)
        names += [name] * int(times)
    assert names == order[: len(names)]
    assert len(shown.split(", ")) <= 12
    assert rest == (f"{len(order) - len(names)} more; `--json` has all" if cut else "")
    assert bool(cut) is (suite == "full")


@pytest.mark.parametrize("words", [["--suite", "nightly", "--only", "vertx-pg"], ["--suite", "smoke"]])
def test_a_night_that_chooses_nothing_is_refused(words: list[str]) -> None:
    with pytest.raises(UsageError, match="--night chooses from the rotation of a suite, and nothing here"):
        planned(*words, "--night", "2026-11-17")


def test_the_week_of_the_rotation_stands_where_a_night_chooses_from_it() -> None:
    tuesday = planned("--suite", "nightly", "--night", "2026-11-17")
    assert "this is 2026-11-17.\n" in tuesday and "\n->Tuesday " in tuesday
    chosen_by_name = planned("--suite", "nightly", "--only", "vertx-pg")
    assert "Rotation: " not in chosen_by_name and "\n->" not in chosen_by_name
