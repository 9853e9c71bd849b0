"""What is compared, told from what it is called: every mistake is one sentence with the next step."""

from __future__ import annotations

import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from plumbline.measuring.run.built import Built
from plumbline.measuring.run.planning import plan_comparison
from plumbline.measuring.run.sides import Wish, comparison_plan_of, scenarios_of
from plumbline.measuring.run.sources import exported, sources_of
from plumbline.model.comparison import ComparisonPlan
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.plan import Plan
from tests.judge.planned import SMALL
from tests.record.comparisons import PLACES
from tests.run.clones import ROOT, context, git
from tests.run.test_duet import Silent


def test_two_refs_are_compared_by_what_both_have(unchanged_clone: Path) -> None:
    comparison = comparison_plan_of(context(unchanged_clone), "old", "HEAD", Wish())
    assert (comparison.base.kind, comparison.head.kind, comparison.design) == ("ref", "ref", "duet")
    assert comparison.base.commit == git(unchanged_clone, "rev-parse", "old")
    assert [contest.base for contest in comparison.contests] == ["vertx-pg/jvm/pg"]
    assert any(
        "quarkus-rest-orm/jvm/pg is left out: it exists on one side only (old" in note for note in comparison.notes
    )
    assert any("only the applications (apps/) count" in note for note in comparison.notes)


def test_a_ref_against_itself_is_allowed(unchanged_clone: Path) -> None:
    comparison = comparison_plan_of(context(unchanged_clone), "HEAD", "HEAD", Wish(only=("vertx-pg/aot/pg",)))
    assert [(contest.base, contest.head) for contest in comparison.contests] == [("vertx-pg/aot/pg",) * 2]


def test_a_candidate_of_history_runs_as_it_is_printed(unchanged_clone: Path) -> None:
    old, new = git(unchanged_clone, "rev-parse", "old")[:12], git(unchanged_clone, "rev-parse", "HEAD")[:12]
    wish = Wish(only=("vertx-pg/jvm/pg+db-tls=require",), scenarios=("fruits",))
    comparison = comparison_plan_of(context(unchanged_clone), old, new, wish)
    assert comparison.contests[0].head == "vertx-pg/jvm/pg+db-tls=require"


@pytest.mark.parametrize("head", ["vertx-pg+db-tls=require", "vertx-pg/aot/pg", "quarkus-rest-orm/jvm/pg"])
def test_two_subjects(unchanged_clone: Path, head: str) -> None:
    comparison = comparison_plan_of(context(unchanged_clone), "vertx-pg", head, Wish())
    assert comparison.base.given == "vertx-pg/jvm/pg" and comparison.base.kind == comparison.head.kind == "subject"
    assert len(comparison.contests) == 1 and not comparison.notes


def test_all_pairs_are_asked_about_once(unchanged_clone: Path) -> None:
    looks = [
        comparison_plan_of(
            context(unchanged_clone), "vertx-pg", "vertx-pg/aot/pg", Wish(most_pairs=10, all_pairs=all_pairs)
        ).looks
        for all_pairs in (False, True)
    ]
    assert looks == [(6, 10), (10,)]


def test_a_dirty_tree_says_what_is_compared(clone: Path) -> None:
    (clone / "apps" / "vertx-pg" / "more.txt").write_text("new")
    comparison = comparison_plan_of(context(clone), "old", "HEAD", Wish())
    assert any("HEAD is compared as it was committed: 1 changed file" in note for note in comparison.notes)
    comparison = comparison_plan_of(context(clone), "HEAD", "worktree", Wish())
    assert (comparison.head.kind, comparison.head.dirty) == ("worktree", True)


