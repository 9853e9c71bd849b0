"""Which checks `./bench test` runs when some of them are asked for."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import settings

from laboratory import test_command
from laboratory.checks import DAMAGE_TESTS, Check, CheckResult, Tier, checks
from laboratory.set_up import set_up
from laboratory.test_command import choose, command
from plumbline.cli.console import ROOT
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from tests.live.test_contract import SHORT

CHECKS = (
    Check("unit tests", "quick", []),
    Check("live tests", "whole", []),
    Check("long live tests", "live", []),
    Check("campaign", "workflows", []),
    Check("faults", "faults", []),
    Check("host", "host", []),
    Check("containers", "containers", []),
    Check("site everywhere", "site", []),
)


@pytest.mark.parametrize(
    ("quick", "only", "tiers", "names"),
    [
        (False, (), (), ["unit tests", "live tests"]),
        (True, (), (), ["unit tests"]),
        (False, (), ("live",), ["long live tests"]),
        (False, (), ("faults",), ["faults"]),
        (False, (), ("workflows", "faults"), ["campaign", "faults"]),
        (False, (), ("site",), ["site everywhere"]),
        (False, (), ("faults", "host"), ["faults", "host"]),
        (False, (), ("containers",), ["containers"]),
        (False, ("faults",), (), ["faults"]),
        (False, ("live tests", "unit tests"), (), ["unit tests", "live tests"]),
        (True, ("faults", "unit tests"), (), ["unit tests"]),
        # In a fork whose owner wants few checks, the job of the workflows runs those as well.
        (False, ("unit tests",), ("workflows",), ["unit tests"]),
    ],
)
def test_what_is_asked_for_is_run_and_nothing_else(
    quick: bool, only: tuple[str, ...], tiers: tuple[Tier, ...], names: list[str]
) -> None:
    assert [check.name for check in choose(CHECKS, only, tiers, quick=quick)] == names


def test_a_name_that_is_not_known_is_refused_and_so_is_an_empty_choice() -> None:
    with pytest.raises(UsageError, match="no check 'units'"):
        choose(CHECKS, ("units",), (), quick=False)
    with pytest.raises(UsageError, match="None of these checks is a quick one"):
        choose(CHECKS, ("live tests",), (), quick=True)


def test_the_help_names_the_variants_that_short_live_tests_build() -> None:
    variants = " and ".join(Subject.parse(text).variant for text in SHORT)
    assert f"Live tests build {variants.replace('control', 'the control')}," in " ".join((command.help or "").split())


def test_the_quick_ones_need_no_browser_no_npm_and_no_library(tmp_path: Path) -> None:
    all_checks = checks(tmp_path, quick=True)
    quick = [check for check in all_checks if check.tier == "quick"]
    assert {"format", "lint", "types", "shell", "unit tests"} == {check.name for check in quick}
    for check in quick:
        assert check.needs == frozenset()
        assert not [word for argv in check.steps for word in argv if "npm" in word or "node" in word]
    assert [check.name for check in all_checks if "browser" in check.needs]


def test_bytecode_is_kept_where_an_image_switches_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    python = (sys.executable, "-c", "import sys; sys.exit(sys.dont_write_bytecode)")
    assert Check("x", "quick", [python]).run({}).passed


def test_a_formatter_that_fails_ends_with_the_command_that_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (formats,) = choose(checks(tmp_path), ("format",), (), quick=True)
    assert formats.remedy in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for status, ends in ((1, True), (0, False)):
        replace(formats, steps=[(sys.executable, "-c", f"raise SystemExit({status})")]).run({})
        last_line = capsys.readouterr().err.splitlines()[-1]
        assert last_line.endswith(formats.remedy) == ends


def test_skipped_tests_are_counted(tmp_path: Path) -> None:
    tests = tmp_path / "test_some.py"
    tests.write_text("import pytest\n\n\ndef test_a():\n    pytest.skip('no')\n\n\ndef test_b():\n    pass\n")
    pytest_on = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tests))
    result = Check("x", "quick", [pytest_on]).run({})
    assert (result.passed, result.skipped) == (True, 1)


def last_lines(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Run the command on checks of which two pass, with three skipped tests in one; return what it says of them."""
    monkeypatch.setattr(test_command, "checks", lambda *_, **__: CHECKS)
    monkeypatch.setattr(test_command, "set_up", lambda *_: {})
    monkeypatch.setattr(
        Check, "run", lambda check, _: CheckResult(check.name, True, 1.0, 3 if check.name == "live tests" else 0)
    )
    return CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False).output.splitlines()


