"""What we demand of every workflow, beyond what linters know."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import zlib
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from plumbline.archive.data.growth import EVIDENCE_TRIAL_BYTES, RECORD_TRIAL_BYTES, BranchGrowth
from plumbline.archive.data.landing import readme
from plumbline.archive.data.layout import run_path
from plumbline.archive.record.read import read_record
from plumbline.cli.ci.data import _trials_a_night
from plumbline.measuring.run.local import RUNNING
from plumbline.reporting.publish.action_documents import FILES, FOLDER, documents
from plumbline.subjects.plan.phases import scenario_of
from tests.checkout import CATALOG
from .reading import ROOT, Job, Workflow, action_files, all_jobs, run_scripts, workflows

USES = re.compile(r"uses: (?P<action>[\w.-]+/[\w./-]+)@(?P<sha>[0-9a-f]{40}) # (?P<tag>v\d+\.\d+\.\d+)$")
GITHUB_ALONE = ("actions/attest@", "actions/deploy-pages@", "docker/login-action@")
DEFAULT_BRANCH = "${{ github.event.repository.default_branch }}"
GUARD = "github.server_url == 'https://github.com'"
EXAMPLE = next(iter(sorted((ROOT / "results/examples").glob("*Z-*"))))

# The most that a job may be granted, by the file and the job, if that is more than reading the sources. A grant that
# is missing here was not thought about.
GRANTS: dict[str, dict[str, str]] = {
    "_attest.yml:sign": {"id-token": "write", "attestations": "write"},
    "_attest.yml:verify": {"attestations": "read", "contents": "read"},
    "_images.yml:image": {"contents": "read", "packages": "write"},
    "_images.yml:latest": {},
    "_images.yml:observer": {"contents": "read", "packages": "write"},
    "_measure.yml:draw": {},
    "_publish.yml:keep": {"contents": "write"},
    "_publish.yml:deploy": {"pages": "write", "id-token": "write"},
    "_record.yml:commit": {"contents": "write"},
    "_record.yml:logs": {"contents": "write"},
    "_record.yml:attest": {"id-token": "write", "attestations": "write"},
    "bench-pr.yml:resolve": {"contents": "read", "actions": "read", "pull-requests": "read"},
    "bench-pr.yml:report": {"contents": "read", "pull-requests": "write"},
    "campaign.yml:attest": {"contents": "read", "id-token": "write", "attestations": "write"},
    "campaign.yml:record": {"contents": "write", "id-token": "write", "attestations": "write"},
    "campaign.yml:publish": {"contents": "write", "pages": "write", "id-token": "write"},
    "campaign.yml:ledger": {"contents": "write"},
    "campaign.yml:issues": {"contents": "read", "issues": "write"},
    "campaign.yml:complete": {},
    "campaign.yml:confirm": {"actions": "write"},
    "campaign.yml:images": {"contents": "read", "packages": "write"},
    "confirm.yml:ledger": {"contents": "write"},
    "confirm.yml:issues": {"contents": "read", "issues": "write"},
    "dependencies.yml:propose": {"contents": "write", "pull-requests": "write", "actions": "write"},
    "maintenance.yml:a-a": {"actions": "write"},
}

WORKFLOWS = {workflow.name: workflow for workflow in workflows()}
SCRIPTS = list(run_scripts())
JOBS = {str(job): job for job in all_jobs()}
each_workflow = pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
each_job = pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)


def test_all_of_the_promised_workflows_are_there() -> None:
    called = {"_attest.yml", "_build.yml", "_images.yml", "_measure.yml", "_publish.yml", "_record.yml"}
    started = {"campaign.yml", "pr.yml", "bench-pr.yml", "confirm.yml", "ci.yml", "maintenance.yml"}
    assert set(WORKFLOWS) == called | started | {"dependencies.yml"}


@each_workflow
def test_nothing_is_granted_at_the_top(workflow: Workflow) -> None:
    assert workflow.body["permissions"] == {}


@each_workflow
def test_no_trigger_gives_foreign_code_a_right(workflow: Workflow) -> None:
    allowed = {"push", "pull_request", "schedule", "workflow_dispatch", "workflow_call"}
    assert set(workflow.triggers) <= allowed


@each_workflow
def test_what_starts_by_itself_says_who_waits_for_whom(workflow: Workflow) -> None:
    if workflow.starts_by_itself:
        concurrency = workflow.body["concurrency"]
        assert ("queue" in concurrency) != ("cancel-in-progress" in concurrency)
    else:
        assert "concurrency" not in workflow.body


def test_a_tag_that_waits_is_never_dropped() -> None:
    for workflow in WORKFLOWS.values():
        if "tags" in (workflow.triggers.get("push") or {}):
            assert workflow.body["concurrency"] == {"group": "campaign", "queue": "max"}


@each_workflow
def test_caches_are_out_of_reach_where_something_is_published_or_measured(workflow: Workflow) -> None:
    if workflow.starts_by_itself:
        expected = {"pr.yml": "read", "ci.yml": "write"}.get(workflow.name, "none")
        assert workflow.body["cache-mode"] == expected


@each_job
def test_a_job_has_the_rights_that_were_thought_about(job: Job) -> None:
    assert job.permissions == GRANTS.get(str(job), {"contents": "read"})


def test_every_grant_says_what_it_is_for() -> None:
    for workflow in WORKFLOWS.values():
        for line in workflow.text.splitlines():
            if re.match(r"\s+[a-z-]+: (read|write)\b", line) and "cache-mode" not in line:
                assert re.search(r": (read|write) # \w.+", line), f"{workflow.name}: {line.strip()}"


@each_job
def test_a_job_ends(job: Job) -> None:
    if job.called is None:
        assert "timeout-minutes" in job.body
    else:
        allowed = {"name", "uses", "with", "strategy", "needs", "if", "concurrency", "permissions"}
        assert set(job.body) <= allowed


def test_actions_are_pinned_alike_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for path in [*(workflow.path for workflow in WORKFLOWS.values()), *action_files()]:
        for line in path.read_text(encoding="utf-8").splitlines():
            if "uses:" in line and "uses: ./" not in line:
                match = USES.search(line)
                assert match, f"{path.name}: {line.strip()}"
                pins.setdefault(match["action"], set()).add(f"{match['sha']} {match['tag']}")
    assert {action: versions for action, versions in pins.items() if len(versions) > 1} == {}


@each_job
def test_the_token_stays_out_of_the_checkout(job: Job) -> None:
    for step in job.steps:
        if str(step.get("uses", "")).startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize(("where", "script"), SCRIPTS, ids=[where for where, _ in SCRIPTS])
def test_scripts_are_thin_and_get_their_inputs_through_the_environment(where: str, script: str) -> None:
    assert "${{" not in script
    assert len(script.strip().splitlines()) <= 3


def test_no_secret_exists() -> None:
    for path in (ROOT / ".github").rglob("*.y*ml"):
        assert not re.search(r"secrets[.\[]|secrets: inherit", path.read_text(encoding="utf-8")), path


def checked_out(job: Job) -> list[str | None]:
    """Return the `ref` of each checkout of a job; None is the commit that the run is about."""
    return [step["with"].get("ref") for step in job.steps if str(step.get("uses", "")).startswith("actions/checkout@")]


def _is_foreign(job: Job) -> bool:
    """Whether a job builds or runs code that may not be ours."""
    programs = " ".join(str(step.get("run", "")) for step in job.steps)
    other_ref = any(ref not in (None, DEFAULT_BRANCH) for ref in checked_out(job))
    return other_ref or bool(re.search(r"bench (ci pack|run|compare|test|check-variant)\b", programs))


def test_no_token_and_no_right_near_foreign_code() -> None:
    foreign = [job for job in JOBS.values() if _is_foreign(job)]
    assert {"_build.yml:pack", "_measure.yml:measure", "pr.yml:measure"} <= {str(job) for job in foreign}
    for job in foreign:
        assert job.permissions == {"contents": "read"}, str(job)
        assert "github.token" not in yaml.safe_dump(job.body), str(job)


def test_what_reads_every_session_is_the_code_of_the_default_branch_and_what_measures_that_of_the_run() -> None:
    """A campaign of an older commit lands in a branch with sessions that only newer code can read."""
    readers = ("_publish.yml:points", "_publish.yml:keep", "_publish.yml:pages")
    for name in (*readers, "campaign.yml:ledger", "campaign.yml:issues"):
        assert checked_out(JOBS[name]) == [DEFAULT_BRANCH], name
    for name in ("campaign.yml:plan", "_measure.yml:measure", "_record.yml:commit"):
        assert checked_out(JOBS[name]) == [None], name


def test_points_are_of_the_commit_that_was_measured_and_added_once() -> None:
    """The action asks for the newest commit where nothing names one, and appends whatever it is given."""
    points = JOBS["_publish.yml:points"]
    refs = [step["with"]["ref"] for step in points.steps if "github-action-benchmark@" in str(step.get("uses"))]
    assert refs == ["${{ inputs.measured }}"] * 2
    handed_on = {"measured": "${{ github.sha }}", "session": "${{ needs.record.outputs.path }}"}
    assert JOBS["campaign.yml:publish"].body["with"] == handed_on
    # Nothing names one where a person starts the workflow.
    assert WORKFLOWS["_publish.yml"].triggers["workflow_dispatch"] is None
    assert points.body["if"] == "inputs.measured != ''"


@pytest.mark.parametrize(
    ("recorded", "kept", "adds"), [("newest", "older", True), ("newest", "newest", False), ("older", "older", False)]
)
def test_points_are_added_once_and_only_of_the_session_that_the_run_recorded(
    tmp_path: Path, recorded: str, kept: str, adds: bool
) -> None:
    """The documents are of the newest session. Somebody may run an older campaign again, or a job of the newest one:
    after the job `logs` GitHub runs all jobs again that need `record`.
    """
    record = read_record(EXAMPLE)
    sessions = {"older": "20260930T001700Z-lab-0a1b2c", "newest": record.plan.session}
    for folder in (*(f"data/{run_path(name)}" for name in sessions.values()), f"data/{FOLDER}", f"pages/{FOLDER}"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "data" / run_path(record.plan.session)).with_name("index.json").touch()
    (tmp_path / "pages" / FILES["lower"]).touch()
    plan = record.plan.model_copy(update={"session": sessions[kept]})
    benches = documents(record.model_copy(update={"plan": plan}), None)[FILES["lower"]]
    (tmp_path / "data" / FILES["lower"]).write_text(json.dumps({"entries": {"a chart": [{"benches": benches}]}}))
    (step,) = [step for step in JOBS["_publish.yml:points"].steps if step.get("id") == "documents"]
    assert step["env"] == {"SESSION": "${{ inputs.session }}"}
    output = tmp_path / "output"
    output.touch()
    environ = {**os.environ, "SESSION": run_path(sessions[recorded]), "GITHUB_OUTPUT": str(output)}
    subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], check=True, env=environ, cwd=tmp_path)
    assert output.read_text() == ("smaller=true\n" if adds else "")


def test_the_points_that_each_night_writes_anew_fit_into_the_growth_of_a_year() -> None:
    steps = [step["with"] for step in JOBS["_publish.yml:points"].steps if "-benchmark@" in str(step.get("uses"))]
    (nights,) = {step["max-items-in-chart"] for step in steps}
    (example, *_) = documents(read_record(EXAMPLE), None)[FILES["lower"]]
    _, suite = CATALOG.suite("nightly")
    scenarios = [scenario_of(name, CATALOG.scenario(name), suite) for name in suite.scenarios]
    # Time and memory at the start; latency, CPU time and memory in each phase of load.
    loads = [phase for scenario in scenarios for phase in scenario.phases if phase.kind in ("closed", "open")]
    figures = 2 * len(scenarios) + 3 * len(loads)
    names = [
        f"{subject.id} {number}"
        for subject in CATALOG.subjects_of(suite, night=date(2026, 11, 16))
        for number in range(figures)
    ]
    draw = random.Random(1)
    charts = [
        {
            "commit": {"id": f"{draw.getrandbits(160):040x}"},
            "benches": [
                {
                    **example,
                    "name": name,
                    "value": draw.random(),
                    "range": f"{draw.random():.3g} to {draw.random():.3g}",
                }
                for name in names
            ],
        }
        for _ in range(nights)
    ]
    points_bytes = len(zlib.compress(json.dumps({"entries": {"a chart": charts}}, indent=2).encode()))
    trial_bytes = EVIDENCE_TRIAL_BYTES + RECORD_TRIAL_BYTES
    assert BranchGrowth(_trials_a_night(CATALOG, suite), trial_bytes, "", points_bytes).fits


def test_only_the_measuring_job_can_be_on_a_host_of_ours() -> None:
    for job in JOBS.values():
        if job.called is None and str(job) != "_measure.yml:measure":
            assert job.body["runs-on"] == "ubuntu-24.04", str(job)
    measure = JOBS["_measure.yml:measure"].body
    assert "self-hosted" not in measure["runs-on"]
    assert "github.run_id" in measure["runs-on"] and "github.run_attempt" in measure["runs-on"]
    # A pull request must not guess the label before the job waits, so drawn letters are part of the label.
    assert "needs.draw.outputs.letters" in measure["runs-on"] and measure["needs"] == "draw"
    assert measure["env"]["SANDBOX"] == "${{ inputs.host == 'hosted' && 'off' || 'required' }}"


def test_foreign_artifacts_are_measured_behind_reviewers() -> None:
    assert JOBS["bench-pr.yml:measure"].body["with"]["environment"] == "bare-metal"
    assert JOBS["bench-pr.yml:resolve"].body["if"].startswith("github.ref == format('refs/heads/{0}'")


def test_what_is_chosen_for_a_pull_request_is_what_its_place_can_measure() -> None:
    steps = {step["name"]: str(step.get("run")) for step in JOBS["bench-pr.yml:resolve"].steps}
    assert all('--host "$HOST"' in steps[name] for name in ("Resolve", "Plan"))
    # Native images are built for bare metal, also where the hosted job can measure nothing.
    for name, output in {"build": "built", "measure": "measured"}.items():
        assert JOBS[f"pr.yml:{name}"].body["if"] == f"needs.plan.outputs.{output} == 'true'"


def test_metal_takes_only_what_it_has_a_digest_of() -> None:
    steps = JOBS["_measure.yml:measure"].steps
    fetches = [step for step in steps if "download-artifact" in str(step.get("uses"))]
    assert fetches and all("run-id" not in step["with"] for step in fetches)
    checks = [step["run"] for step in steps if "ci unpack" in str(step.get("run"))]
    assert len(checks) == len(fetches) and all("--digests" in check for check in checks)


def test_a_commit_that_somebody_typed_goes_to_no_job_before_it_is_checked() -> None:
    """A name may be a tag for the job that checks it, and a branch for the job that builds or measures it."""
    handed_on = {
        f"{job}:{name}": str(job.body["with"][name])
        for job in JOBS.values()
        for name in ("ref", "base", "head", "measured")
        if job.called is not None and name in job.body.get("with", {})
    }
    assert {"confirm.yml:base:ref", "confirm.yml:head:ref", "confirm.yml:measure:base"} <= handed_on.keys()
    checked = re.compile(r"\$\{\{ (needs\.(plan|resolve)\.outputs\.(base|head)|github\.sha) \}\}")
    assert {place: text for place, text in handed_on.items() if not checked.fullmatch(text)} == {}
    (plan,) = [str(step["run"]) for step in JOBS["confirm.yml:plan"].steps if step.get("id") == "plan"]
    assert 'ci question --base "$BASE" --head "$HEAD"' in plan


def _runs_foreign_packages(job: Job) -> bool:
    """Whether npm runs in a job, or an action that is neither GitHub's own nor one that signs or pushes."""
    trusted = ("actions/", "./", "docker/", "graalvm/")
    actions = [str(step["uses"]) for step in job.steps if "uses" in step]
    programs = " ".join(str(step.get("run", "")) for step in job.steps)
    return any(not name.startswith(trusted) for name in actions) or "bench publish" in programs


