"""Images that are pushed, or baked by hand, are made and labelled as the images that trials run in."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbline.cli.changed import matrix
from plumbline.machine.tools.container import ARTIFACT_LABEL, DIGEST_LABEL, JDK_LABEL, REVISION_LABEL
from plumbline.measuring.cluster.images import images_of
from tests.change.checkout import git
from tests.checkout import CATALOG
from tests.cluster.planned import PINS
from .reading import ROOT, Job, workflows

CONTAINERS = ROOT / "apps" / "containers"


(_WORKFLOW,) = (workflow for workflow in workflows() if workflow.name == "_images.yml")
JOBS = {job.name: job for job in _WORKFLOW.jobs}


def by_action(job: Job) -> dict[str, dict[str, Any]]:
    return {step["uses"].partition("@")[0]: step["with"] for step in job.steps if "with" in step}


def test_what_is_pushed_has_the_labels_of_what_is_measured() -> None:
    inputs = by_action(JOBS["image"])
    labels = dict(line.split("=", 1) for line in inputs["docker/metadata-action"]["labels"].splitlines() if line)
    # The action itself adds the commit.
    assert labels == {
        ARTIFACT_LABEL: "${{ matrix.artifact }}",
        DIGEST_LABEL: "${{ steps.packed.outputs.sha256 }}",
    }
    built = inputs["docker/build-push-action"]
    assert built["file"].startswith("apps/containers/") and built["file"].endswith(".Containerfile")


@pytest.mark.parametrize("job", [JOBS["image"], JOBS["observer"]], ids=str)
def test_every_image_says_what_it_is_and_how_it_was_made(job: Job) -> None:
    inputs = by_action(job)
    built = inputs["docker/build-push-action"]
    assert built["push"] is True and built["sbom"] is True and built["provenance"] == "mode=max"
    assert built["labels"] == "${{ steps.names.outputs.labels }}"
    assert built["tags"] == "${{ steps.names.outputs.tags }}"
    assert "type=raw,value=${{ inputs.tag }}" in inputs["docker/metadata-action"]["tags"].splitlines()


@pytest.mark.parametrize(
    "subject", ["control/jvm/pg", "vertx-pg/native.graalvm/pg", "quarkus-rest-orm/jvm/pg+release=3.34.3"]
)
def test_images_are_pushed_by_the_names_that_a_session_takes(subject: str) -> None:
    taken = images_of(CATALOG.subject(subject), PINS, "ghcr.io/owner/repo")
    (row,) = matrix(CATALOG, [subject])["include"]
    assert taken.application in pushed_by("image", row["image"])
    assert taken.observer in pushed_by("observer", row["image"])


def pushed_by(job: str, image: str) -> set[str]:
    """The names by which a job pushes its image; `image` is the name of an artifact's image in the matrix."""
    names = by_action(JOBS[job])["docker/metadata-action"]
    tags = [line.removeprefix("type=raw,value=").partition(",enable=")[0] for line in names["tags"].splitlines()]
    pushed = names["images"].replace("${{ github.repository }}", "owner/repo")
    return {f"{pushed.replace('${{ matrix.image }}', image)}:{tag}" for tag in tags}


@pytest.mark.parametrize(
    ("tag", "is_latest"), [("v0.9.0", False), ("v0.10.0", True), ("v0.11.0-rc.1", False), ("v0.10.1", False)]
)
def test_only_the_newest_release_is_the_latest(tmp_path: Path, tag: str, is_latest: bool) -> None:
    """By the order of versions, whatever was tagged last; v0.10.1 is taken back."""
    remote, output = tmp_path / "remote", tmp_path / "output"
    remote.mkdir()
    git(remote, "init", "-q")
    git(remote, "commit", "-q", "--allow-empty", "-m", "a release")
    for other in ("v0.10.0", "v0.11.0-rc.1", "v0.9.0", "x/v9.0.0", "v-next"):
        git(remote, "tag", other)
    (step,) = JOBS["latest"].steps
    output.touch()
    environ = {**os.environ, "TAG": tag, "REMOTE": str(remote), "GITHUB_OUTPUT": str(output)}
    subprocess.run(["bash", "-e", "-c", step["run"]], check=True, env=environ)
    assert output.read_text() == ("latest=true\n" if is_latest else "")


def test_the_latest_names_wait_for_that_answer_and_the_tag_needs_none() -> None:
    for name in ("image", "observer"):
        tags = by_action(JOBS[name])["docker/metadata-action"]["tags"].splitlines()
        assert (JOBS[name].body["needs"], JOBS[name].body["if"]) == ("latest", "${{ !cancelled() }}")
        assert tags[1:] == ["type=raw,value=latest,enable=${{ needs.latest.outputs.is == 'true' }}"]


def test_the_image_of_observers_is_the_one_that_is_baked_by_hand() -> None:
    built = by_action(JOBS["observer"])["docker/build-push-action"]
    assert (built["context"], built["file"]) == ("harness", "harness/observer.Containerfile")
    text = (CONTAINERS / "docker-bake.hcl").read_text(encoding="utf-8")
    assert f'context    = "{built["context"]}"\n  dockerfile = "observer.Containerfile"' in text


def test_what_is_baked_by_hand_has_them_too() -> None:
    text = (CONTAINERS / "docker-bake.hcl").read_text(encoding="utf-8")
    labels = dict(re.findall(r'^    "([a-z0-9.]+)" += ([A-Z0-9]+)$', text, re.MULTILINE))
    assert labels == {ARTIFACT_LABEL: "ARTIFACT", DIGEST_LABEL: "SHA256", REVISION_LABEL: "REVISION"}
    assert {f'variable "{name}"' for name in labels.values()} <= {line.removesuffix(" {") for line in text.splitlines()}


def test_java_is_named_by_its_base() -> None:
    text = (CONTAINERS / "jvm.Containerfile").read_text(encoding="utf-8")
    assert f"\nLABEL {JDK_LABEL}=${{JAVA_VERSION}}\n" in text


def test_dependabot_looks_where_a_base_is_written_in_its_own_line() -> None:
    """Dependabot reads no arguments: https://github.com/dependabot/dependabot-core/issues/2057."""
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    (docker,) = [update for update in updates if update["package-ecosystem"] == "docker"]
    recipes = [path for folder in ("apps/containers", "harness") for path in (ROOT / folder).glob("*.Containerfile")]
    read = {path.parent for path in recipes if re.search(r"^FROM [^$\s]+", path.read_text(), re.MULTILINE)}
    assert {ROOT / folder.lstrip("/") for folder in docker["directories"]} == read
