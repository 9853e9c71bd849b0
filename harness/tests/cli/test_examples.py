"""The example in the help of each command is a call that the command takes, as far as a plan of what it would do."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NoReturn

import click
import pytest
from click.testing import CliRunner

from plumbline import cli
from plumbline.cli.compare_command import _announcement
from plumbline.cli.plan_table import short_budget
from plumbline.measuring.run.smallest_heap import require_searchable
from plumbline.model.comparison import ComparisonPlan, Contest, SideSource
from plumbline.model.errors import CannotGoOn
from plumbline.subjects.catalog.new_variant import free_folder
from plumbline.subjects.plan.compare import make_comparison, planned_looks
from plumbline.subjects.plan.make import Selection, make_plan
from tests.checkout import CATALOG
from tests.judge.planned import SMALL, host
from tests.record.comparisons import PLACES


def commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*names, name), command
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)


EXAMPLES = {
    " ".join(names): (command, command.epilog.partition("./bench ")[2])
    for names, command in commands(cli.bench)
    if command.epilog and not isinstance(command, click.Group)
}


@pytest.fixture
def options(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options and arguments of a command's example; of files and folders only the name is read."""
    monkeypatch.setattr(click.Path, "convert", lambda self, value, param, ctx: value)
    command, example = EXAMPLES[request.param]
    if example.count('"') % 2:  # of `eval "$(./bench …)"`
        example = example.removesuffix(')"')
    words = shlex.split(example.partition(" && ")[0].partition("   (")[0])
    names = request.param.split()
    assert words[: len(names)] == names
    return command.make_context(request.param, words[len(names) :]).params


@pytest.mark.parametrize("options", EXAMPLES, indirect=True)
def test_each_command_takes_its_example(options: dict[str, Any]) -> None:
    assert isinstance(options, dict)


@pytest.mark.parametrize("options", ["run", "plan"], indirect=True)
def test_a_session_of_the_example_has_time_for_an_answer(options: dict[str, Any]) -> None:
    names = ("suite", "only", "scenarios", "scale", "prove", "blocks", "budget_s")
    selection = Selection(seed=1, **{name: options[name] for name in names})
    assert short_budget(make_plan(CATALOG, selection, host("small"), SMALL, "taskset", session="s")) is None


@pytest.mark.parametrize("options", ["compare"], indirect=True)
def test_a_comparison_of_the_example_has_time_for_an_answer(options: dict[str, Any]) -> None:
    (subject,) = (CATALOG.subject(text).id for text in options["only"])
    looks, level = planned_looks(None)
    sides = [SideSource(given=options[side], kind="ref", commit="0" * 40) for side in ("base", "head")]
    asked = ComparisonPlan(
        design="duet",
        base=sides[0],
        head=sides[1],
        contests=(Contest(base=subject, head=subject),),
        looks=looks,
        level=level,
        budget_s=options["budget_s"],
        not_slower_than=None,
    )
    selection = Selection(seed=1)
    plan = make_comparison(
        CATALOG, selection, asked, host("small"), SMALL, PLACES, "taskset", session="s", scenarios=("fruits",)
    )
    lines = _announcement(plan)
    assert not any("try --budget" in line for line in lines)
    assert "or of up to 20 % more where a drift has to be excluded, would be found in 95 of 100" in lines[-1]


@pytest.mark.parametrize("options", ["build", "start", "lifecycle", "smallest-heap"], indirect=True)
def test_the_subjects_of_the_example_exist(options: dict[str, Any]) -> None:
    named = options.get("subjects") or [options["subject"]]
    assert [CATALOG.subject(text) for text in named]
    if "rate" in options:
        context: Any = SimpleNamespace(catalog=CATALOG)
        assert [require_searchable(context, text, options["scenario"]) for text in named]


@pytest.mark.parametrize("options", ["new-variant"], indirect=True)
def test_the_name_of_the_example_is_free(options: dict[str, Any]) -> None:
    assert free_folder(CATALOG, options["name"], CATALOG.variant(options["like"]))


def test_run_names_a_longer_budget_before_it_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    selection = Selection(seed=1, only=("vertx-pg/*", "spring4-mvc-jdbc/*"), budget_s=600.0)
    plan = make_plan(CATALOG, selection, host("small"), SMALL, "taskset", session="s")

    def end(*_: object, **__: object) -> NoReturn:
        raise CannotGoOn("Ended.")

    monkeypatch.setattr("plumbline.measuring.run.context.open_context", lambda *_: None)
    monkeypatch.setattr("plumbline.measuring.run.planning.plan_session", lambda *_: plan)
    monkeypatch.setattr("plumbline.measuring.run.session.planned_session", end)
    command, _ = EXAMPLES["run"]
    ended = CliRunner().invoke(command, [], standalone_mode=False)
    assert isinstance(ended.exception, CannotGoOn)
    assert "and this budget may end before: try --budget 15m" in ended.stderr
