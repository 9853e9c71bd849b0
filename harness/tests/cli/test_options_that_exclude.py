"""Options of which one would be ignored, and documents that `--json` prints once or not at all."""

from __future__ import annotations

import errno
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import click
import pytest
from click.testing import CliRunner

from laboratory.versions import versions_command
from plumbline.cli import (
    build_command,
    check_variant_command,
    clean_command,
    compare_command,
    plan_command,
    report_command,
    reproduce_command,
    run_command,
    systems_command,
)
from plumbline.measuring.launch import lock
from plumbline.measuring.run import session
from plumbline.measuring.run.journal import Journal
from plumbline.model.comparison import Reproduces
from plumbline.model.errors import UsageError
from plumbline.model.plan import Plan
from tests.judge.planned import plan
from tests.record.comparisons import FAST, SLOW, comparison_plan

WITHOUT_CONTRACT = "only count, and would not ask for the contract"


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        (build_command.command, ["vertx-pg", "--all"], "Name what to build, or say --all."),
        (build_command.command, [], "Name what to build, or say --all."),
        (check_variant_command.command, ["vertx-pg", "--contract-only", "--round-trips"], WITHOUT_CONTRACT),
        (check_variant_command.command, ["vertx-pg", "--case", "hello", "--pinned"], WITHOUT_CONTRACT),
        (plan_command.command, ["--format", "github", "--json"], "--format github has a form of its own."),
        (plan_command.command, ["--format", "kubernetes", "--json"], "--format kubernetes has a form of its own."),
        (plan_command.command, ["--changed-since", "HEAD", "--history", "."], "and --history would change nothing"),
        (plan_command.command, ["--changed-since", "HEAD", "--seed", "1", "--app", "."], "and --seed, --app would"),
        (systems_command.command, ["--write", "--check"], "--write puts the table into README.md, and --check would"),
        (
            versions_command,
            ["--only", "quarkus", "--raise", "unknown"],
            "--raise names what it raises, and --only would",
        ),
        (report_command.command, ["--study-into", "page.md", "--json"], "--study-into writes a page"),
        (report_command.command, ["--study-into", "page.md", "--output", "."], "--study-into writes a page"),
        (run_command.command, ["--resume", "--budget", "5m"], "--resume goes on with what was asked, and --budget"),
        (run_command.command, ["--resume", "--quick"], "--resume goes on with what was asked, and --quick"),
        (run_command.command, ["--resume", "x", "--only", "a", "--prove"], "and --only, --prove would change nothing"),
    ],
)
def test_options_that_exclude_one_another_are_refused(command: click.Command, words: list[str], said: str) -> None:
    ended = CliRunner().invoke(command, words, standalone_mode=False)
    assert isinstance(ended.exception, UsageError), ended.exception
    assert said in ended.exception.problem and ended.exception.next_step
    assert ended.stdout == ""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    paths = SimpleNamespace(scratch=tmp_path / "scratch", cache=tmp_path / "cache")
    monkeypatch.setattr(clean_command, "user_paths", lambda: paths)
    logs = tmp_path / "cache" / "logs"
    logs.mkdir(parents=True)
    (logs / "log").write_text("words")
    return logs


def cleaned(*words: str) -> tuple[str, BaseException | None]:
    ended = CliRunner().invoke(clean_command.command, ["--what", "logs", "--json", *words], standalone_mode=False)
    return ended.stdout, ended.exception