def test_who_may_write_contents_runs_nothing_of_others() -> None:
    assert _runs_foreign_packages(JOBS["_publish.yml:points"])
    for job in JOBS.values():
        if job.permissions.get("contents") == "write":
            assert not _runs_foreign_packages(job), str(job)


def test_what_is_signed_and_pushed_is_computed_from_the_bytes_at_hand() -> None:
    for name in ("_attest.yml:verify", "_images.yml:image"):
        steps = [str(step.get("run", "")) for step in JOBS[name].steps]
        assert any("ci digests" in run and '--expect "$DIGESTS"' in run for run in steps), name
    verify = JOBS["_attest.yml:verify"]
    assert verify.body["outputs"]["digests"] == "${{ steps.verified.outputs.digests }}"
    assert "printf" not in verify.steps[-1]["run"]
    image = [str(step.get("run", step.get("uses"))) for step in JOBS["_images.yml:image"].steps]
    pushes = next(place for place, text in enumerate(image) if "build-push-action" in text)
    assert any("--expect" in text for text in image[:pushes])


def test_what_follows_a_record_follows_its_job_and_not_its_words() -> None:
    for name in ("publish", "ledger"):
        assert "needs.record.result == 'success'" in JOBS[f"campaign.yml:{name}"].body["if"]


