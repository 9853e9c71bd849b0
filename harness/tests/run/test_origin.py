"""A record names the checkout and the tools that measured: nobody goes on with a session by others."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from plumbline.machine.tools.git import commit_of
from plumbline.measuring.run import measure as measuring
from plumbline.measuring.run import session as module
from plumbline.measuring.run.built import Built
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.finish import provenance
from plumbline.measuring.run.journal import Journal, Journaled, SessionOptions, read_journal
from plumbline.measuring.run.origin import origin_of, require_unchanged
from plumbline.measuring.run.session import Session
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import PlannedTrial
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, host, plan
from tests.run.clones import ROOT, context, git
from tests.run.test_duet import Silent


class WentOnError(Exception):
    """The session went on to its builds."""


def here(clone: Path, k6: str = "2.2.0") -> Context:
    opened = context(clone)
    jdk = SimpleNamespace(home=clone, java=clone / "java", vendor="Temurin", build="25.0.9")
    opened.__dict__.update(jdk=jdk, k6=SimpleNamespace(version=k6, origin="release"))
    return opened


def begun(folder: Path, clone: Path) -> Journaled:
    """A journal of a session that has a trial."""
    folder.mkdir()
    journal, origin = Journal(folder), origin_of(here(clone)).model_dump(mode="json")
    planned = plan().model_copy(update={"subjects": ()})
    journal.write("plan", plan=planned.model_dump(mode="json"), started_at="now", options={})
    journal.write("built", artifacts={}, origin=origin)
    journal.write("trial", number=1, cpu_s={}, took_s=20.0)
    return read_journal(folder)


def gone_on(opened: Context, journaled: Journaled, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go on with the session up to its builds."""

    def build(*words: Any) -> None:
        raise WentOnError

    monkeypatch.setattr(module, "MachineLock", lambda: nullcontext(SimpleNamespace(descriptor=0)))
    monkeypatch.setattr(module, "sweep", lambda opened: None)
    monkeypatch.setattr(module, "sources_of", build)
    Session(opened, journaled, folder, Silent(), is_new=False).run()


def commit(clone: Path) -> None:
    (clone / "README.md").write_text("new")
    git(clone, "add", "README.md")
    git(clone, "commit", "-qm", "third")


def other_answers(clone: Path) -> None:
    (clone / "apps" / "contract" / "budgets.toml").write_text("")


