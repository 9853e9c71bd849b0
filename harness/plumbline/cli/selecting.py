"""Options that select what is measured, and how their values are refused."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import date, datetime
from typing import Any

import click
from click.core import ParameterSource
from pydantic import TypeAdapter, ValidationError

from plumbline.model.errors import UsageError
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan
from plumbline.subjects.plan.make import Selection
from . import completing
from .console import options_as


class TimeBudget(click.ParamType[float]):
    """The type of an option that takes a time with its unit, as in bench.toml."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from plumbline.subjects.catalog.bench import Seconds

        try:
            seconds: float = TypeAdapter(Seconds).validate_python(value)
        except ValidationError:
            self.fail(f"'{value}' is no time with a unit, such as 90s, 20m or 2h.", param, ctx)
        if seconds <= 0:
            self.fail("a budget must be more than nothing.", param, ctx)
        return seconds


class NumberRange(click.FloatRange):
    """The type of an option that takes a number of a range, and refuses `nan`, which every range lets through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"'{value}' is no number.", param, ctx)
        return number


class MostPairs(click.ParamType[int]):
    """The type of an option that takes an even number of pairs."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(click.IntRange(4, 26).convert(value, param, ctx))
        if number % 2:
            self.fail(f"{number} is odd: pairs take turns, so they come in twos.", param, ctx)
        return number


def _split_at_commas(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for text in texts for part in text.replace(",", " ").split())


only_option = click.option(
    "--only",
    multiple=True,
    metavar="GLOB[,GLOB]",
    callback=_split_at_commas,
    shell_complete=completing.subjects,
    help="Only subjects that match. May be repeated.",
)
scenario_option = click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="NAME[,NAME]",
    callback=_split_at_commas,
    shell_complete=completing.scenarios,
    help="Only these scenarios. May be repeated.",
)


def _to_day(context: click.Context, parameter: click.Parameter, moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


night_option = click.option(
    "--night",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    callback=_to_day,
    help="The night whose part of a suite's rotation is measured without --only; today's in UTC when left out.",
)


def _to_four_digits(context: click.Context, parameter: click.Parameter, number: float) -> float:
    return round(number, 4)


scale_option = click.option(
    "--scale",
    type=NumberRange(0.01, 1.0),
    default=1.0,
    show_default=True,
    metavar="SHARE",
    callback=_to_four_digits,
    help="Run the suite at this share of its times, batches and blocks, on a small machine. Its numbers are never"
    " set beside those of another scale.",
)
prove_option = click.option(
    "--prove",
    is_flag=True,
    help="Add trials at the end that show what limits a subject: other CPUs (R2), twice the connections (R6). None of "
    "their figures counts.",
)
suite_option = click.option(
    "--suite", shell_complete=completing.suites, help="A suite of bench.toml; the default one when left out."
)
blocks_option = click.option(
    "--blocks", type=click.IntRange(1, 200), help="Trials of each subject, instead of the suite's."
)
budget_option = click.option(
    "--budget",
    "budget_s",
    type=TimeBudget(),
    help="Go on until every order within a class is decided, at most for this time, such as 30m; with --blocks at "
    "most so many blocks. Trials that prove what limits a subject come on top.",
)


def short_budget_words(first_look: str, needed_s: float) -> str:
    """Return the warning that a budget may end before its first look, after `6 pairs`, which need so many seconds."""
    return (
        f"the first look needs {first_look}, and this budget may end before: try --budget {math.ceil(needed_s / 60)}m"
    )


def found_words(change: float, host_class: HostClass) -> str:
    """Return `a difference of 4 %, or of up to 2 % more where a drift has to be excluded,`.

    The limit within which a figure is proven steady on this kind of host is the most that its drift can take away.
    """
    from plumbline.verdicts.figures.proof import limit_of
    from plumbline.verdicts.judge.wording import percent, sized

    more = percent(limit_of(host_class))
    return f"a difference of {sized(change)}, or of up to {more} more where a drift has to be excluded,"


seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), help="Seed of the order of trials; drawn when left out."
)
resume_option = click.option(
    "--resume",
    is_flag=False,
    flag_value="",
    metavar="[SESSION]",
    shell_complete=completing.interrupted,
    help="Go on with an interrupted session, the newest one when none is named.",
)


def refuse_other_options(allowed: Collection[str], reason: str) -> None:
    """Raise UsageError for arguments and options of the command line that are not among the parameters `allowed`."""
    context = click.get_current_context()
    others = [
        parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
        for parameter in context.command.params
        if parameter.name is not None
        and parameter.name not in allowed
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        and context.params[parameter.name] not in (None, (), "off")
    ]
    if others:
        raise UsageError(f"{reason}, and {', '.join(others)} would change nothing.", "Leave it out.")


def require_resumed_by(command: str, plan: Plan) -> None:
    """Raise UsageError if another command goes on with the interrupted session of this plan."""
    if plan.resumed_by != command:
        raise UsageError(
            f"`./bench {command}` does not go on with the session {plan.session}.",
            f"Go on by `./bench {plan.resumed_by} --resume {plan.session}`.",
        )


with_selection_options = options_as(
    "selection",
    Selection,
    (
        suite_option,
        only_option,
        scenario_option,
        night_option,
        scale_option,
        prove_option,
        blocks_option,
        budget_option,
        seed_option,
    ),
)
"""Gives a command the options of a session."""