def test_a_build_that_is_lost_costs_a_campaign_its_subject_and_no_more() -> None:
    assert JOBS["_build.yml:pack"].body["continue-on-error"] == "${{ inputs.missing == 'leave-out' }}"
    assert JOBS["_build.yml:digests"].body["if"] == "${{ !cancelled() }}"
    leaves_out = [str(job) for job in JOBS.values() if job.body.get("with", {}).get("missing") == "leave-out"]
    assert leaves_out == ["campaign.yml:build"]
    assert JOBS["campaign.yml:attest"].body["if"] == "${{ !cancelled() && needs.build.outputs.digests != '' }}"


def test_logs_that_are_lost_hold_up_no_page_and_no_alert() -> None:
    """What signs a record does: every record that is published is signed."""
    may_fail = {job.name for job in WORKFLOWS["_record.yml"].jobs if "continue-on-error" in job.body}
    assert may_fail == {"logs"}
    assert JOBS["_record.yml:logs"].body["outputs"] == {"assets": "${{ steps.logs.outputs.assets }}"}
    outputs = WORKFLOWS["_record.yml"].triggers["workflow_call"]["outputs"]
    assert outputs["logs"]["value"] == "${{ jobs.logs.outputs.assets }}"


def test_packs_come_to_their_digests_in_the_folders_of_their_builds() -> None:
    (fetch,) = [step for step in JOBS["_build.yml:digests"].steps if "download-artifact@" in str(step.get("uses"))]
    assert "merge-multiple" not in fetch["with"]


