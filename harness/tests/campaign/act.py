"""Runs workflows by act in the place of GitHub, and keeps the account of every job that ran."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.workflows.built import built
from tests.workflows.reading import workflows
from .checkout import REPOSITORY
from .github import TOKEN, GitHub

_FILES = {str(workflow.body["name"]): workflow.name for workflow in workflows()}
# The labels of runners that there are: GitHub's own, and the scale set of docs/scale.md.
RUNNERS = ("ubuntu-24.04", "plumbline-metal")
# The values that docs/operate.md names, to try everything in minutes.
VARIABLES = {
    "PLUMBLINE_SCALE": "0.01",
    "PLUMBLINE_SUBJECTS": "vertx-pg/jvm/pg",
    "PLUMBLINE_CHECKS": "format",
    "PLUMBLINE_HOST": "hosted",
}


@dataclass(frozen=True)
class Job:
    """A job that ran: its file, and its id in the file. `seconds` are from its first line of output to its last."""

    run: str
    file: str
    name: str
    seconds: float
    passed: bool


@dataclass(frozen=True)
class Run:
    """A run of a workflow, with all that its steps printed, annotations too, and the outputs that they set."""

    number: int
    passed: bool
    jobs: tuple[Job, ...]
    text: str
    outputs: dict[str, str]

    def job(self, name: str) -> Job:
        """Return the only job with an id, given as `file:job`."""
        (matching,) = [job for job in self.jobs if f"{job.file}:{job.name}" == name]
        return matching

    @property
    def names(self) -> set[str]:
        """`file:job` of all that ran."""
        return {f"{job.file}:{job.name}" for job in self.jobs}


@dataclass
class Machine:
    """`folder` has everything; `sources` is what a job checks out, and `actions` are act's words for stand-ins."""

    folder: Path
    sources: Path
    hub: GitHub
    actions: list[str]
    jobs: list[Job] = field(default_factory=list)
    number: int = 1000

    @property
    def artifacts(self) -> Path:
        """The folder that has one folder for each run."""
        return self.folder / "artifacts"

    def run(
        self,
        workflow: str,
        event: str,
        payload: dict[str, Any] | None = None,
        *,
        about: str,
        sources: Path | None = None,
        environ: dict[str, str] | None = None,
        **variables: str,
    ) -> Run:
        """Run a workflow, whether it passes or not. `about` is for people; a job gets `environ` besides its own."""
        self.number += 1
        number, checkout = self.number, sources or self.sources
        event_file, log = self.folder / "event.json", self.folder / f"{number}-{workflow}.log"
        repository = {"full_name": REPOSITORY, "default_branch": "main"}
        event_file.write_text(json.dumps({"repository": repository, **(payload or {})}))
        command = [
            *(str(built("act")), event, "--workflows", f".github/workflows/{workflow}", "--json"),
            *("--eventpath", str(event_file)),
            *(word for label in RUNNERS for word in ("--platform", f"{label}=-self-hosted")),
            *("--action-offline-mode", "--no-skip-checkout", "--no-cache-server", "--concurrent-jobs", "1"),
            *("--secret", f"GITHUB_TOKEN={TOKEN}"),
            *self.actions,
            *(word for name, value in {**VARIABLES, **variables}.items() for word in ("--var", f"{name}={value}")),
            *(
                word
                for name, value in {**self._environment(number, checkout), **(environ or {})}.items()
                for word in ("--env", f"{name}={value}")
            ),
        ]
        with log.open("wb") as output:
            process = subprocess.run(
                command, cwd=checkout, stdout=output, stderr=subprocess.STDOUT, check=False,
                env={**os.environ, "GITHUB_TOKEN": ""},
            )  # fmt: skip
        run = _read(log, number, process.returncode == 0, about)
        self.jobs += run.jobs
        return run

    def _environment(self, number: int, sources: Path) -> dict[str, str]:
        """The environment of jobs: where artifacts lie, and that the addresses of GitHub are on this machine."""
        inherited = {name: os.environ[name] for name in ("HOME", "JAVA_HOME", "XDG_CACHE_HOME") if name in os.environ}
        return {
            **inherited,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "STAND_IN_SOURCES": str(sources),
            "STAND_IN_ARTIFACTS": str(self.artifacts),
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_RUN_ID": str(number),
            # act gives steps a terminal, GitHub does not.
            "TERM": "dumb",
        }


def passed(run: Run) -> Run:
    """Return a run that has to pass. Raises AssertionError with the last words of the run."""
    assert run.passed, run.text[-6000:]
    return run


def _file_of(job: str) -> str | None:
    """The file of a job. act names a job by its caller, the name of its workflow and its own name."""
    positions = {f"/{job}".rfind(f"/{name}/"): file for name, file in _FILES.items()}
    return positions[max(positions)] if max(positions) >= 0 else None


def _read(log: Path, number: int, passed: bool, about: str) -> Run:
    """Read a run from act's log: one JSON document a line, and a last line that is plain text."""
    times_of_job: dict[tuple[str, str, str], list[datetime]] = {}
    result_of_job: dict[tuple[str, str, str], bool] = {}
    printed: list[str] = []
    outputs: dict[str, str] = {}
    for line in log.read_text(errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            printed.append(line)
            continue
        if row.get("raw_output"):
            printed.append(row["msg"].rstrip("\n"))
        elif row.get("command") in ("error", "warning", "notice"):
            printed.append(row["raw"])
        if row.get("command") == "set-output":
            outputs[row["name"]] = row["arg"]
        file = _file_of(row.get("job", ""))
        if file is None:
            continue
        key = (file, row["jobID"], row["job"])
        times_of_job.setdefault(key, []).append(datetime.fromisoformat(row["time"].replace("Z", "+00:00")))
        if "jobResult" in row:
            result_of_job[key] = row["jobResult"] == "success"
    jobs = tuple(
        Job(about, file, name, (max(moments) - min(moments)).total_seconds(), result_of_job[file, name, full_name])
        for (file, name, full_name), moments in times_of_job.items()
        if (file, name, full_name) in result_of_job
    )
    return Run(number, passed, jobs, "\n".join(printed), outputs)
