"""Which checks `./bench test` runs when it is asked for some."""

from __future__ import annotations

import click
import pytest

from plumbline.cli.test_command import Check, _wanted, command

CHECKS = (
    Check("unit tests", []),
    Check("live tests", [], live=True),
    Check("campaign", [], live=True, workflows=True),
    Check("faults", [], live=True, faults=True),
    Check("host", [], live=True, host=True),
    Check("site everywhere", [], everywhere=True),
)


@pytest.mark.parametrize(
    ("quick", "only", "workflows", "site", "faults", "host", "names"),
    [
        (False, (), False, False, False, False, ["unit tests", "live tests"]),
        (True, (), False, False, False, False, ["unit tests"]),
        (False, (), False, False, True, False, ["faults"]),
        (False, (), True, False, True, False, ["campaign", "faults"]),
        (False, (), False, True, False, False, ["site everywhere"]),
        (False, (), False, False, True, True, ["faults", "host"]),
        (False, ("faults",), False, False, False, False, ["faults"]),
        (True, ("faults", "unit tests"), False, False, False, False, ["unit tests"]),
    ],
)
def test_what_is_asked_for_is_run_and_nothing_else(
    quick: bool,
    only: tuple[str, ...],
    workflows: bool,
    site: bool,
    faults: bool,
    host: bool,
    names: list[str],
) -> None:
    chosen = [check.name for check in CHECKS if _wanted(check, quick, only, workflows, site, faults, host)]
    assert chosen == names


@pytest.mark.parametrize(
    ("given", "names"), [(("",), ()), (("format, lint", "types"), ("format", "lint", "types")), ((), ())]
)
def test_names_come_with_commas_and_an_empty_one_asks_for_nothing(
    given: tuple[str, ...], names: tuple[str, ...]
) -> None:
    option = next(one for one in command.params if one.name == "only")
    assert option.callback is not None
    assert option.callback(click.Context(command), option, given) == names
