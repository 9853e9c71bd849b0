"""What a trial says of the artifact that it ran."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.build.store import tree_sha256
from plumbline.measuring.run.draft import Draft, window_of
from plumbline.model.plan import Phase
from plumbline.model.subject import Subject
from plumbline.verdicts.figures.steady import Loads


@pytest.fixture
def job(tmp_path: Path) -> Any:
    """An artifact of one file, built and left alone since."""
    app = tmp_path / "app"
    app.mkdir()
    (app / "app.jar").write_bytes(b"as built")
    return SimpleNamespace(
        trial=SimpleNamespace(number=1),
        subject=Subject.parse("vertx-pg/jvm/pg"),
        scenario=SimpleNamespace(id="fruits@1", phases=()),
        variant=SimpleNamespace(spec=SimpleNamespace(started=None)),
        artifact=SimpleNamespace(folder=app, build=SimpleNamespace(sha256=tree_sha256(app))),
        image=None,
    )


def test_the_digest_is_of_what_lies_there(job: Any, tmp_path: Path) -> None:
    built = job.artifact.build.sha256
    assert Draft(job).evidence(tmp_path, {}, k6_logs=tmp_path).artifact_sha256 == built
    (job.artifact.folder / "app.jar").write_bytes(b"another build, put in its place")
    assert (
        Draft(job).evidence(tmp_path, {}, k6_logs=tmp_path).artifact_sha256 == tree_sha256(job.artifact.folder) != built
    )


def test_an_artifact_that_is_gone_has_no_digest(job: Any, tmp_path: Path) -> None:
    (job.artifact.folder / "app.jar").unlink()
    job.artifact.folder.rmdir()
    assert Draft(job).evidence(tmp_path, {}, k6_logs=tmp_path).artifact_sha256 == ""


def test_an_image_was_made_from_what_was_built(job: Any, tmp_path: Path) -> None:
    job.image = SimpleNamespace(sha256="c" * 64)
    (job.artifact.folder / "app.jar").write_bytes(b"no container sees this")
    assert Draft(job).evidence(tmp_path, {}, k6_logs=tmp_path).artifact_sha256 == job.artifact.build.sha256


def test_only_a_file_is_read_as_a_log_of_k6(job: Any, tmp_path: Path) -> None:
    (tmp_path / "closed.k6.log").touch()
    (tmp_path / "an.k6.log").mkdir()
    os.mkfifo(tmp_path / "other.k6.log")
    assert set(Draft(job).evidence(tmp_path, {}, k6_logs=tmp_path).logs) == {"k6-closed"}


@pytest.mark.parametrize(
    ("cycles", "least_cycles", "pause_s", "loads", "expected"),
    [
        (1, None, 0, ((1.5, 21.5),), ()),
        (1, None, 1, ((1.5, 7.5),), ((1.5, 6.5),)),
        (2, None, 1, ((1.0001, 13.0001),), ((1.0001, 6.0001), (7.0001, 12.0001))),
        (9, 2, 1, ((1.5, 6.5), (8.1, 13.1)), ((1.5, 6.5), (8.1, 13.1))),
    ],
    ids=["one load", "a load and a pause", "cycles as planned", "until steady"],
)
def test_a_window_says_when_there_was_load(
    cycles: int, least_cycles: int | None, pause_s: float, loads: Loads, expected: Loads
) -> None:
    phase = Phase(
        kind="warm-up",
        name="warm-up",
        duration_s=5,
        connections=1,
        cycles=cycles,
        least_cycles=least_cycles,
        pause_s=pause_s,
    )
    window = window_of(phase, loads)
    assert (window.start_s, window.end_s, window.cycles) == (loads[0][0], loads[-1][1], expected)
