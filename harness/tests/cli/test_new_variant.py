"""What `./bench new-variant` asks in a terminal."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from plumbline.cli import new_variant_command
from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.catalog import read_catalog
from tests.catalog.tree import small_tree

MODEL = ("--like", "quarkus-rest-orm")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree for this test alone, and somebody at the terminal."""
    monkeypatch.setattr(new_variant_command, "ROOT", small_tree(tmp_path))
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(new_variant_command, "sys", terminal)
    return tmp_path


def asked(*words: str, answers: str) -> Result:
    return CliRunner().invoke(new_variant_command.command, words, input=answers)


def test_a_wrong_answer_is_asked_for_again_and_nothing_is_lost(root: Path) -> None:
    started = r"Javalin started in (?P<milliseconds>[0-9]+)ms"
    answers = f"Javalin\njavalin\nthreads\nvirtual\nstarted in ms\n{started}\n"
    ended = asked("javalin-mine", *MODEL, answers=answers)
    assert ended.exit_code == 0, ended.output
    for words in (
        "'Javalin' is no framework",
        "'threads' is no serves_on",
        "needs a group named 'seconds' or 'milliseconds'",
    ):
        assert words in ended.output
    spec = read_catalog(root).variant("javalin-mine").spec
    assert (spec.framework, spec.serves_on, spec.started) == ("javalin", "virtual", started)


def test_an_empty_answer_leaves_the_models_and_what_is_given_is_not_asked(root: Path) -> None:
    ended = asked("mine", *MODEL, "--framework", "javalin", "--ready", "^It listens", answers="\n")
    assert ended.exit_code == 0, ended.output
    assert ended.output.count("worker, event-loop, virtual or cli (") == 1
    assert "Framework, one word" not in ended.output and "Pattern" not in ended.output
    spec = read_catalog(root).variant("mine").spec
    assert (spec.framework, spec.serves_on, spec.ready) == ("javalin", "worker", "^It listens")


def test_a_framework_whose_log_names_no_time_is_asked_for_the_line_after_which_it_serves(root: Path) -> None:
    ended = asked("undertow-mine", *MODEL, answers="undertow\nworker\n\nUndertow serves\n")
    assert ended.exit_code == 0, ended.output
    spec = read_catalog(root).variant("undertow-mine").spec
    assert (spec.started, spec.ready) == (None, "Undertow serves")
    assert "in place of" not in ended.output


def test_nothing_is_asked_for_a_name_that_is_taken(root: Path) -> None:
    ended = asked("control", *MODEL, answers="javalin\n\n\n")
    assert isinstance(ended.exception, UsageError) and "apps/control already" in ended.exception.problem
    assert "Framework" not in ended.output
