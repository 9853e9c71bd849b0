"""`./bench ci plan`: what a tag or a night measures, within its budget."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.archive.data.entry import entry_of, index_bytes
from plumbline.archive.data.growth import growth
from plumbline.cli.changed import matrix
from plumbline.cli.ci.data import growth_command
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.plan.duration import session_s
from plumbline.subjects.plan.make import Selection, make_plan, trials_at_most
from plumbline.subjects.plan.phases import blocks_on_each, scenario_of
from tests.change.checkout import git
from tests.checkout import planned_s
from tests.data.remotes import session
from tests.judge.planned import LAB, host
from .job import HARNESS, Checkout, edit

pytestmark = pytest.mark.slow


def test_the_plan_of_a_campaign(checkout: Checkout) -> None:
    ended = checkout.bench(
        "ci", "plan", "--event", "push", "--ref", "refs/tags/v1", "--suite", "quick", "--host", "lab"
    )
    assert ended.status == 0
    outputs = ended.outputs
    assert outputs["suite"] == "quick" and outputs["host"] == "lab" and outputs["missed"] == "false"
    assert outputs["only"].split(",")[0] == "alpha/jvm/pg" and "control/jvm/pg" not in outputs["only"]
    assert {row["slug"] for row in json.loads(outputs["matrix"])["include"]} == {
        "control-jvm-pg",
        "alpha-jvm-pg",
        "beta-jvm-pg",
    }
    narrowed = checkout.bench(
        "ci",
        "plan",
        "--event",
        "workflow_dispatch",
        "--suite",
        "quick",
        "--only",
        "beta",
        "--scenario",
        "hello",
    )
    assert narrowed.outputs["only"] == "beta/jvm/pg" and narrowed.outputs["scenarios"] == "hello"
    assert narrowed.outputs["host"] == "hosted"
    assert checkout.bench("ci", "plan", "--event", "push", "--suite", "quik").status == 2
    assert checkout.bench("ci", "plan", "--event", "push", "--host", "$(id)").status == 2


def test_nightly_fits_its_budget_on_every_night_and_growth_its_limit() -> None:
    catalog = read_catalog(HARNESS.parent)
    _, suite = catalog.suite("nightly")
    scenarios = [scenario_of(name, catalog.scenario(name), suite) for name in suite.scenarios]
    measured: set[str] = set()
    trials = 0
    for day in range(16, 23):
        chosen = catalog.subjects_of(suite, night=date(2026, 11, day))
        subjects = [subject.id for subject in chosen]
        planned = trials_at_most(catalog, suite, chosen, scenarios, suite.blocks)
        assert session_s(planned, scenarios) <= min(suite.budget, 8 * 3600)
        assert len(matrix(catalog, subjects)["include"]) <= 256
        measured |= set(subjects)
        trials += len(planned)
    assert measured == {subject.id for subject in catalog.all_subjects_of(suite)}, "a week has all of them"
    assert growth(None, trials / 7).fits
    said = CliRunner().invoke(growth_command, [])
    assert said.output.startswith(f"nightly: {trials / 7:.0f} trials a night ")


def test_each_artifact_is_built_once_and_by_what_it_needs() -> None:
    catalog = read_catalog(HARNESS.parent)
    asked = (
        "spring4-mvc-jdbc/jvm/pg",
        "spring4-mvc-jdbc/aot/pg",
        "spring4-mvc-jdbc/aot.framework/pg",
        "spring4-mvc-jdbc/native.mandrel/pg",
        "quarkus-rest-orm/aot/pg+pool=5+release=3.34.3",
    )
    assert {row["slug"]: (row["builder"], len(row["subjects"])) for row in matrix(catalog, asked)["include"]} == {
        "spring4-mvc-jdbc-jvm-pg": ("jvm", 2),
        "spring4-mvc-jdbc-aot.framework-pg": ("jvm", 1),
        "spring4-mvc-jdbc-native.mandrel-pg": ("mandrel", 1),
        "quarkus-rest-orm-jvm-pg+release=3.34.3": ("jvm", 1),
    }


def test_a_tag_takes_a_night_of_a_lab_and_two_of_the_three_hours_of_a_hosted_runner() -> None:
    catalog = read_catalog(HARNESS.parent)
    _, suite = catalog.suite("campaign")
    assert suite.hosted == "campaign-hosted"
    _, hosted = catalog.suite(suite.hosted)
    assert set(hosted.subjects) < set(suite.subjects)
    assert planned_s("campaign") <= suite.budget <= 10 * 3600
    assert planned_s("campaign-hosted") <= hosted.budget <= 2 * 3600
    frameworks = {catalog.variant(text.partition("/")[0]).spec.framework for text in suite.subjects}
    assert frameworks == {catalog.variant(text.partition("/")[0]).spec.framework for text in hosted.subjects}


def test_equal_hosts_divide_the_blocks_and_measure_at_once(checkout: Checkout) -> None:
    words = ("ci", "plan", "--event", "push", "--suite", "smoke")
    alone = checkout.bench(*words, "--host", "lab-a")
    on_two_hosts = checkout.bench(*words, "--host", "lab-b, lab-a")
    assert (alone.outputs["host"], alone.outputs["hosts"]) == ("lab-a", '["lab-a"]')
    assert (on_two_hosts.outputs["host"], on_two_hosts.outputs["hosts"]) == ("lab-a,lab-b", '["lab-a","lab-b"]')
    blocks = int(alone.outputs["blocks"])
    assert int(on_two_hosts.outputs["blocks"]) == -(-blocks // 2)
    assert int(on_two_hosts.outputs["timeout"]) < int(alone.outputs["timeout"])
    assert "on each of 2 equal hosts" in on_two_hosts.summary and "equal hosts" not in alone.summary


def test_an_a_a_is_of_one_host(checkout: Checkout) -> None:
    bench = checkout.root / "bench.toml"
    bench.write_text(bench.read_text() + NIGHTLY.replace("nightly", "aa"))
    ended = checkout.bench("ci", "plan", "--event", "push", "--suite", "aa", "--host", "lab-b,lab-a")
    assert ended.outputs["hosts"] == '["lab-a"]' and ended.outputs["host"] == "lab-a"


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ("lab-a,lab-a", "The host lab-a is named twice."),
        ("lab-a,hosted", "'hosted' can't measure beside another host"),
        ("lab-a,$(id)", "'$(id)' is no name of a host."),
        ("lab-a,../lab", "'../lab' is no name of a host."),
        (",".join(f"lab-{number:028}" for number in (1, 2)), "too long together"),
    ],
)
def test_hosts_that_can_make_no_joined_record_are_refused(checkout: Checkout, hosts: str, said: str) -> None:
    ended = checkout.bench("ci", "plan", "--event", "push", "--suite", "smoke", "--host", hosts)
    assert ended.status == 2
    assert said in ended.err
    assert ended.outputs == {}


@pytest.mark.parametrize(
    ("blocks", "hosts", "each"), [(5, 1, 5), (1, 1, 1), (5, 2, 3), (6, 3, 2), (2, 3, 2), (12, 5, 3)]
)
def test_each_host_has_enough_blocks_for_an_interval_of_its_own(blocks: int, hosts: int, each: int) -> None:
    assert blocks_on_each(blocks, hosts) == each


TAG = """
[suites.campaign]
about = "a tag"
hosted = "smoke"
subjects = ["alpha/jvm/pg", "alpha/aot/pg", "beta/jvm/pg"]
scenarios = ["fruits"]
blocks = 5
budget = "80h"
phases = [{ kind = "closed", time = "30m" }]
"""


def test_a_tag_on_a_hosted_runner_is_cut_and_says_what_it_cannot_say(checkout: Checkout) -> None:
    bench = checkout.root / "bench.toml"
    bench.write_text(bench.read_text() + TAG)
    words = ("ci", "plan", "--event", "push", "--ref", "refs/tags/v1")
    lab = checkout.bench(*words, "--host", "lab")
    assert lab.outputs["suite"] == "campaign" and int(lab.outputs["timeout"]) > 6 * 60
    hosted = checkout.bench(*words, "--host", "hosted")
    assert hosted.status == 0, hosted.err
    assert hosted.outputs["suite"] == "smoke" and int(hosted.outputs["timeout"]) <= 360
    assert "advisory, never ranked" in hosted.summary and "goes unseen" in hosted.summary
    assert "Of the suite campaign it leaves out `alpha/aot/pg`." in hosted.summary
    bench.write_text(bench.read_text().replace('hosted = "smoke"', 'hosted = "smok"'))
    assert "'hosted' of suite 'campaign' names no suite: 'smok'" in checkout.bench(*words).err
    bench.write_text(bench.read_text().replace('hosted = "smok"\n', ""))
    cut = checkout.bench(*words, "--host", "hosted")
    assert cut.status == 2 and "a hosted runner ends every job after six" in cut.err
    bench.write_text(bench.read_text().replace('time = "30m"', 'time = "1h"'))
    too_long = checkout.bench(*words, "--host", "lab")
    assert too_long.status == 2 and "a host of your own ends every session after twelve" in too_long.err
    assert "Name several equal hosts, a smaller suite" in too_long.err
    bench.write_text(bench.read_text().replace('time = "1h"', 'time = "3h"'))
    far_too_long = checkout.bench(*words, "--host", "lab")
    assert far_too_long.status == 2 and "Name a smaller suite or fewer subjects, or measure by hand" in far_too_long.err


def test_a_scale_shortens_the_whole_of_it(checkout: Checkout) -> None:
    words = ("ci", "plan", "--event", "push", "--suite", "quick", "--host", "lab")
    full_size, part = checkout.bench(*words), checkout.bench(*words, "--scale", "0.01")
    assert (full_size.outputs["scale"], part.outputs["scale"]) == ("1", "0.01")
    assert int(part.outputs["minutes"]) <= int(full_size.outputs["minutes"])
    assert "never set beside those of another scale" in part.summary


def test_a_question_takes_subjects_and_scenarios_of_any_suite(checkout: Checkout) -> None:
    words = ("ci", "question", "--only", "alpha/jvm/pg+heap=1g", "--scenario", "hello")
    for suite in ("", "smoke", "quick"):
        outputs = checkout.bench(*words, "--suite", suite, "--host", "lab").outputs
        assert outputs["suite"] == (suite or "smoke") and outputs["scenarios"] == "hello"
        assert outputs["only"] == "alpha/jvm/pg+heap=1g"
        rows = json.loads(outputs["matrix"])["include"]
        assert [row["slug"] for row in rows] == ["control-jvm-pg", "alpha-jvm-pg"]
        assert outputs["budget"].endswith("s") and int(outputs["timeout"]) * 60 > int(outputs["budget"][:-1])
    assert checkout.bench("ci", "question").status == 2
    assert checkout.bench(*words, "--suite", "quik").status == 2
    assert checkout.bench(*words, "--host", "$(id)").status == 2
    assert checkout.bench(*words, "--host", "lab-b,lab-a").outputs["host"] == "lab-a"


def test_a_question_about_commits_takes_full_ids_of_the_branch_alone(checkout: Checkout) -> None:
    words = ("ci", "question", "--only", "alpha/jvm/pg", "--scenario", "hello", "--host", "lab")
    git(checkout.root, "commit", "--quiet", "--allow-empty", "--message", "A change")
    base, head = (git(checkout.root, "rev-parse", name).strip() for name in ("HEAD~1", "HEAD"))
    outputs = checkout.bench(*words, "--base", base, "--head", head).outputs
    assert (outputs["base"], outputs["head"]) == (base, head)
    assert not {"base", "head"} & checkout.bench(*words).outputs.keys()
    ended = checkout.bench(*words, "--base", head, "--head", head)
    assert ended.status == 2 and "Both sides are commit" in ended.err and not ended.outputs
    # For one job `x` is the tag, for another it is the branch.
    git(checkout.root, "tag", "x", base)
    git(checkout.root, "branch", "x", head)
    for name in ("x", "refs/tags/x", "HEAD", base[:12], base.upper(), f"{base}\n", ""):
        for side, other in (("--base", "--head"), ("--head", "--base")):
            ended = checkout.bench(*words, side, name, other, head)
            assert ended.status == 2 and "is no full commit id." in ended.err and not ended.outputs
    git(checkout.root, "checkout", "--quiet", "--orphan", "fork")
    git(checkout.root, "commit", "--quiet", "--message", "Of a fork")
    for commit in (base, "0" * 40):
        ended = checkout.bench(*words, "--base", git(checkout.root, "rev-parse", "HEAD").strip(), "--head", commit)
        assert ended.status == 1 and f"never stood at {commit}." in ended.err and not ended.outputs


def test_a_question_about_a_commit_of_a_merged_side_branch_is_refused(checkout: Checkout) -> None:
    """A later commit of the side branch may have taken back what this commit holds, so nobody merged it."""
    words = ("ci", "question", "--only", "alpha/jvm/pg", "--scenario", "hello", "--host", "lab")
    base = git(checkout.root, "rev-parse", "HEAD").strip()
    git(checkout.root, "checkout", "--quiet", "--detach")
    for message in ("Hostile", "Taken back"):
        git(checkout.root, "commit", "--quiet", "--allow-empty", "--message", message)
    git(checkout.root, "checkout", "--quiet", "-")
    git(checkout.root, "merge", "--quiet", "--no-ff", "--message", "Merged", "HEAD@{1}")
    merged, hostile = (git(checkout.root, "rev-parse", name).strip() for name in ("HEAD", "HEAD^2~1"))
    assert checkout.bench(*words, "--base", base, "--head", merged).outputs["head"] == merged
    for base_side, head_side in ((base, hostile), (hostile, merged)):
        ended = checkout.bench(*words, "--base", base_side, "--head", head_side)
        assert ended.status == 1 and f"never stood at {hostile}." in ended.err and not ended.outputs


SOME = """
[suites.some]
about = "each subject under what it serves"
partial = true
subjects = ["alpha/jvm/pg", "gamma/jvm/pg"]
scenarios = ["hello", "fruits"]
blocks = 4
budget = "80h"
phases = [{ kind = "closed", time = "30m" }]
"""


def test_a_partial_suite_takes_the_time_of_the_trials_that_are_run(checkout: Checkout) -> None:
    bench, apps = checkout.root / "bench.toml", checkout.root / "apps"
    shutil.copytree(apps / "beta", apps / "gamma")
    edit(checkout, "apps/gamma/variant.toml", '["hello", "fruits"]', '["hello"]')
    bench.write_text(bench.read_text() + SOME)
    for only, scenarios in (((), "hello,fruits"), (("gamma",), "hello")):
        words = ("--event", "push", "--suite", "some", "--only", ",".join(only), "--host", "lab")
        campaign = checkout.bench("ci", "plan", *words).outputs
        selection = Selection(suite="some", only=only, seed=1)
        plan = make_plan(read_catalog(checkout.root), selection, host(), LAB, "taskset", session="x")
        assert (campaign["scenarios"], campaign["minutes"]) == (scenarios, str(round(plan.expected_s / 60)))
    question = ("ci", "question", "--suite", "some", "--only", "alpha/jvm/pg,gamma/jvm/pg", "--host", "lab")
    assert checkout.bench(*question).outputs["scenarios"] == "hello"


NIGHTLY = """
[suites.nightly]
about = "nights"
subjects = ["alpha/jvm/pg"]
rotation = ["alpha/aot/pg", "beta/jvm/pg", "beta/aot/pg"]
scenarios = ["fruits"]
blocks = 1
budget = "8h"
phases = [{ kind = "closed", time = "3s" }]
"""


def test_a_night_has_its_part_of_the_rotation_and_missed_ones_are_told(checkout: Checkout, tmp_path: Path) -> None:
    bench = checkout.root / "bench.toml"
    bench.write_text(bench.read_text() + NIGHTLY)
    base, content = session(0)
    entries = [
        entry_of(base, content).model_copy(
            update={"session": f"202611{day:02d}T010000Z-lab-0a1b2c", "suite": "nightly", "host": "lab"}
        )
        for day in (14, 15, 16, 18, 19, 20)
    ]
    month = tmp_path / "copy" / "runs" / "2026" / "11"
    month.mkdir(parents=True)
    (month / "index.json").write_bytes(index_bytes(entries))
    words = ("ci", "plan", "--event", "schedule", "--host", "lab", "--data", str(tmp_path / "copy"))
    # 2026-11-21 is a Saturday: none of the three subjects in rotation is left for it. Tuesday the 17th was missed.
    saturday = checkout.bench(*words, "--night", "2026-11-21")
    assert saturday.outputs["only"] == "alpha/jvm/pg" and saturday.outputs["missed"] == "true"
    assert "Missed in the last week: Tuesday 2026-11-17" in saturday.summary
    assert "or now by a dispatch with the suite `nightly` and the subjects `beta/jvm/pg`." in saturday.summary
    by_hand = ("ci", "plan", "--event", "workflow_dispatch", "--host", "lab", "--suite", "nightly")
    assert checkout.bench(*by_hand, "--only", "beta/jvm/pg").outputs["only"] == "beta/jvm/pg"
    tuesday = checkout.bench(*words, "--night", "2026-11-17")
    assert tuesday.outputs["only"] == "alpha/jvm/pg,beta/jvm/pg" and tuesday.outputs["missed"] == "false"
    assert tuesday.outputs["suite"] == "nightly" and tuesday.outputs["night"] == "2026-11-17"
    # No subject of the rotation is Saturday's or Sunday's.
    (month / "index.json").write_bytes(
        index_bytes([entry.model_copy(update={"session": f"20261113{entry.session[8:]}"}) for entry in entries[:1]])
    )
    sunday = checkout.bench(*words, "--night", "2026-11-16")
    assert "Saturday 2026-11-14, Sunday 2026-11-15" in sunday.summary
    assert "come again a week later.\n" in sunday.summary
    # A night of several hosts counts, also if one host left no session.
    joined = [entry.model_copy(update={"host": "lab_lab-b"}) for entry in entries[1:]]
    (month / "index.json").write_bytes(index_bytes([*entries[:1], *joined]))
    on_two_hosts = checkout.bench(*words, "--host", "lab,lab-b", "--night", "2026-11-21")
    assert "Missed in the last week: Tuesday 2026-11-17. " in on_two_hosts.summary
