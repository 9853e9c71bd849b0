"""A fork's pull request, from its hosted comparison to the comment of the one on metal, and why there is none."""

from __future__ import annotations

import re
from pathlib import Path

from .act import Machine, Run
from .checkout import edited, git
from .story import FORK, NUMBER, SPIN, builds_of, dispatched, head_of, pushed


def test_the_hosted_comparison_measures_what_is_changed(machine: Machine, hosted: Run) -> None:
    assert hosted.outputs["only"].split(",")[0] == "vertx-pg/jvm/pg" and hosted.outputs["scenarios"] == "fruits"
    assert hosted.job("pr.yml:test").passed and hosted.job("pr.yml:contract").passed
    assert list((machine.artifacts / str(hosted.number) / "session").glob("*/record.json"))


def test_the_one_comment_has_the_verdict_and_a_link(machine: Machine, fork: Path, measured: Run) -> None:
    assert len(builds_of(machine, measured)) == 2
    (comment,) = machine.hub.comments
    assert comment["issue"] == str(NUMBER) and comment["body"].startswith("<!-- plumbline: hosted -->")
    assert f"Of commit {head_of(fork)[:12]}" in comment["body"]
    assert f"/actions/runs/{measured.number})" in comment["body"]
    assert re.search(r"\| Verdict for head \|", comment["body"]) and "vertx-pg/jvm/pg" in comment["body"]


def test_another_commit_than_the_head_is_refused(machine: Machine, measured: Run) -> None:
    run = dispatched(machine, "a" * 40, "a commit that is not the head")
    assert not run.passed and [job.name for job in run.jobs] == ["resolve"]
    assert "is not the head of pull request 12 any more" in run.text


def test_a_change_off_the_list_and_one_whose_hosted_run_failed_are_refused(
    machine: Machine, fork: Path, measured: Run
) -> None:
    good = head_of(fork)
    for path, conclusion, words in (
        ("harness/plumbline/__init__.py", "success", "it lies outside the applications"),
        (SPIN, "failure", "has not passed: it is failure"),
    ):
        (fork / path).write_text((fork / path).read_text() + "\n")
        git(fork, "commit", "--quiet", "--all", "--message", "More")
        git(fork, "push", "--quiet", "--force", "origin", f"HEAD:refs/pull/{NUMBER}/head")
        machine.hub.open_pull(NUMBER, head_of(fork), FORK)
        machine.hub.ran(5000, "pr.yml", "pull_request", head_of(fork), FORK, conclusion)
        run = dispatched(machine, head_of(fork), f"a pull request that is refused: {words}")
        assert not run.passed and words in run.text
    git(fork, "reset", "--quiet", "--hard", good)
    assert len(machine.hub.comments) == 1


def test_a_change_that_does_not_compile_is_told_in_mavens_words(machine: Machine, fork: Path) -> None:
    edited(fork, SPIN, "public final class Spin {", "public final class Spin { no java at all")
    git(fork, "commit", "--quiet", "--all", "--message", "A change that does not compile")
    run = pushed(machine, fork, "a pull request that does not compile")
    git(fork, "reset", "--quiet", "--hard", "HEAD~1")
    assert not run.job("_build.yml:digests").passed and run.job("pr.yml:test").passed
    assert re.search(r"These were not built: vertx-pg-jvm-pg[,.]", run.text)
    assert re.search(r"^::error::vertx-pg/jvm/pg was not built: .*Spin\.java", run.text, re.MULTILINE)


def test_an_invalid_configuration_is_an_annotation_at_its_line(machine: Machine, fork: Path) -> None:
    edited(fork, "bench.toml", "connections = 100", "connections = 0")
    git(fork, "commit", "--quiet", "--all", "--message", "Invalid")
    run = pushed(machine, fork, "a pull request with an invalid bench.toml")
    git(fork, "reset", "--quiet", "--hard", "HEAD~1")
    assert not run.passed and not run.job("pr.yml:plan").passed
    assert re.search(r"^::error file=bench\.toml,line=\d+::.*connections", run.text, re.MULTILINE)