@pytest.mark.parametrize(
    ("base", "head", "wish", "problem", "step"),
    [
        ("nowhere", "HEAD", Wish(), "'nowhere' names neither a commit of this clone nor a subject", "git fetch"),
        ("HEAD", "vertx-pg", Wish(), "'HEAD' is a ref, and 'vertx-pg' a subject", "Compare two refs"),
        ("vertx-pg", "vertx-pq/jvm/pg", Wish(), "its variant is not known", "Did you mean 'vertx-pg'?"),
        ("vertx-pg", "vertx-pg+db-tls=maybe", Wish(), "not a value of db-tls", "off, require"),
        ("old", "HEAD", Wish(only=("vertx-pg/aot/pg",)), "can't be compared: it exists on one side only", "both have"),
        ("old", "HEAD", Wish(only=("quarkus-rest-orm/jvm/pg",)), "exists on one side only (old", "both have"),
        ("old", "HEAD", Wish(only=("quarkus*",)), "No subject exists on both sides", "in common"),
        ("old", "HEAD", Wish(only=("nothing*",)), "No subject of the suite matches", ""),
        ("old", "HEAD", Wish(suite="ons"), "Unknown suite 'ons'", "Did you mean 'one'?"),
        ("old", "HEAD", Wish(scenarios=("fruit",)), "Unknown scenario 'fruit'", "Did you mean 'fruits'?"),
        ("vertx-pg", "vertx-pg", Wish(only=("vertx-pg",)), "--only narrows", "Leave it out"),
        ("--upload-pack=x", "HEAD", Wish(), "names neither a commit", "git fetch"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(unchanged_clone: Path, base: str, head: str, wish: Wish, problem: str, step: str) -> None:
    with pytest.raises(UsageError) as caught:
        comparison_plan_of(context(unchanged_clone), base, head, wish)
    assert problem in caught.value.problem and step in caught.value.next_step


def test_a_name_of_both_is_refused(clone: Path) -> None:
    git(clone, "branch", "vertx-pg")
    with pytest.raises(UsageError, match="the name of a ref and of a subject"):
        comparison_plan_of(context(clone), "vertx-pg", "HEAD", Wish())


def test_a_ref_without_applications_is_refused(clone: Path) -> None:
    git(clone, "checkout", "-q", "--orphan", "empty")
    git(clone, "rm", "-rqf", "--cached", ".")
    git(clone, "add", "bench.toml")
    git(clone, "commit", "-qm", "no apps")
    with pytest.raises(UsageError, match="has no apps/"):
        comparison_plan_of(context(clone), "empty", "main", Wish())


def test_a_duet_needs_two_servers(clone: Path) -> None:
    with (clone / "bench.toml").open("a") as file:
        file.write('[hosts.elsewhere]\ndatabase = "postgresql://u@db:5432"\n')
    there = context(clone)
    there.__dict__["host_name"] = "elsewhere"
    with pytest.raises(UsageError, match="a database server for each side"):
        comparison_plan_of(there, "vertx-pg", "vertx-pg+db-tls=require", Wish())
    # The address is that of a PostgreSQL.
    sides = ("quarkus-rest-orm/jvm/mysql", "quarkus-rest-orm/jvm/mysql+db-tls=require")
    assert comparison_plan_of(there, *sides, Wish()).design == "duet"


def test_an_export_is_the_commit_and_not_the_tree(clone: Path) -> None:
    here = context(clone)
    comparison = comparison_plan_of(here, "old", "HEAD", Wish())
    (clone / "apps" / "vertx-pg" / "more.txt").write_text("new")
    sources = sources_of(here, planned(comparison))
    old, new = sources.catalog("base"), sources.catalog("head")
    assert "aot" not in old.variant("vertx-pg").spec.packaging
    assert "aot" in new.variant("vertx-pg").spec.packaging
    assert not (exported(here, comparison.head) / "apps" / "vertx-pg" / "more.txt").exists()
    assert sources.catalog(None) is here.catalog


def test_an_export_needs_no_newer_python_than_3_11(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extractall = tarfile.TarFile.extractall
    # The parameters that it has there.
    monkeypatch.setattr(
        tarfile.TarFile, "extractall", lambda archive, path=".", members=None: extractall(archive, path, members)
    )
    monkeypatch.delattr(tarfile, "data_filter")
    here = context(clone)
    comparison = comparison_plan_of(here, "old", "HEAD", Wish())
    assert (exported(here, comparison.head) / "apps" / "vertx-pg" / "pom.xml").is_file()


def planned(comparison: ComparisonPlan) -> Plan:
    """As much of a plan as building asks for."""
    return Plan.model_construct(
        defaults={},
        comparison=comparison,
        subjects=(),
        control=comparison.contests[0].base,
        trials=(),
        scenarios=(),
        reproduces=None,
    )


def test_a_side_that_does_not_build_is_the_answer(clone: Path, tmp_path: Path) -> None:
    # A Maven that fails, as it does on a contributor's error.
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] Greeting.java:[3,8] cannot find symbol'\nexit 1\n")
    maven.chmod(0o755)
    here = context(clone)
    for name, value in {
        "jdk": type("Jdk", (), {"home": tmp_path, "vendor": "Temurin", "build": "25"})(),
        "maven": type("Maven", (), {"program": maven, "version": "3"})(),
        "places": (None, None),
    }.items():
        here.__dict__[name] = value
    comparison = comparison_plan_of(here, "old", "HEAD", Wish(only=("vertx-pg/jvm/pg",)))
    plan = planned(comparison)
    control = Built(plan, sources_of(here, plan))
    with pytest.raises(AnswerIsNo) as caught:
        control.build(Silent())
    assert "old (" in caught.value.problem and "does not build" in caught.value.problem
    assert "cannot find symbol" in caught.value.problem and "The whole log is" in caught.value.next_step
    assert caught.value.exit_status == 1


def test_of_a_partial_suite_both_sides_have_the_scenarios_that_both_serve() -> None:
    here = context(ROOT)
    for name, value in {
        "sets": SMALL,
        "places": PLACES,
        "placement": SimpleNamespace(name="taskset"),
        "noise": lambda duet: {},
    }.items():
        here.__dict__[name] = value
    wish = Wish(suite="seed-003", design="interleaved", seed=1)
    comparison = comparison_plan_of(here, "micronaut-hello", "quarkus-hello-rest", wish)
    names = [scenario.name for scenario in plan_comparison(here, comparison, wish).scenarios]
    of_suite = here.catalog.bench.suites["seed-003"].scenarios
    assert names == [name for name in of_suite if name != "hello-sleep-async"] and len(names) == len(of_suite) - 1


def test_a_scenario_that_is_named_twice_is_compared_once(unchanged_clone: Path) -> None:
    here, wish = context(unchanged_clone), Wish(scenarios=("fruits", "fruits"))
    comparison = comparison_plan_of(here, "vertx-pg", "vertx-pg/aot/pg", wish)
    assert scenarios_of(here, (comparison.base, comparison.head), comparison.contests, wish) == ("fruits",)


@pytest.mark.parametrize(
    ("base", "head", "wish", "problem"),
    [
        ("micronaut-hello", "quarkus-hello-rest", Wish(scenarios=("hello-sleep-async",)), "for event-loop alone"),
        ("standalone-jdbc", "standalone-vertx", Wish(scenarios=("companies",)), "which is no batch"),
        ("standalone-jdbc", "standalone-vertx", Wish(scenarios=("companies-t1",)), "puts open load on standalone-jdbc"),
        ("quarkus-hello-rest", "vertx-pg", Wish(), "the workload 'fruits', which it lacks"),
    ],
)
def test_a_side_is_asked_for_nothing_that_it_does_not_serve(base: str, head: str, wish: Wish, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        comparison_plan_of(context(ROOT), base, head, wish)


@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        ({"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}, "git reads no commit here: .*dubious ownership.*safe.directory"),
        ({"PATH": "/nonexistent"}, "git is not on PATH"),
    ],
)
def test_why_git_finds_no_commit_is_said(
    clone: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], problem: str
) -> None:
    here = context(clone)
    for name, value in {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", **environ}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=problem):
        comparison_plan_of(here, "main", "HEAD", Wish())
