"""docs/operate.md says what runs without a host, and on which refs a host measures, as the programs do."""

from __future__ import annotations

import re

import pytest
import yaml

from laboratory.versions import CATALOG as CATALOG_OF_VERSIONS
from laboratory.versions import frameworks, newer_versions
from plumbline.cli.ci.alerts import heartbeat_command
from plumbline.cli.ci.options import HOSTED, job_minutes
from plumbline.model.errors import UsageError
from plumbline.subjects.plan.phases import LEAST_BLOCKS
from tests.checkout import CATALOG, planned_s
from tests.operate import SAID
from .reading import ROOT, Workflow, workflows

MODEL = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
WORDS = " ".join(SAID.split())
SCHEDULED = [workflow for workflow in workflows() if "schedule" in workflow.triggers]
WAITS = re.compile(r"vars\.PLUMBLINE_HOST != ''|github\.event_name != 'schedule' \|\| vars\.PLUMBLINE_HOST != ''")


def test_without_a_host_a_schedule_starts_only_the_job_that_the_page_names() -> None:
    first_jobs = [job for workflow in SCHEDULED for job in workflow.jobs if "needs" not in job.body]
    running = [job for job in first_jobs if not WAITS.match(job.body.get("if", ""))]
    assert len(first_jobs) > len(running)
    (named,) = re.findall(
        r"Schedules wait for the variable `PLUMBLINE_HOST`[^.]*; only the job `([\w-]+)` of `([\w.-]+)`", WORDS
    )
    assert [(job.name, job.workflow) for job in running] == [named]


def test_the_check_whether_campaigns_land_is_itself_started_by_a_schedule() -> None:
    checking = [
        workflow.name
        for workflow in workflows()
        for job in workflow.jobs
        for step in job.steps
        if "ci heartbeat" in step.get("run", "")
    ]
    assert checking == ["maintenance.yml"] and checking[0] in {workflow.name for workflow in SCHEDULED}
    assert "GitHub switches all schedules off, that of `maintenance.yml` too" in WORDS
    assert "A schedule starts this check as well" in (heartbeat_command.help or "")


def test_a_night_is_refused_to_a_hosted_runner() -> None:
    assert "The suite `nightly` takes longer than a job of a hosted runner may." in WORDS
    with pytest.raises(UsageError, match="a hosted runner ends every job after six"):
        job_minutes(planned_s("nightly"), HOSTED)


def test_a_session_that_a_host_would_end_is_refused_to_it() -> None:
    config, unit = (
        (ROOT / "runner-setup" / path).read_text() for path in ("launcher/config.py", "units/plumbline-runner.service")
    )
    (session_h,) = re.findall(r"^RUNTIME_MAX_S = (\d+) \* 3600$", config, re.MULTILINE)
    (job_h,) = re.findall(r"^RuntimeMaxSec=(\d+)h$", unit, re.MULTILINE)
    assert f"ends a session after {session_h} hours and a job after {job_h}" in WORDS
    assert int(session_h) * 60 < job_minutes(11.5 * 3600, "lab") < int(job_h) * 60
    refused, anywhere = set(), set()
    for suite in CATALOG.bench.suites:
        try:
            job_minutes(planned_s(suite), "lab", planned_s(suite, LEAST_BLOCKS))
        except UsageError as error:
            refused.add(suite)
            if "several equal hosts" not in error.next_step:
                anywhere.add(suite)
    named_suites = re.search(r"more than 11\.5 hours: (.*?) on one host\.", WORDS)
    assert named_suites is not None and set(re.findall(r"`([\w-]+)`", named_suites[1])) == refused
    named_suites = re.search(r"two blocks at least, (.*?) is refused on any number of hosts", WORDS)
    assert named_suites is not None and set(re.findall(r"`([\w-]+)`", named_suites[1])) == anywhere


def test_the_page_and_the_threat_model_name_the_same_refs_of_each_environment() -> None:
    assert "`campaign`: deployment branches and tags `main` and `v*`. `bare-metal`: `main` alone," in WORDS
    assert "| environment `bare-metal` with reviewers, for `main` only |" in MODEL
    assert "| environments `campaign` and `github-pages` limited to `main` and `v*` |" in MODEL
    assert "it runs on `main` or on a tag `v*` (the host does not ask who may push such a tag" in WORDS
    assert "accepts only `main` and tags `v*`" in MODEL


WHEN = {"workflow_dispatch": "by hand", "push": "push to `main`|tag `v*`", "pull_request": "pull request"}


@pytest.mark.parametrize(
    "workflow", [workflow for workflow in workflows() if workflow.starts_by_itself], ids=lambda workflow: workflow.name
)
def test_the_table_of_what_runs_when_has_every_trigger(workflow: Workflow) -> None:
    (when,) = re.findall(rf"^\| `{re.escape(workflow.name)}` \| (.*?) \|", SAID, re.MULTILINE)
    for trigger in workflow.triggers:
        if trigger == "schedule":
            assert re.search("every night|Mondays|Tuesdays", when)
        elif trigger != "workflow_call":
            assert any(words in when for words in WHEN[trigger].split("|"))


def test_the_table_of_a_first_tag_has_every_job_of_a_campaign() -> None:
    (campaign,) = (workflow for workflow in workflows() if workflow.name == "campaign.yml")
    step = SAID.partition("\n## 3. A first tag")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[a-z`, ]+`) \|", step, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == {job.name for job in campaign.jobs}


WRITTEN = {
    "actions": "starts",
    "attestations": "attestations",
    "issues": "issues",
    "packages": "images",
    "pages": "pages",
    "pull-requests": "comment|pull requests",
}


@pytest.mark.parametrize(
    "workflow", [workflow for workflow in workflows() if workflow.starts_by_itself], ids=lambda workflow: workflow.name
)
def test_the_table_of_what_runs_when_has_what_each_right_is_for(workflow: Workflow) -> None:
    (writes,) = re.findall(rf"^\| `{re.escape(workflow.name)}` \|.*\| (.*?) \|$", SAID, re.MULTILINE)
    for job in workflow.jobs:
        for right, level in job.permissions.items():
            assert level == "read" or right not in WRITTEN or re.search(WRITTEN[right], writes), f"{job}: {right}"


def test_every_contributor_from_outside_waits_as_the_setting_says() -> None:
    assert "*Require approval for all external contributors*" in SAID
    contributing = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert "The workflows of everybody from outside wait until a maintainer has approved them." in contributing
    assert "first-time contributor" not in contributing


def test_the_labels_of_the_forms_are_made_with_the_settings() -> None:
    forms = (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")
    labels = {label for form in forms for label in yaml.safe_load(form.read_text()).get("labels", ())}
    (row,) = re.findall(r"^\| Issues > Labels \| (.*?), which the forms", SAID, re.MULTILINE)
    assert set(re.findall(r"`(.*?)`", row)) == labels


def test_the_page_names_the_databases_that_are_raised_by_themselves() -> None:
    versions = "".join(f"<version>{major}.9999.0</version>" for major in range(50))
    index = f"<metadata><versioning><versions>{versions}</versions></versioning></metadata>".encode()
    raised = {update.name for update in newer_versions(ROOT, "", fetch=lambda *_: index)}
    assert raised - set(frameworks({CATALOG_OF_VERSIONS: (ROOT / CATALOG_OF_VERSIONS).read_text()})) == {"postgresql"}
    assert "`dependencies.yml` raises frameworks and PostgreSQL." in WORDS
    assert "Frameworks and PostgreSQL are raised by dependencies.yml" in (ROOT / ".github/dependabot.yml").read_text()