def test_a_document_of_what_is_kept_is_printed_once(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held() -> NoReturn:
        raise UsageError("Another session runs.", "Wait for it.")

    stdout, exception = cleaned()
    assert (stdout, type(exception), places.is_dir()) == ("", click.Abort, True)
    with monkeypatch.context() as patched:
        patched.setattr(lock, "MachineLock", held)
        stdout, exception = cleaned("--yes")
        assert (stdout, type(exception), places.is_dir()) == ("", UsageError, True)
    monkeypatch.setattr(lock, "MachineLock", lambda: lock_of_nobody())
    stdout, exception = cleaned("--yes")
    assert (json.loads(stdout)["logs"]["bytes"], exception, places.is_dir()) == (5, None, False)


def test_a_removal_that_is_interrupted_leaves_no_half_folder(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(folder: Path, ignore_errors: bool) -> None:
        if folder.exists():
            raise KeyboardInterrupt

    monkeypatch.setattr(lock, "MachineLock", lambda: lock_of_nobody())
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", interrupted)
        cleaned("--yes")
    assert not places.exists() and list(places.parent.iterdir()) != []
    cleaned("--yes")
    assert list(places.parent.iterdir()) == []


def test_all_is_removed_but_the_environment_that_runs(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = places.parent
    for part in ("env/running", "env/older", "env/.building-newer", "site/build", "history/extracts"):
        (cache / part).mkdir(parents=True)
        (cache / part / "file").write_text("words")
    monkeypatch.setattr(lock, "MachineLock", lambda: lock_of_nobody())
    monkeypatch.setattr(sys, "prefix", str(cache / "env" / "running"))
    shown = json.loads(CliRunner().invoke(clean_command.command, ["--json"], standalone_mode=False).stdout)
    assert {name: row["bytes"] for name, row in shown.items() if row["bytes"]} == {
        "logs": 5,
        "env": 15,
        "site": 5,
        "history": 5,
    }
    CliRunner().invoke(clean_command.command, ["--what", "all", "--yes"], standalone_mode=False)
    assert sorted(path.name for path in (cache / "env").iterdir()) == [".building-newer", "running"]
    assert [path.name for path in cache.iterdir()] == ["env"]


def test_a_folder_that_may_not_be_renamed_is_emptied_in_place(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder above belongs to somebody else."""

    def refused(self: Path, target: Path) -> Path:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(lock, "MachineLock", lambda: lock_of_nobody())
    monkeypatch.setattr(Path, "rename", refused)
    cleaned("--yes")
    assert not places.exists()


class lock_of_nobody:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


REPRODUCES = Reproduces(session="there", record_sha256="0" * 64, commit="0" * 40, host="there", ratios=())


def interrupted(root: Path, whole: Plan) -> None:
    running = root / "results" / "local" / ".running" / whole.session
    running.mkdir(parents=True)
    Journal(running).write("plan", plan=whole.model_dump(mode="json"), started_at="2026-11-21T09:00:00Z", options={})


@pytest.mark.parametrize(
    ("whole", "other"),
    [
        (comparison_plan(FAST, SLOW), "compare"),
        (plan(), "run"),
        (comparison_plan(FAST, SLOW).model_copy(update={"reproduces": REPRODUCES}), "run"),
    ],
)
def test_a_session_goes_on_by_the_command_that_can_tell_how_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Plan, other: str
) -> None:
    interrupted(tmp_path, whole)
    refusing: Any = {"compare": run_command, "run": compare_command}[other]
    monkeypatch.setattr(refusing, "ROOT", tmp_path)
    ended = CliRunner().invoke(refusing.command, ["--resume"], standalone_mode=False)
    assert isinstance(ended.exception, UsageError), ended.exception
    assert ended.exception.next_step == f"Go on by `./bench {other} --resume {whole.session}`."


@pytest.mark.parametrize(("word", "status"), [("agrees", 0), ("disagrees", 1)])
def test_a_reproduction_that_goes_on_ends_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, status: int
) -> None:
    whole = plan().model_copy(update={"reproduces": REPRODUCES})
    interrupted(tmp_path, whole)
    agreement = SimpleNamespace(word=word, model_dump=lambda mode: {"word": word})
    record = SimpleNamespace(plan=whole, agreements=[agreement], trials=[SimpleNamespace(verdict="invalid")])
    resumed = SimpleNamespace(run=lambda: SimpleNamespace(record=record))
    documents: list[dict[str, Any]] = []
    monkeypatch.setattr(run_command, "ROOT", tmp_path)
    monkeypatch.setattr("plumbline.measuring.run.context.open_context", lambda *_: None)
    monkeypatch.setattr(session, "resumed_session", lambda *_: resumed)
    monkeypatch.setattr(reproduce_command, "report_session", lambda finished, document: documents.append(document))
    ended = CliRunner().invoke(run_command.command, ["--resume", "--json"], standalone_mode=False)
    assert (ended.exception, ended.return_value) == (None, status)
    assert (documents[0]["reproduces"], documents[0][word]) == ("there", 1)