def test_what_is_signed_of_a_record_is_what_its_job_verified() -> None:
    (step,) = JOBS["_record.yml:attest"].steps
    assert step["with"]["subject-digest"] == "sha256:${{ needs.commit.outputs.manifest }}"
    assert JOBS["_record.yml:commit"].body["outputs"]["manifest"] == "${{ steps.record.outputs.manifest }}"
    assert "/.github/workflows/_record.yml --source-ref refs/heads/main\n" in readme().decode()


def test_a_deployment_takes_the_pages_of_the_attempt_that_made_them() -> None:
    """An attempt that runs again keeps its artifact beside the older one, and two of one name can't be deployed."""
    pages, deploy = JOBS["_publish.yml:pages"], JOBS["_publish.yml:deploy"]
    (kept,) = [step["with"]["name"] for step in pages.steps if "upload-pages-artifact@" in str(step.get("uses"))]
    assert kept == pages.body["outputs"]["artifact"] == "github-pages-${{ github.run_attempt }}"
    assert deploy.steps[0]["with"]["artifact_name"] == "${{ needs.pages.outputs.artifact }}"


@each_job
def test_a_job_that_may_fail_does_not_reach_its_own_limit(job: Job) -> None:
    """Such a job is cancelled, and so is its workflow, whatever `continue-on-error` says of failures."""
    if "continue-on-error" in job.body:
        assert sum(step["timeout-minutes"] for step in job.steps) < job.body["timeout-minutes"]


