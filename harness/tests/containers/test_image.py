"""An image has in it what its labels and its configuration say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.machine.tools.container import ContainerEngine
from plumbline.machine.tools.git import commit_of
from plumbline.machine.tools.running import CommandOutput, run
from plumbline.measuring.build.packs import pack
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.job import Job
from plumbline.model.java import JAVA

SUBJECT = "control/jvm/pg+run-in=container"
# Made of a base that has a shell.
BARE = """\
ARG BASE
FROM ${BASE}
RUN rm -f /usr/bin/bash /usr/bin/dash /usr/bin/sh /bin/bash /bin/dash /bin/sh
"""


@pytest.fixture(scope="module")
def job(context: Context) -> Job:
    return context.job(SUBJECT)


def run_engine(engine: ContainerEngine, *words: str) -> CommandOutput:
    return run([*engine.command, *words], cwd=Path("/"), env=engine.environ, waiting=lambda _: None)


def output_of(engine: ContainerEngine, *words: str) -> str:
    ran = run_engine(engine, *words)
    assert ran.exit_code == 0, ran.output
    return ran.output


@pytest.fixture(scope="module")
def inspected(job: Job, containers: ContainerEngine) -> Any:
    assert job.image is not None
    (image,) = json.loads(output_of(containers, "image", "inspect", job.image.sha256))
    return image


def test_its_labels_name_what_it_was_made_of(job: Job, context: Context, inspected: Any) -> None:
    labels, (commit, _) = inspected["Config"]["Labels"], commit_of(context.root)
    assert commit is not None and job.image is not None
    assert labels["plumbline.artifact"] == "control/jvm/pg"
    assert labels["plumbline.artifact.sha256"] == job.artifact.build.sha256
    # The label stays while commits come that change nothing of the image.
    revision = labels["org.opencontainers.image.revision"].removesuffix("-dirty")
    assert len(revision) == len(commit) and set(revision) <= set("0123456789abcdef")
    assert labels["plumbline.jdk"] == job.image.jdk


def test_its_java_is_the_one_that_it_names(job: Job, containers: ContainerEngine) -> None:
    assert job.image is not None and job.image.jdk is not None
    words = ("run", "--rm", "--network", "host", "--entrypoint", str(JAVA), job.image.sha256, "--version")
    assert f"build {job.image.jdk.removeprefix('jdk-')}" in output_of(containers, *words)


def test_it_runs_as_nobody_and_begins_with_the_application(inspected: Any) -> None:
    config = inspected["Config"]
    assert config["User"] == "65532:65532" and config["WorkingDir"] == "/app"
    assert config["Entrypoint"] == [str(JAVA), "@java.options", "-jar", "app.jar"]


def test_its_size_is_what_the_record_says(job: Job, inspected: Any) -> None:
    assert job.image is not None and job.image.size_bytes == inspected["Size"] > job.artifact.build.size_bytes


def test_it_is_made_once(job: Job, context: Context) -> None:
    again = context.job(SUBJECT).image
    assert job.image is not None and again is not None
    assert (again.sha256, again.reused, again.wall_s) == (job.image.sha256, True, 0)


def test_a_base_without_a_shell_will_do(
    job: Job, context: Context, containers: ContainerEngine, tmp_path: Path
) -> None:
    assert job.image is not None and job.image.base is not None
    base, bare, made = job.image.base, "localhost/plumbline-test:bare", "localhost/plumbline-test:made"
    (tmp_path / "bare.Containerfile").write_text(BARE)
    pack(job.artifact, tmp_path / "pack").rename(tmp_path / "pack" / "app.tar")
    recipe = context.root / "apps" / "containers" / "jvm.Containerfile"
    build = ("build", "--tag")
    try:
        words = (*build, bare, "--build-arg", f"BASE={base}", "--file", str(tmp_path / "bare.Containerfile"))
        output_of(containers, *words, str(tmp_path))
        words = (*build, made, "--build-arg", f"BASE={bare}", "--build-arg", f"UNPACK={base}")
        output_of(containers, *words, "--file", str(recipe), str(tmp_path / "pack"))
        start = ("run", "--rm", "--network", "host", "--entrypoint")
        assert run_engine(containers, *start, "/bin/sh", made, "-c", "true").exit_code == 127
        assert "build " in output_of(containers, *start, str(JAVA), made, "--version")
    finally:
        run_engine(containers, "image", "rm", "--force", made, bare)
