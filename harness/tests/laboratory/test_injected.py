"""`./bench test --injected` on made-up comparisons: what time it burns, what it asks and what it says."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from laboratory import injected, test_command
from laboratory.promises import write as promises
from laboratory.promises.page import HABITS, kept_parts, write_part
from laboratory.test_command import command
from plumbline.archive.record.comparison import compared
from plumbline.cli.console import duration
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.record import Record
from tests.record.comparisons import FAST, comparison_plan, record_of

pytestmark = pytest.mark.slow

CV = 0.01
COST_US = 160.0
PAIRS = 12


def comparison(slowdown: float, seed: int, host_class: str = "small") -> Record:
    """A comparison of equal sides whose head then costs more by `slowdown`; each trial has a figure of its own."""
    draw = random.Random(seed)
    plan = comparison_plan(FAST, FAST, refs=True, pairs=PAIRS).model_copy(update={"host_class": host_class})
    template, _ = record_of(comparison_plan(FAST, FAST, refs=True, pairs=PAIRS))
    trials = []
    for trial in template.trials:
        cost = COST_US * math.exp(draw.gauss(0, CV)) * (1 + slowdown * (trial.side == "head"))
        figures = {"closed": {"app_cpu_us_per_request": cost}}
        trials.append(trial.model_copy(update={"figures": figures, "verdict": "advisory"}))
    return template.model_copy(update={"plan": plan, "trials": tuple(trials), "comparison": compared(plan, trials)})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], list[str]]:
    """Comparisons that are not run: burnt time shows `effect` of its cost, equal sides differ by `bias`."""

    def with_effect(effect: float, bias: float = 0.0) -> list[str]:
        heads: list[str] = []

        def run(context: Any, head: str, *_: Any) -> Record:
            heads.append(head)
            burnt = float(head.partition("spin=")[2] or 0) / COST_US
            return comparison(effect * burnt if burnt else bias, len(heads))

        monkeypatch.setattr(injected, "_compared", run)
        return heads

    return with_effect


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["--injected", *words], standalone_mode=False, catch_exceptions=False)
    return result.return_value, result.output


def test_an_eighth_is_burnt_and_found(asked: Callable[[float, float], list[str]]) -> None:
    heads = asked(1.0, 0.0)
    status, output = run("--tries", "2")
    assert heads[0] == heads[2] == injected.PLAIN
    burnt = [int(head.partition("spin=")[2]) for head in heads[1::2]]
    assert all(abs(spin_us - COST_US / 8) <= 1 for spin_us in burnt)
    assert "The slowdown was found in 2 of 2 tries" in output and "equal sides were told apart in 0" in output
    assert output.count("| slower |") == 2 and status == 0


def test_a_slowdown_that_does_not_show_breaks_the_promise(
    asked: Callable[[float, float], list[str]],
) -> None:
    asked(0.0, 0.0)
    status, output = run()
    assert (status, "found in 0 of 1 try" in output) == (1, True)


def test_equal_sides_that_are_told_apart_break_it_too(asked: Callable[[float, float], list[str]]) -> None:
    asked(1.0, 0.2)
    status, output = run()
    assert status == 1
    assert "equal sides were told apart in 1 (95 % interval 3 % to 100 %)" in output


def test_on_a_lab_cpu_time_is_asked_for_though_it_does_not_lead() -> None:
    answer = injected._answer(comparison(0.125, 1, "lab"))
    assert (answer.phase, answer.primary, answer.verdict) == ("closed", False, "slower")


def test_how_dear_the_slowed_sides_read_stands_below_the_table(asked: Callable[[float, float], list[str]]) -> None:
    asked(1.6, 0.0)
    _, output = run()
    assert "The slowed sides read 19 % to 19 % dearer, for 12.5 % burnt" in output


def test_nineteen_of_twenty_are_enough_and_one_of_twenty_apart_is_not() -> None:
    slower = injected._answer(comparison(0.125, 1))
    equal = injected._answer(comparison(0.0, 2))

    def is_kept(found: int, apart: int) -> bool:
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
        return injected.Tries(tries=tuple(tries)).kept

    assert [is_kept(20, 0), is_kept(19, 0), is_kept(18, 0), is_kept(20, 1)] == [True, True, False, False]


def test_a_comparison_in_which_no_trial_is_of_a_warm_program_says_so(
    asked: Callable[[float, float], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = comparison(0.0, 1)
    cold = tuple(trial.model_copy(update={"figures": {}}) for trial in whole.trials)
    without_figures = whole.model_copy(update={"trials": cold, "comparison": compared(whole.plan, cold)})
    monkeypatch.setattr(injected, "_compared", lambda *_: without_figures)
    with pytest.raises(AnswerIsNo, match="what a request of a warm"):
        run()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The ledger and the page that `--write` writes, in a folder of this test."""
    ledger, page = tmp_path / "injected.json", tmp_path / "promises.md"
    page.write_text("# What is promised\n")
    monkeypatch.setattr(injected, "LEDGER", ledger)
    monkeypatch.setattr(injected, "BEGUN", tmp_path / "local" / "injected.json")
    monkeypatch.setattr(test_command, "PROMISES", page)
    return ledger, page


