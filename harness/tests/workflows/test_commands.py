"""Every `./bench …` in a workflow is a command that exists, with options that the command has."""

from __future__ import annotations

import dataclasses
import re
import shlex

import click
import pytest

from plumbline.cli import bench
from plumbline.reporting.publish.publish import PublishOptions
from .reading import run_scripts

_BENCH = re.compile(r"\./bench (?P<words>.*?)(?= \|\| | && |$)", re.MULTILINE)
CALLS = sorted({match["words"] for _, script in run_scripts() for match in _BENCH.finditer(script)})


def problem(line: str) -> str | None:
    """Why click would refuse a line, whatever its variables hold; None if click would take the line."""
    words = shlex.split(line)
    command: click.Command = bench
    context = click.Context(command)
    while isinstance(command, click.Group):
        subcommand = command.get_command(context, words.pop(0)) if words else None
        if subcommand is None:
            return "no such command"
        command = subcommand
    options = {name: option for option in command.params for name in (*option.opts, *option.secondary_opts)}
    given_options: set[str | None] = set()
    arguments = 0
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            arguments += 1
            continue
        option = options.get(word)
        if not isinstance(option, click.Option):
            return f"no option {word}"
        given_options.add(option.name)
        if not option.is_flag and option.nargs == 1:
            if not words:
                return f"{word} needs a value"
            value = words.pop(0)
            if isinstance(option.type, click.Choice) and "$" not in value and value not in option.type.choices:
                return f"{word} can't be {value}"
    missing = [option.opts[0] for option in command.params if option.required and option.name not in given_options]
    wanted = [option for option in command.params if isinstance(option, click.Argument)]
    missing = [name for name in missing if name.startswith("-")]
    if missing:
        return f"{missing[0]} is missing"
    if arguments < sum(option.required for option in wanted):
        return "an argument is missing"
    if arguments > len(wanted) and all(option.nargs == 1 for option in wanted):
        return "an argument too many"
    return None


def test_the_pages_get_the_evidence_of_every_session_that_they_show() -> None:
    (fetched,) = [match[1] for call in CALLS if (match := re.search(r"ci data .* --newest (\d+)", call))]
    recent = {field.name: field.default for field in dataclasses.fields(PublishOptions)}["recent"]
    assert isinstance(recent, int) and int(fetched) > recent


def test_there_are_calls() -> None:
    assert any(call.startswith("run ") for call in CALLS) and any(call.startswith("ci ") for call in CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_understood(call: str) -> None:
    assert problem(call) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rnu", "no such command"),
        ("run --siute smoke", "no option --siute"),
        ("run --suite", "--suite needs a value"),
        ("plan --format tabel", "--format can't be tabel"),
        ("verify a b", "an argument too many"),
    ],
)
def test_a_wrong_call_would_be_found(line: str, expected: str) -> None:
    assert problem(line) == expected
