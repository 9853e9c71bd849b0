"""What README.md and the pages of docs/ say of programs and rules is what programs and rules do."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.archive.record.standings import standings
from plumbline.cli.ci.data import growth_command
from plumbline.cli.ci.options import HOSTED, job_minutes
from plumbline.cli.publish_command import command as publish_command
from plumbline.model.subject import Subject
from plumbline.reporting.report.parts.naming import short_name
from plumbline.subjects.catalog.settings import in_container
from plumbline.verdicts.judge.referee import why_not_asked
from plumbline.verdicts.judge.rules import RULES
from tests.checkout import CATALOG, ROOT, planned_s
from tests.live.subjects import subjects
from tests.record.comparisons import FAST, SLOW, comparison_plan
from tests.report.session import session


def words(path: str) -> str:
    """The text of a page, with one space for every end of a line."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


def test_a_first_tag_takes_as_many_hours_as_its_job_may() -> None:
    (hours,) = re.findall(r"\| 3\. a first tag, on hosted runners \| up to (\d+) h,", words("docs/operate.md"))
    minutes = job_minutes(planned_s("campaign-hosted"), HOSTED)
    assert (int(hours) - 1) * 60 < minutes <= int(hours) * 60
    assert f"published within {['one', 'two', 'three', 'four'][int(hours) - 1]} hours" in words("docs/operate.md")


def test_a_service_of_ones_own_begins_where_no_folder_is(tmp_path: Path) -> None:
    (line,) = re.findall(r"^    (.*cp -r apps/control .*)$", (ROOT / "docs/add-a-variant.md").read_text(), re.MULTILINE)
    (tmp_path / "home").mkdir()
    subprocess.run(["bash", "-euc", line], cwd=ROOT, env={**os.environ, "HOME": str(tmp_path / "home")}, check=True)
    assert (tmp_path / "home/services/shop/variant.toml").is_file()


def test_the_suite_of_native_images_needs_what_readme_says() -> None:
    _, suite = CATALOG.suite("native")
    builders = {text.split("/")[1].partition(".")[2] for text in suite.subjects if "/native." in text}
    assert builders == {"mandrel"}
    assert {"page-cache=cold", "run-in=container"} <= {
        setting for text in suite.subjects for setting in text.split("+")[1:]
    }
    (row,) = re.findall(r"\| `\./bench run --suite native`, ([^|]*) \|", words("README.md"))
    assert row == "with Mandrel on `PATH`; its cold starts need root, its containers podman or docker"
    assert "Without Mandrel, root or a container engine" in (ROOT / "bench.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", ["README.md", "site/README.md", "results/examples/README.md", "results/starts/README.md"]
)
def test_whoever_publishes_learns_which_node_builds_the_pages(path: str) -> None:
    needed = json.loads((ROOT / "site/package.json").read_bytes())["engines"]["node"].removeprefix(">=")
    assert f"Node.js {needed} or newer with npm" in words(path)
    assert f"Node.js {needed} or newer and npm" in " ".join((publish_command.help or "").split())


def test_a_duet_is_not_asked_what_the_method_leaves_out() -> None:
    plan = comparison_plan(FAST, SLOW, design="duet")
    left_out = [rule.id for rule in RULES if why_not_asked(rule.id, plan, plan.trials[0]) is not None]
    (sentence,) = re.findall(r"The referee leaves out (.*?)\. ", words("docs/method.md"))
    assert re.findall(r"\bR\d+\b", sentence) == left_out


def test_pages_say_where_the_rule_of_the_load_generator_refuses() -> None:
    (rule,) = (rule for rule in RULES if rule.id == "R4")
    assert rule.kind == "capacity"
    assert "it refuses them on a lab, and warns on every other host" in words("README.md")
    assert "R4 warns and names the late generator. The rule refuses trials on a host of class `lab` alone" in words(
        "docs/scale.md"
    )


def test_the_archives_of_frozen_verifiers_are_as_large_as_the_page_says() -> None:
    ((least_kb, most_kb),) = re.findall(r"An archive has (\d+) to (\d+) kB", words("docs/data-branch.md"))
    sizes = [path.stat().st_size for path in (ROOT / "harness/frozen").glob("*.pyz")]
    assert int(least_kb) * 1000 <= min(sizes) and max(sizes) <= int(most_kb) * 1000


def test_the_estimate_of_growth_is_that_of_the_command() -> None:
    said = CliRunner().invoke(growth_command, [])
    assert said.exit_code == 0
    assert f"$ ./bench ci growth {said.output.strip()}" in words("docs/data-branch.md")


def test_an_advisory_trial_counts_on_a_lab_too_as_the_pages_say() -> None:
    record, _ = session(host_class="lab", invalid=False)
    doubted = [trial.model_copy(update={"verdict": "advisory"}) for trial in record.trials]
    rows = standings(record.plan, doubted, record.steadiness)
    assert any(row.rank == 2 for row in rows) and rows == record.standings
    for path in ("README.md", "results/README.md", "docs/glossary.md"):
        assert re.search(r"advisory[`?*]*.{1,160}\bcounts\b.{1,40} shown with that word", words(path)), path


@pytest.mark.parametrize("path", ["README.md", "docs/add-a-variant.md", "docs/settings.md", "results/README.md"])
def test_whoever_checks_all_subjects_learns_who_checks_containers(path: str) -> None:
    """The live tests take all subjects but those in containers, which `--containers --all` takes."""
    assert any(in_container(subject.settings) for subject in CATALOG.subjects_of_suites())
    assert not any(in_container(Subject.parse(text).settings) for _, text in subjects(None))
    assert re.search("`./bench test --containers --all`|`./bench test --containers` .* with `--all`", words(path))


@pytest.mark.parametrize("addition", ["a rule of the referee", "a published document"])
def test_whoever_adds_something_learns_of_every_file(addition: str) -> None:
    (needs,) = re.findall(rf"^\| {addition} \| .* \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    for path in re.findall(r"`((?:docs|harness)/[^`]+)`", needs):
        assert (ROOT / path).is_file()
    wanted = {
        "a rule of the referee": ("docs/method.md", "docs/glossary.md", "judge/test_good.py", "judge/test_hardness.py"),
        "a published document": ("./bench python -m plumbline.reporting.publish.schema", "npm run types"),
    }
    assert [command for command in wanted[addition] if command not in needs] == []


def test_the_glossary_names_a_subject_that_there_is_as_reports_do() -> None:
    (shown,) = re.findall(r"name it without `jvm`, `pg` and `none`: `([^`]+)`", words("docs/glossary.md"))
    variant, packaging, engine, setting = shown.split()
    assert short_name(CATALOG.subject(f"{variant}/{packaging}/{engine}{setting}")) == shown
