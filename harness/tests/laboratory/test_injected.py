"""`./bench test --injected`: what it burns, asks and says, on made-up comparisons."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from laboratory import injected, test_command
from laboratory.promises import write as promises
from laboratory.promises.page import HABITS, kept, put
from laboratory.test_command import command
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Record
from plumbline.record.comparison import compared
from tests.record.comparisons import FAST, comparison_plan, record_of

pytestmark = pytest.mark.slow

CV = 0.01
COST_US = 160.0
PAIRS = 12


def comparison(slowdown: float, seed: int) -> Record:
    """A comparison of equal sides, of which the head then costs more: each trial with a figure of its own."""
    draw = random.Random(seed)
    plan = comparison_plan(FAST, FAST, refs=True, pairs=PAIRS).model_copy(update={"host_class": "small"})
    like, _ = record_of(comparison_plan(FAST, FAST, refs=True, pairs=PAIRS))
    trials = []
    for trial in like.trials:
        cost = COST_US * math.exp(draw.gauss(0, CV)) * (1 + slowdown * (trial.side == "head"))
        figures = {"closed": {"app_cpu_us_per_request": cost}}
        trials.append(trial.model_copy(update={"figures": figures, "verdict": "advisory"}))
    return like.model_copy(
        update={"plan": plan, "trials": tuple(trials), "comparison": compared(plan, trials)}
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], list[str]]:
    """Comparisons that are not run: burnt time has `effect` of its effect, equal sides differ by `bias`."""

    def made(effect: float, bias: float = 0.0) -> list[str]:
        heads: list[str] = []

        def run(context: Any, head: str, budget_s: float, progress: Any) -> Record:
            heads.append(head)
            burnt = float(head.partition("spin=")[2] or 0) / COST_US
            return comparison(effect * burnt if burnt else bias, len(heads))

        monkeypatch.setattr(injected, "_compared", run)
        return heads

    return made


def run(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(command, ["--injected", *words], standalone_mode=False, catch_exceptions=False)
    return ended.return_value, ended.output


def test_an_eighth_is_burnt_and_found(asked: Callable[[float, float], list[str]]) -> None:
    heads = asked(1.0, 0.0)
    status, said = run("--tries", "2")
    assert heads[0] == heads[2] == injected.PLAIN
    burnt = [int(head.partition("spin=")[2]) for head in heads[1::2]]
    assert all(abs(one - COST_US / 8) <= 1 for one in burnt)
    assert "The slowdown was found in 2 of 2 tries" in said and "equal sides were told apart in 0" in said
    assert said.count("| slower |") == 2 and status == 0


def test_a_slowdown_that_does_not_show_breaks_the_promise(
    asked: Callable[[float, float], list[str]],
) -> None:
    asked(0.0, 0.0)
    status, said = run()
    assert (status, "found in 0 of 1 try" in said) == (1, True)


def test_equal_sides_that_are_told_apart_break_it_too(asked: Callable[[float, float], list[str]]) -> None:
    asked(1.0, 0.2)
    status, said = run()
    assert status == 1
    assert "equal sides were told apart in 1 (95 % interval 3 % to 100 %)" in said


def test_nineteen_of_twenty_are_enough_and_one_of_twenty_apart_is_not() -> None:
    slower = injected._answer(comparison(0.125, 1))
    equal = injected._answer(comparison(0.0, 2))

    def told(found: int, apart: int) -> bool:
        tries = [
            injected.Try(
                host="here",
                commit=None,
                budget_s=900.0,
                cost_us=COST_US,
                spin_us=20,
                equal=slower if place < apart else equal,
                slowed=slower if place < found else equal,
            )
            for place in range(20)
        ]
        return injected.Injected(tries=tuple(tries)).kept

    assert [told(20, 0), told(19, 0), told(18, 0), told(20, 1)] == [True, True, False, False]


def test_a_comparison_in_which_no_trial_is_of_a_warm_program_says_so(
    asked: Callable[[float, float], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = comparison(0.0, 1)
    cold = tuple(trial.model_copy(update={"figures": {}}) for trial in whole.trials)
    without = whole.model_copy(update={"trials": cold, "comparison": compared(whole.plan, cold)})
    monkeypatch.setattr(injected, "_compared", lambda *_: without)
    with pytest.raises(AnswerIsNo, match="what a request of a warm"):
        run()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The ledger and the page that `--write` writes, in a folder of this test."""
    ledger, page = tmp_path / "injected.json", tmp_path / "promises.md"
    page.write_text("# What is promised\n")
    monkeypatch.setattr(injected, "LEDGER", ledger)
    monkeypatch.setattr(test_command, "PROMISES", page)
    return ledger, page


def test_tries_of_an_earlier_command_are_counted_too(
    asked: Callable[[float, float], list[str]], written: tuple[Path, Path]
) -> None:
    ledger, page = written
    asked(1.0, 0.0)
    run("--write")
    asked(0.0, 0.0)
    status, said = run("--write")
    assert "The slowdown was found in 1 of 2 tries" in said and status == 1
    table = said[said.index("| try |") :].strip()
    assert table in page.read_text() and table.count("\n") == 5
    assert [one.found for one in injected.read_tries(ledger, test_command.INJECTED_BUDGET_S)] == [True, False]


def test_without_write_nothing_is_kept(
    asked: Callable[[float, float], list[str]], written: tuple[Path, Path]
) -> None:
    ledger, page = written
    asked(1.0, 0.0)
    run()
    assert not ledger.exists() and page.read_text() == "# What is promised\n"


def test_tries_of_another_length_are_not_counted_together(
    asked: Callable[[float, float], list[str]], written: tuple[Path, Path]
) -> None:
    heads = asked(1.0, 0.0)
    run("--write")
    before, page = (path.read_text() for path in written)
    with pytest.raises(UsageError, match="has tries of 15 min; they can't be counted with those of 5 min"):
        run("--write", "--budget", "5m")
    assert len(heads) == 2, "nothing is measured that can't be counted"
    assert (before, page) == tuple(path.read_text() for path in written)


@pytest.mark.parametrize("text", ["", "5", "[{}]", '[{"host": 1}]'])
def test_a_damaged_ledger_is_one_sentence(
    text: str, asked: Callable[[float, float], list[str]], written: tuple[Path, Path]
) -> None:
    written[0].write_text(text)
    asked(1.0, 0.0)
    with pytest.raises(UsageError, match="is no list of tries"):
        run("--write")
    assert written[0].read_text() == text


def test_the_table_stands_at_the_end_of_the_page_and_no_simulation_takes_it_away(
    tmp_path: Path,
) -> None:
    page = tmp_path / "promises.md"
    page.write_text("# What is promised\n")
    promises.write_live(page, ["once"])
    promises.write_live(page, ["twice"])
    text = page.read_text()
    assert text.startswith("# What is promised\n") and text.endswith("\ntwice\n") and "once" not in text
    assert kept(page).startswith("\n## Live") and kept(page).endswith("\ntwice\n")
    put(page, HABITS, "three runs")
    promises.write_live(page, ["again"])
    assert page.read_text().startswith(f"# What is promised\n\n## {HABITS}\n\nthree runs\n\n## Live")
    assert kept(page).count("## ") == 2 and "twice" not in kept(page)
    assert kept(tmp_path / "nowhere.md") == ""


@pytest.mark.parametrize("words", [["--tries", "2"], ["--budget", "5m"], ["--write"]])
def test_its_options_go_with_it(words: list[str]) -> None:
    with pytest.raises(UsageError, match="go with --injected"):
        CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)