def test_a_campaign_that_lost_something_ends_in_a_job_that_fails_and_says_it() -> None:
    complete = JOBS["campaign.yml:complete"]
    lost = {
        "Artifacts": "needs.build.outputs.failed != ''",
        "Logs": f"needs.record.result == 'success' && needs.record.outputs.logs == '' && {GUARD}",
    }
    assert {"build", "record"} <= set(complete.body["needs"])
    assert complete.body["if"] == f"${{{{ !cancelled() && ({lost['Artifacts']} || ({lost['Logs']})) }}}}"
    assert {step["name"]: step["if"] for step in complete.steps} == {
        "Artifacts": lost["Artifacts"],
        "Logs": f"${{{{ !cancelled() && {lost['Logs']} }}}}",
    }
    for step in complete.steps:
        environ = {"PATH": os.environ["PATH"], "FAILED": "a,b", "SESSION": "No session is recorded."}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        ended = subprocess.run(words, env=environ, capture_output=True, text=True)
        assert ended.returncode == 1 and ended.stdout.startswith("::error::") and not ended.stderr
        assert ("No session is recorded. a,b" in ended.stdout) == (step["name"] == "Artifacts")


def test_whoever_writes_the_ledger_waits_for_the_other() -> None:
    writers = [job for job in JOBS.values() if "ci alerts" in str(job.steps)]
    assert {str(job) for job in writers} == {"campaign.yml:ledger", "confirm.yml:ledger"}
    for job in writers:
        assert job.body["concurrency"] == {"group": "ledger", "queue": "max"}
        runs = [str(step.get("run", "")) for step in job.steps]
        assert any("ci keep data alerts.json" in run for run in runs), str(job)