def test_the_last_lines_name_skips_and_checks_that_were_asked_for_and_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert last_lines(monkeypatch)[-3:] == [
        "passed  unit tests (1 s)",
        "passed  live tests (1 s), 3 skipped",
        "checks: 2 passed, 0 failed",
    ]
    assert last_lines(monkeypatch, "--quick", "--only", "unit tests,live tests")[-2:] == [
        "not run live tests",
        "checks: 1 passed, 0 failed",
    ]
    assert last_lines(monkeypatch, "--live", "--only", "unit tests")[-2] == "not run long live tests"


@pytest.mark.parametrize(
    "words", [["--promises", "--injected"], ["--promises", "--live"], ["--injected", "--only", "format"]]
)
def test_what_runs_alone_is_asked_for_alone(words: list[str]) -> None:
    with pytest.raises(UsageError, match="runs alone"):
        CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the checks that the command runs, none of which does anything."""
    names: list[str] = []

    def run(check: Check, _: object) -> CheckResult:
        names.append(check.name)
        return CheckResult(check.name, True, 1.0, 0)

    monkeypatch.setattr(test_command, "set_up", lambda *_: {})
    monkeypatch.setattr(Check, "run", run)
    return names


@pytest.mark.parametrize(
    "words", [["--quick"], ["--live"], ["--faults"], ["--host"], ["--live", "--host"], ["--only", "format,shell"]]
)
def test_every_variant_is_not_asked_for_where_no_check_takes_it(words: list[str], ran: list[str]) -> None:
    with pytest.raises(UsageError, match="--all would change none of these checks"):
        CliRunner().invoke(command, ["--all", *words], standalone_mode=False, catch_exceptions=False)
    assert ran == []


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "live tests"),
        (["--only", "systems"], "systems"),
        (["--containers"], "containers"),
        (["--host", "--containers"], "host"),
    ],
)
def test_every_variant_is_asked_for_with_the_checks_that_take_it(words: list[str], name: str, ran: list[str]) -> None:
    CliRunner().invoke(command, ["--all", *words], standalone_mode=False, catch_exceptions=False)
    assert name in ran


def test_containers_are_refused_in_a_sentence_where_nothing_runs_them(tmp_path: Path) -> None:
    tiers: tuple[Tier, ...] = ("containers",)
    (check,) = choose(checks(tmp_path), (), tiers, quick=False)
    with pytest.raises(UsageError, match="No container can run here: there is neither podman nor docker"):
        set_up(check.needs, {"PATH": str(tmp_path)})


def test_faults_are_put_into_what_a_session_leaves_as_well(tmp_path: Path) -> None:
    tiers: tuple[Tier, ...] = ("faults",)
    (faults,) = choose(checks(tmp_path), (), tiers, quick=False)
    assert set(DAMAGE_TESTS) < set(faults.steps[0])
    assert [name for name in DAMAGE_TESTS if not (ROOT / name).is_file()] == []


def test_slow_tests_and_most_examples_are_left_out_of_the_quick_ones_alone(tmp_path: Path) -> None:
    for quick in (True, False):
        units = next(check for check in checks(tmp_path, quick=quick) if check.name == "unit tests")
        assert ("not slow" in units.steps[0]) == quick
        assert ("--hypothesis-profile" in units.steps[0]) == quick
    assert settings.get_profile("quick").max_examples < settings.get_profile("plumbline").max_examples


def test_a_live_test_is_a_short_one_or_a_long_one_and_all_takes_both(tmp_path: Path) -> None:
    first_steps = {check.name: check.steps[0] for check in checks(tmp_path)}
    assert ("-m", "not slow") in pairwise(first_steps["live tests"])
    assert ("-m", "slow") in pairwise(first_steps["long live tests"])
    live_tests = next(check for check in checks(tmp_path, every=True) if check.name == "live tests")
    assert not {"slow", "not slow"} & set(live_tests.steps[0])


def test_a_test_module_has_the_name_by_which_others_import_it() -> None:
    assert __name__ == "tests.laboratory.test_checks", "by another name it would be loaded a second time"


@pytest.mark.parametrize(
    ("given", "names"), [(("",), ()), (("format, lint", "types"), ("format", "lint", "types")), ((), ())]
)
def test_names_come_with_commas_and_an_empty_one_asks_for_nothing(
    given: tuple[str, ...], names: tuple[str, ...]
) -> None:
    option = next(parameter for parameter in command.params if parameter.name == "only")
    assert option.callback is not None
    assert option.callback(click.Context(command), option, given) == names