def test_tries_of_an_earlier_command_are_counted_too(
    asked: Callable[[float, float], list[str]], written: tuple[Path, Path]
) -> None:
    ledger, page = written
    asked(1.0, 0.0)
    run("--write")
    asked(0.0, 0.0)
    status, output = run("--write")
    assert "The slowdown was found in 1 of 2 tries" in output and status == 1
    table = output[output.index("| try |") :].strip()
    assert table in page.read_text() and table.count("\n") == 5
    assert [attempt.found for attempt in injected.read_tries(ledger, test_command.INJECTED_BUDGET_S)] == [True, False]


class Sessions:
    """Sessions that are not run: each record stands in a folder, and the sessions of `cut` are interrupted once."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.cut: set[str] = set()
        self.ran: list[str] = []
        self._count = 0

    def plan(self, context: Any, head: str, wish: Any) -> Any:
        self._count += 1
        return SimpleNamespace(session=f"session-{self._count}", head=head)

    def new(self, context: Any, plan: Any, progress: Any) -> Any:
        return SimpleNamespace(run=lambda: self._run(plan.session))

    def interrupted(self, results: Path, session: str) -> tuple[Path, None]:
        if not (results / ".running" / session).is_dir():
            raise UsageError("No session waits.")
        return results / ".running" / session, None

    def resumed(self, context: Any, folder: Path, progress: Any) -> Any:
        return SimpleNamespace(run=lambda: self._run(f"{folder.name} again"))

    def _run(self, label: str) -> Any:
        self.ran.append(label)
        name = label.removesuffix(" again")
        if name in self.cut:
            self.cut.remove(name)
            (self.results / ".running" / name).mkdir(parents=True)
            raise CannotGoOn("Interrupted; what was measured is kept.", "Go on.")
        (self.results / name).mkdir(parents=True)
        (self.results / name / "record.json").write_text("{}")
        return SimpleNamespace(record=self.record(self.results / name), evidence={}, folder=self.results / name)

    def record(self, folder: Path) -> Record:
        """An odd session compares equal sides, an even session the slowed side."""
        number = int(folder.name.rpartition("-")[2])
        return comparison(0.0 if number % 2 else 0.125, number)


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    simulated = Sessions(tmp_path / "local")
    context = SimpleNamespace(host_name="here", paths=SimpleNamespace(results=simulated.results))
    context.with_own_placement = lambda: context
    for name, stand_in in {
        "open_context": lambda *_: context,
        "comparison_plan_of": lambda context, base, head, wish: head,
        "plan_comparison": simulated.plan,
        "planned_session": simulated.new,
        "find_interrupted": simulated.interrupted,
        "resumed_session": simulated.resumed,
        "read_record": simulated.record,
        "write_report": lambda *_: None,
        "commit_of": lambda root: ("1" * 40, False),
    }.items():
        monkeypatch.setattr(injected, name, stand_in)
    return simulated


def test_an_interrupted_try_goes_on_where_it_was(sessions: Sessions, written: tuple[Path, Path]) -> None:
    sessions.cut = {"session-2"}
    with pytest.raises(CannotGoOn, match=r"Go on\. `\./bench test --injected --write` goes on with this try"):
        run("--write")
    assert not written[0].exists() and injected.BEGUN.exists()
    status, output = run("--write")
    assert sessions.ran == ["session-1", "session-2", "session-2 again"]
    assert "found in 1 of 1 try" in output and status == 0
    assert not injected.BEGUN.exists()
    run("--write")
    assert sessions.ran[3:] == ["session-3", "session-4"]


def test_a_comparison_of_which_nothing_was_kept_begins_again(sessions: Sessions, written: tuple[Path, Path]) -> None:
    sessions.cut = {"session-1"}
    with pytest.raises(CannotGoOn):
        run("--write")
    (sessions.results / ".running" / "session-1").rmdir()
    sessions.cut = {"session-2"}
    with pytest.raises(CannotGoOn):
        run("--write")
    assert sessions.ran == ["session-1", "session-2"]


def test_a_comparison_without_a_usable_answer_is_not_read_again(
    sessions: Sessions, written: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = comparison(0.0, 1)
    cold = tuple(trial.model_copy(update={"figures": {}}) for trial in whole.trials)
    monkeypatch.setattr(sessions, "record", lambda _: whole.model_copy(update={"trials": cold}))
    for _ in range(2):
        with pytest.raises(AnswerIsNo, match="what a request of a warm"):
            run("--write")
    assert sessions.ran == ["session-1", "session-2"] and not injected.BEGUN.exists()


@pytest.mark.parametrize("change", ["another commit", "another length", "damaged"])
def test_a_try_that_can_not_be_gone_on_with_begins_again(
    change: str, sessions: Sessions, written: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.cut = {"session-2"}
    with pytest.raises(CannotGoOn):
        run("--write")
    if change == "another commit":
        monkeypatch.setattr(injected, "commit_of", lambda root: ("2" * 40, False))
    if change == "damaged":
        injected.BEGUN.write_text("{")
    run("--write", *(["--budget", "5m"] if change == "another length" else []))
    assert sessions.ran == ["session-1", "session-2", "session-3", "session-4"]


def test_what_is_not_written_leaves_nothing_to_go_on_with(sessions: Sessions, written: tuple[Path, Path]) -> None:
    sessions.cut = {"session-2"}
    with pytest.raises(CannotGoOn) as caught:
        run()
    assert caught.value.next_step == "Go on." and not injected.BEGUN.exists()


def test_the_time_left_is_that_of_all_tries(asked: Callable[[float, float], list[str]]) -> None:
    asked(1.0, 0.0)
    _, output = run("--tries", "2", "--budget", "15m")
    each_s = injected.preparation_s() + 900
    steps = [line for line in output.splitlines() if "left for all" in line]
    assert [duration(left * each_s) in line for left, line in zip((4, 3, 2, 1), steps, strict=True)] == [True] * 4


def test_a_trial_has_the_time_of_what_comes_after_its_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    trial = comparison(0.0, 1).plan.trials[0]
    progress = injected.TriesProgress()
    with progress:
        progress.later_s = 3600.0
        progress.trial_began(trial, 1, 13, 600.0)
        progress.trial_ended(trial, "", None)
    assert f"{duration(4200.0)} left" in capsys.readouterr().err


def test_without_write_nothing_is_kept(asked: Callable[[float, float], list[str]], written: tuple[Path, Path]) -> None:
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
    assert kept_parts(page).startswith("\n## Live") and kept_parts(page).endswith("\ntwice\n")
    write_part(page, HABITS, "three runs")
    promises.write_live(page, ["again"])
    assert page.read_text().startswith(f"# What is promised\n\n## {HABITS}\n\nthree runs\n\n## Live")
    assert kept_parts(page).count("## ") == 2 and "twice" not in kept_parts(page)
    assert kept_parts(tmp_path / "nowhere.md") == ""


@pytest.mark.parametrize("words", [["--tries", "2"], ["--budget", "5m"], ["--write"]])
def test_its_options_go_with_it(words: list[str]) -> None:
    with pytest.raises(UsageError, match="go with --injected"):
        CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)