def test_a_record_is_held_against_the_artifacts_of_both_sides() -> None:
    for name in ("bench-pr.yml:report", "confirm.yml:ledger"):
        body = str(JOBS[name].steps)
        assert '--digests "$BASE_DIGESTS" --digests "$HEAD_DIGESTS"' in body
        assert {"base", "measure"} <= set(JOBS[name].body["needs"])


def test_a_session_is_kept_however_the_job_ends() -> None:
    last = JOBS["_measure.yml:measure"].steps[-1]
    assert last["if"] == "always()" and last["with"]["include-hidden-files"] is True


def test_a_session_is_kept_without_its_caches() -> None:
    """A cache has tens of megabytes, and serves nothing but a session that goes on where it was begun."""
    kept = [
        step["with"]["path"].splitlines()
        for name in ("_measure.yml:measure", "pr.yml:measure")
        for step in JOBS[name].steps
        if "actions/upload-artifact@" in str(step.get("uses"))
    ]
    assert kept == [["results/local/", f"!results/local/{RUNNING}/*/aot"]] * 2


def kept_by(job: Job) -> list[str]:
    """The names of the artifacts that a job keeps."""
    return [
        with_outputs(WORKFLOWS[job.workflow], step["with"]["name"])
        for step in job.steps
        if "actions/upload-artifact@" in str(step.get("uses"))
    ]


def with_outputs(workflow: Workflow, text: str) -> str:
    """A text of a workflow in which each output of another job of this workflow is replaced by its value."""
    return re.sub(
        r"\$\{\{ (?:needs|jobs)\.(\w+)\.outputs\.(\w+) \}\}",
        lambda match: str(workflow.body["jobs"][match[1]]["outputs"][match[2]]),
        text,
    )


@each_job
def test_artifacts_say_what_an_empty_one_means_and_have_a_name_of_their_own(job: Job) -> None:
    for step in job.steps:
        if "actions/upload-artifact@" in str(step.get("uses")):
            assert step["with"]["if-no-files-found"] in ("error", "warn", "ignore")
            assert ("strategy" in job.body) <= ("matrix." in step["with"]["name"])


def test_names_of_artifacts_are_unique_in_a_run() -> None:
    for workflow in WORKFLOWS.values():
        names: list[str] = []
        for job in workflow.jobs:
            jobs_run = [job] if job.called is None else WORKFLOWS[job.called.rsplit("/", 1)[-1]].jobs
            side = job.body.get("with", {}).get("side", "head")
            names += [
                name.replace("${{ inputs.side }}", side) for called_job in jobs_run for name in kept_by(called_job)
            ]
        assert len(names) == len(set(names)), workflow.name


def test_each_host_of_a_campaign_measures_blocks_of_its_own_and_fails_alone() -> None:
    measure = JOBS["campaign.yml:measure"].body
    hosts = {"host": "${{ fromJSON(needs.plan.outputs.hosts) }}"}
    assert measure["strategy"] == {"fail-fast": False, "matrix": hosts}
    assert measure["with"]["host"] == "${{ matrix.host }}"
    runs = [str(step.get("run")) for step in JOBS["_measure.yml:measure"].steps]
    (run,) = [line for line in runs if "bench run" in line]
    assert '--blocks "$BLOCKS"' in run
    record = JOBS["campaign.yml:record"].body
    assert record["with"]["hosts"] == "${{ needs.plan.outputs.host }}"
    assert "contains(needs.plan.outputs.host, ',')" in record["if"]


