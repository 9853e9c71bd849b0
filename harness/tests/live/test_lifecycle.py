"""A step of a real variant, from the command to the document."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from plumbline.archive.record.write import digest_of
from plumbline.model.lifecycle import Lifecycle

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
SUBJECT = "quarkus-hello-rest/jvm/none"


def sources() -> str:
    ran = subprocess.run(
        ["git", "-C", str(ROOT), "status", "--porcelain", "apps"], capture_output=True, text=True, check=True
    )
    return ran.stdout


def test_a_clean_compile_is_measured_and_the_checkout_stays_as_it_is() -> None:
    before = sources()
    steps = ("--step", "compile", "--step", "native-build")
    ran = subprocess.run(
        [ROOT / "bench", "lifecycle", SUBJECT, *steps, "--blocks", "2", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stderr
    document = Lifecycle.model_validate(json.loads(ran.stdout))
    assert [(run.block, run.step, run.problem) for run in document.runs] == [
        (block, "compile", None) for block in (0, 1, 2)
    ]
    (figure,) = document.figures
    assert (figure.subject, figure.metric, figure.runs) == (SUBJECT, "compile_s", 2)
    assert figure.mean is not None and figure.low is not None and figure.high is not None
    assert figure.low < figure.mean < figure.high
    assert [(absence.step, absence.kind) for absence in document.absent] == [("native-build", "none")]
    assert "--offline" not in document.runs[0].command_line
    assert all("--offline" in run.command_line for run in document.runs[1:])
    folder = ROOT / "results" / "local" / "lifecycle" / document.session
    lines = (folder / "MANIFEST.sha256").read_text().splitlines()
    assert {path: digest for digest, path in (line.split("  ") for line in lines)} == {
        path.relative_to(folder).as_posix(): digest_of(path)
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("MANIFEST.sha256", "report.md")
    }
    assert sources() == before