def other_settings(clone: Path) -> None:
    with (clone / "bench.toml").open("a") as file:
        file.write("\n# another host\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (commit, "the commit changed"),
        (other_answers, "apps/contract/ changed"),
        (other_settings, "bench.toml changed"),
    ],
)
def test_a_changed_checkout_is_refused_before_anything_is_built(
    clone: Path, tmp_path: Path, change: Callable[[Path], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, first = tmp_path / "running", git(clone, "rev-parse", "HEAD")
    journaled = begun(folder, clone)
    change(clone)
    with pytest.raises(UsageError) as refused:
        gone_on(here(clone), journaled, folder, monkeypatch)
    assert f"(commit {first[:12]}), {words}, and its record can name but one state" in refused.value.problem
    assert refused.value.next_step is not None and "Bring that state back" in refused.value.next_step


def test_another_k6_is_refused(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journaled = begun(tmp_path / "running", clone)
    with pytest.raises(UsageError, match="k6 changed"):
        gone_on(here(clone, k6="2.3.0"), journaled, tmp_path / "running", monkeypatch)


def test_another_kernel_is_refused_since_the_record_names_one(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journaled, booted_anew = begun(tmp_path / "running", clone), here(clone)
    booted_anew.__dict__["host"] = host("small").model_copy(update={"kernel": "6.99", "microcode": "0xff"})
    with pytest.raises(UsageError, match="the kernel and its microcode changed, and its record can name but one"):
        gone_on(booted_anew, journaled, tmp_path / "running", monkeypatch)


def test_what_nobody_noted_is_not_gone_on_with(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journaled = replace(begun(tmp_path / "running", clone), origin=None)
    with pytest.raises(UsageError, match="begun by an older harness"):
        gone_on(here(clone), journaled, tmp_path / "running", monkeypatch)


def test_an_unchanged_checkout_goes_on_and_a_session_without_trials_begins_anew(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "running"
    journaled = begun(folder, clone)
    (clone / "harness" / "plumbline" / "__pycache__").mkdir(parents=True)
    (clone / "harness" / "plumbline" / "__pycache__" / "a.pyc").write_text("compiled")
    with pytest.raises(WentOnError):
        gone_on(here(clone), journaled, folder, monkeypatch)
    commit(clone)
    nothing_measured = replace(journaled, trials=set())
    with pytest.raises(WentOnError):
        gone_on(here(clone), nothing_measured, folder, monkeypatch)
    assert nothing_measured.origin == origin_of(here(clone))


def built_from(inputs_sha256: str, sha256: str) -> Any:
    build = SimpleNamespace(inputs_sha256=inputs_sha256, sha256=sha256)
    return Built(plan(), cast(Any, None), {(None, CONTROL): cast(Any, SimpleNamespace(build=build))})


def begun_again(folder: Path, clone: Path, trials: int, built: Any) -> None:
    """Begin a session again that was built from `inputs` to `bytes`, and has so many trials."""
    folder.mkdir()
    opened, journal = here(clone), Journal(folder)
    journal.write("plan", plan=plan().model_dump(mode="json"), started_at="now", options={})
    origin = origin_of(opened).model_dump(mode="json")
    journal.write("built", artifacts=built_from("inputs", "bytes").digests, origin=origin)
    for number in range(1, trials + 1):
        journal.write("trial", number=number, cpu_s={}, took_s=20.0)
    Session(opened, read_journal(folder), folder, Silent(), is_new=False)._begin(built)


@pytest.mark.parametrize("digests", [("others", "bytes"), ("inputs", "others")])
def test_trials_go_on_only_with_the_same_artifacts(clone: Path, tmp_path: Path, digests: tuple[str, str]) -> None:
    begun_again(tmp_path / "same", clone, 1, built_from("inputs", "bytes"))
    with pytest.raises(UsageError, match=f"{CONTROL} is not what it was when the session .* began"):
        begun_again(tmp_path / "others", clone, 1, built_from(*digests))
    # Without a trial there is nothing to be the same as.
    begun_again(tmp_path / "anew", clone, 0, built_from(*digests))
    assert read_journal(tmp_path / "anew").artifacts == built_from(*digests).digests


def other_load(clone: Path) -> None:
    # The clone's is a link to the folder of this checkout.
    (clone / "k6").unlink()
    shutil.copytree(ROOT / "k6", clone / "k6")
    with (clone / "k6" / "scenarios" / "fruits.ts").open("a") as file:
        file.write("\n// other requests\n")


def link_to_nothing(clone: Path) -> None:
    (clone / "apps" / "contract" / "more.toml").symlink_to("gone.toml")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (other_answers, "apps/contract/ changed"),
        (other_load, "k6/ changed"),
        (link_to_nothing, "apps/contract/ changed"),
    ],
)
def test_a_trial_during_which_its_files_changed_does_not_count(
    clone: Path, tmp_path: Path, change: Callable[[Path], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, whole = here(clone), plan()
    opened.__dict__["host"] = host()
    journal = Journal(tmp_path)
    journal.write("plan", plan=whole.model_dump(mode="json"), started_at="now", options={})
    journal.write("built", artifacts={}, origin=origin_of(opened).model_dump(mode="json"))
    session = Session(opened, read_journal(tmp_path), tmp_path, Silent(), is_new=True)

    def run_trial(testbed: Any, trial: PlannedTrial, progress: Any) -> Evidence:
        if trial.number == 3:
            change(clone)
        return evidence(trial, whole.sets)

    monkeypatch.setattr(measuring, "run_trial", run_trial)
    monkeypatch.setattr(measuring, "keep_logs", lambda work, target: None)
    monkeypatch.setattr(measuring, "revive_database", lambda testbed, progress: None)
    testbed: Any = SimpleNamespace(work=tmp_path, sets=None)
    built: Any = SimpleNamespace(not_built={}, job=lambda trial: trial)
    unused: Any = None
    run = measuring.Measuring(
        opened, read_journal(tmp_path), whole, tmp_path, Silent(), lambda: None, session._require_unchanged, unused
    )
    with pytest.raises(CannotGoOn) as ended:
        run.run([testbed], built, None)
    assert f"{words}, and its record can name but one state" in ended.value.problem
    assert f"./bench run --resume {whole.session}" in ended.value.next_step
    assert read_journal(tmp_path).trials == {1, 2}


def test_what_an_editor_leaves_beside_an_open_file_is_no_change(clone: Path) -> None:
    begun_with, folder = origin_of(here(clone)), clone / "apps" / "contract"
    for name in (".budgets.toml.swp", "budgets.toml~", "#budgets.toml#"):
        (folder / name).write_text("open")
    (folder / ".#budgets.toml").symlink_to("me@host.4711")
    require_unchanged("a session", "run", begun_with, clone)
    assert origin_of(here(clone)).measuring == begun_with.measuring


def test_the_record_names_what_the_session_began_with(clone: Path) -> None:
    first = git(clone, "rev-parse", "HEAD")
    journaled = Journaled(plan(), "now", SessionOptions(), origin=origin_of(here(clone)))
    commit(clone)
    named = provenance(here(clone), journaled, (), {"server_version": "18.6"}, "later")
    assert (named.commit, named.dirty, named.jdk, named.k6) == (first, False, "Temurin 25.0.9", "k6 2.2.0 (release)")


@pytest.mark.parametrize("new", ["apps/vertx-pg/src/main/java/New.java", "harness/plumbline/new.py"])
def test_a_new_file_that_is_measured_makes_the_checkout_dirty(clone: Path, new: str) -> None:
    (clone / new).parent.mkdir(parents=True, exist_ok=True)
    (clone / new).write_text("new")
    assert origin_of(here(clone)).dirty is True


def test_what_builds_sessions_and_workflows_leave_makes_no_checkout_dirty(clone: Path) -> None:
    shutil.copy(ROOT / ".gitignore", clone)
    git(clone, "add", ".gitignore")
    git(clone, "commit", "-qm", "third")
    left = (
        *("apps/vertx-pg/target/app.jar", "harness/plumbline/__pycache__/a.pyc", "results/local/one/record.json"),
        *("packs/head/a.tar", "data/runs/one.json", "apps/vertx-pg/.idea/workspace.xml"),
    )
    for name in left:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text("left")
    assert origin_of(here(clone)).dirty is False


def test_a_variant_from_outside_the_tree_is_in_no_commit(clone: Path) -> None:
    opened = here(clone)
    guest = replace(opened, catalog=replace(opened.catalog, guests=("vertx-pg",)))
    guest.__dict__.update(jdk=opened.jdk, k6=opened.k6, host=opened.host)
    assert (origin_of(opened).dirty, origin_of(guest).dirty) == (False, True)


def test_a_copy_in_the_repository_of_another_project_has_no_commit(clone: Path) -> None:
    assert commit_of(clone) == (git(clone, "rev-parse", "HEAD"), False)
    assert commit_of(clone / "apps") == (None, None)