def test_a_called_workflow_under_a_matrix_names_artifacts_after_it() -> None:
    for caller in JOBS.values():
        if caller.called is None or "strategy" not in caller.body:
            continue
        varying = [name for name, value in caller.body["with"].items() if str(value).startswith("${{ matrix.")]
        for job in WORKFLOWS[caller.called.rsplit("/", 1)[-1]].jobs:
            for artifact in kept_by(job):
                assert any(f"inputs.{name} " in artifact for name in varying), str(job)


def test_the_artifact_of_a_session_has_one_name_for_all_who_ask_for_it() -> None:
    measure = WORKFLOWS["_measure.yml"]
    (session,) = kept_by(JOBS["_measure.yml:measure"])
    assert with_outputs(measure, measure.triggers["workflow_call"]["outputs"]["session"]["value"]) == session
    lab_session = session.replace("${{ inputs.host }}", "lab-a")
    other_names = [name for job in JOBS.values() if str(job) != "_measure.yml:measure" for name in kept_by(job)]
    askers = set()
    for job in JOBS.values():
        for step in job.steps:
            inputs = step.get("with", {})
            if "actions/download-artifact@" not in str(step.get("uses")) or "session" not in step["name"]:
                continue
            askers.add(str(job))
            if "pattern" in inputs:
                assert fnmatchcase(lab_session, inputs["pattern"])
                assert not [name for name in other_names if fnmatchcase(name, inputs["pattern"])]
                text = (ROOT / "harness/plumbline/cli/ci/record.py").read_text(encoding="utf-8")
                assert f"`{inputs['pattern']}`" in text
            else:
                assert inputs["name"] == "${{ needs.measure.outputs.session }}"
                assert "measure" in job.body["needs"]
                assert JOBS[f"{job.workflow}:measure"].called == "./.github/workflows/_measure.yml"
    assert askers == {"_record.yml:commit", "_record.yml:logs", "bench-pr.yml:report", "confirm.yml:ledger"}
    for page in ("docs/operate.md", "docs/scale.md"):
        assert f"`{lab_session.replace('lab-a', 'HOST')}`" in (ROOT / page).read_text(encoding="utf-8"), page


def test_sessions_are_joined_before_anything_of_them_is_kept() -> None:
    steps = [str(step.get("run", "")) for step in JOBS["_record.yml:commit"].steps]
    join = next(place for place, run in enumerate(steps) if "ci join" in run)
    assert '--hosts "$HOSTS"' in steps[join]
    assert next(place for place, run in enumerate(steps) if "ci record" in run) > join


@each_job
def test_what_needs_github_itself_is_guarded(job: Job) -> None:
    callers = [
        caller.body.get("if", "") for caller in JOBS.values() if (caller.called or "").endswith(f"/{job.workflow}")
    ]
    job_is_guarded = GUARD in job.body.get("if", "") or (bool(callers) and all(GUARD in guard for guard in callers))
    for step in job.steps:
        if str(step.get("uses", "")).startswith(GITHUB_ALONE) or re.search(r"(^|\s)gh ", str(step.get("run", ""))):
            assert job_is_guarded or GUARD in step.get("if", ""), f"{job}: {step.get('name')}"


def test_nodes_own_cache_is_off() -> None:
    for path in action_files():
        text = path.read_text(encoding="utf-8")
        assert text.count("actions/setup-node@") == text.count("package-manager-cache: false")
    for workflow in WORKFLOWS.values():
        assert "actions/setup-node@" not in workflow.text


def test_a_version_of_java_is_a_number_in_every_step_that_sets_up_a_jdk() -> None:
    """setup-graalvm looks for an asset of exactly this version, which a name of the distribution would be part of."""
    versions = re.findall(r"^ +java-version: (.+)$", action_files()[0].read_text(encoding="utf-8"), re.MULTILINE)
    assert len(versions) == 3 and all(re.fullmatch(r'"\d+"', version) for version in versions)


def test_what_is_called_is_granted_no_more_than_its_caller_has() -> None:
    order = {"none": 0, "read": 1, "write": 2}
    for caller in JOBS.values():
        if caller.called is not None:
            for job in WORKFLOWS[caller.called.rsplit("/", 1)[-1]].jobs:
                for name, level in job.permissions.items():
                    assert order[level] <= order[caller.permissions.get(name, "none")], f"{caller} -> {job}: {name}"
