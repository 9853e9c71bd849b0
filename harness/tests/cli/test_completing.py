"""Shell completion: the names of the catalog, of the rules and of the sessions measured here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from plumbline.cli import bench, completing, console
from plumbline.model.errors import UsageError
from tests.record.sessions import written


def offered(*words: str) -> list[str]:
    """The completions that a shell gets for these words, of which the last is half typed."""
    *args, typed = words
    return [item.value for item in ShellComplete(bench, {}, "bench", "_X").get_completions(args, typed)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "--suite", "sm"), "smoke"),
        (("plan", "--scenario", "fruits-m"), "fruits-mix"),
        (("run", "--only", "vertx"), "vertx-pg"),
        (("run", "--only", "control,vertx"), "control,vertx-pg"),
        (("build", "vertx-pg/a"), "vertx-pg/aot/pg"),
        (("start", "vertx-pg+db-t"), "vertx-pg+db-tls=require"),
        (("start", "vertx-pg/jvm/pg+db-tls=off+gc=se"), "vertx-pg/jvm/pg+db-tls=off+gc=serial"),
        (("start", "vertx-pg+po"), "vertx-pg+pool="),
        (("explain", "R2"), "R29"),
        (("history", "results", "--metric", "app_"), "app_cpu_us_per_request"),
    ],
)
def test_names_of_the_catalog_are_offered(words: tuple[str, ...], expected: str) -> None:
    offers = offered(*words)
    assert expected in offers
    assert all(name.startswith(words[-1]) for name in offers)


def test_a_setting_that_a_variant_lacks_is_not_offered() -> None:
    assert not [name for name in offered("start", "vertx-pg+") if "r2dbc" in name]


@pytest.mark.parametrize("words", [("show", "1", "--record"), ("judge",), ("verify",), ("report",), ("reproduce",)])
def test_sessions_are_offered(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "ROOT", tmp_path)
    results = tmp_path / "results" / "local"
    written(results)
    (results / "session").rename(results / "20261121T070000Z-lab-000001")
    assert offered(*words, "2026") == ["20261121T070000Z-lab-000001"]
    assert offered(*words, "2025") == []


def test_a_broken_catalog_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise UsageError("bench.toml is not valid TOML.", "Mend it.")

    monkeypatch.setattr(completing, "_catalog", broken)
    context = click.Context(click.Command("run"))
    assert completing.suites(context, click.Option(["--suite"]), "") == []


def test_a_half_typed_command_is_offered() -> None:
    assert offered("sim") == ["simulate"] and offered("com") == ["compare", "completion"]
    assert offered("ci", "prop") == ["propose"]


@pytest.fixture(scope="module")
def of_bash() -> str:
    """What `./bench completion bash` prints."""
    return CliRunner().invoke(bench, ["completion", "bash"]).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "replaced", "expected"),
    [
        ("bench run --suite sm", "sm", "smoke"),
        ("bench start vertx-pg+db-t", "vertx-pg+db-t", "vertx-pg+db-tls=require"),
        ("bench start vertx-pg+db-tls=re", "re", "require"),
        ("bench start vertx-pg+db-tls=off+gc=", "", "serial"),
        ("bench compare vertx-pg+pool=5 vertx", "vertx", "vertx-pg"),
        ("bench explain ", "", "R29"),
    ],
)
def test_bash_is_offered_what_stands_behind_an_equals_sign(
    line: str, replaced: str, expected: str, of_bash: str
) -> None:
    """Bash breaks words at `=`, and replaces only the last part, `replaced`, by an answer."""
    script = f"""
        {of_bash}
        COMP_LINE=$1 COMP_POINT=${{#1}}
        _bench_completion {console.ROOT}/bench
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    process = subprocess.run(["bash", "-c", script, "bash", line], capture_output=True, text=True, check=True)
    replies = process.stdout.splitlines()
    assert expected in replies and not process.stderr
    assert all(name.startswith(replaced) for name in replies)


_ZSH = """
    compdef() { : }
    compadd() { print -rl -- $plain }
    _describe() { print -rl -- ${described/:/$'\\t'} }
    source <(bench=$1; $bench completion zsh)
    words=(${(s: :)2}) CURRENT=${#words}
    [[ $2 == *' ' ]] && { words+=('') CURRENT=${#words} }
    cd /
    _bench_completion
"""
_FISH = "$argv[1] completion fish | source; cd /; complete -C $argv[2]"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run --suite sm", "smoke"),
        ("run --only control,vertx-pg/j", "control,vertx-pg/jvm/pg"),
        ("start vertx-pg+db-t", "vertx-pg+db-tls=require"),
        ("start vertx-pg+db-tls=off+gc=", "vertx-pg+db-tls=off+gc=serial"),
        ("explain ", "R29"),
        ("comp", "compare"),
    ],
)
def test_zsh_and_fish_ask_the_program_that_was_typed(shell: str, line: str, expected: str) -> None:
    """The program need not be on PATH, and an answer may have a comma."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = f"{console.ROOT}/bench"
    script = ["zsh", "-f", "-c", _ZSH, "zsh"] if shell == "zsh" else ["fish", "--no-config", "-c", _FISH]
    process = subprocess.run([*script, program, f"{program} {line}"], capture_output=True, text=True, check=True)
    offers = [line_offered.partition("\t")[0] for line_offered in process.stdout.splitlines()]
    assert expected in offers and not process.stderr
    assert all(name.startswith(line.rpartition(" ")[2]) for name in offers)
