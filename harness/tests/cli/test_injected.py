"""`./bench test --injected`: what it plans, burns and says, on made-up sessions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from plumbline.cli import injected
from plumbline.cli.test_command import command
from plumbline.model.errors import UsageError
from plumbline.model.record import Record, Trial
from plumbline.plan.detectable import detectable
from tests.record.sessions import record

PLAIN = "vertx-pg/jvm/pg"
CV = 0.01


def session(
    subjects: dict[str, float], pairs: int, suite: str, host_class: str = "small", seed: int = 1
) -> Record:
    """Trials of these subjects with this CPU time a request."""
    draw, base = random.Random(seed), record()
    like = next(trial for trial in base.trials if trial.role == "measured")
    trials: list[Trial] = []
    for block in range(1, pairs + 1):
        for subject, cost_us in subjects.items():
            figures = {"closed": {"app_cpu_us_per_request": cost_us * math.exp(draw.gauss(0, CV))}}
            changed = {"number": len(trials) + 1, "block": block, "subject": subject, "figures": figures}
            trials.append(like.model_copy(update=changed))
    plan = base.plan.model_copy(
        update={
            "suite": suite,
            "subjects": tuple(subjects),
            "host_class": host_class,
            "detectable": detectable(pairs, "small"),
        }
    )
    return base.model_copy(update={"plan": plan, "trials": tuple(trials)})


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], list[tuple[str, ...]]]:
    """Sessions that are not run: burnt time has so much of its effect."""

    def made(effect: float) -> list[tuple[str, ...]]:
        asked: list[tuple[str, ...]] = []

        def measured(workshop: Any, suite: str, progress: Any, blocks: int | None) -> Record:
            subjects = workshop.catalog.suite(suite)[1].subjects
            asked.append(subjects)
            costs = {
                subject: 200.0 + effect * int(subject.partition("spin=")[2] or 0) for subject in subjects
            }
            return session(costs, blocks or 12, suite)

        monkeypatch.setattr(injected, "_measured", measured)
        return asked

    return made


def run(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(command, ["--injected", *words], standalone_mode=False, catch_exceptions=False)
    return ended.return_value, ended.output


def test_what_the_plan_would_find_is_burnt_and_found(
    sessions: Callable[[float], list[tuple[str, ...]]],
) -> None:
    asked = sessions(1.0)
    status, said = run("--pairs", "12")
    (plain,), (base, slowed) = asked
    assert plain == base == PLAIN and slowed.startswith(f"{PLAIN}+spin=")
    burnt_us = int(slowed.partition("=")[2])
    assert f"Injected: {burnt_us} us in every request of one side" in said
    assert "would be found in 95 of 100 sessions" in said and "Read: slower, +" in said
    assert status == 0


def test_a_slowdown_that_does_not_show_breaks_the_promise(
    sessions: Callable[[float], list[tuple[str, ...]]],
) -> None:
    sessions(0.0)
    status, said = run()
    assert (status, "Read: slower" in said) == (1, False)


def test_equal_sides_that_were_told_apart_break_it_too() -> None:
    found = injected.compare([-0.1, -0.11, -0.1, -0.09])
    done = injected.Injected({"q": "faster"}, 200.0, 4, 0.1, "noise", 20, found)
    assert found.verdict == "slower" and not done.kept
    assert done.lines()[0] == "Equal sides, q: faster."


def test_an_earlier_session_takes_the_place_of_the_first(
    sessions: Callable[[float], list[tuple[str, ...]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = sessions(1.0)
    monkeypatch.setattr(injected, "read_record", lambda folder: session({PLAIN: 200.0}, 12, "aa"))
    monkeypatch.setattr("plumbline.run.workshop.sessions", lambda *_, **__: [])
    assert run("--equal", str(tmp_path), "--pairs", "8")[0] == 0
    assert len(asked) == 1


def test_a_session_of_something_else_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(injected, "read_record", lambda folder: session({PLAIN: 200.0}, 12, "smoke"))
    with pytest.raises(UsageError, match="did not measure a subject against itself"):
        run("--equal", str(tmp_path))


@pytest.mark.parametrize("words", [["--equal", "."], ["--pairs", "5"]])
def test_its_options_go_with_it(words: list[str]) -> None:
    with pytest.raises(UsageError, match="go with --injected"):
        CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)
