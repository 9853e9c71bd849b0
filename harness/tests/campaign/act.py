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
# What is said in docs/operate.md to try everything in minutes.
VARIABLES = {
    "PLUMBLINE_SCALE": "0.01",
    "PLUMBLINE_SUBJECTS": "vertx-pg/jvm/pg",
    "PLUMBLINE_CHECKS": "format",
    "PLUMBLINE_HOST": "hosted",
}


@dataclass(frozen=True)
class Job:
    """One job that ran, by its file and its id there. `seconds` are from its first word to its last."""

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
        """The only job of that id."""
        (found,) = [job for job in self.jobs if f"{job.file}:{job.name}" == name]
        return found

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
        """One folder a run in it."""
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
        """A run, whether it passed or not. `about` is for people; a job gets `environ` besides its own."""
        self.number += 1
        number, where = self.number, sources or self.sources
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
                for name, value in {**self._environment(number, where), **(environ or {})}.items()
                for word in ("--env", f"{name}={value}")
            ),
        ]
        with log.open("wb") as output:
            ended = subprocess.run(
                command, cwd=where, stdout=output, stderr=subprocess.STDOUT, check=False,
                env={**os.environ, "GITHUB_TOKEN": ""},
            )  # fmt: skip
        found = _read(log, number, ended.returncode == 0, about)
        self.jobs += found.jobs
        return found

    def _environment(self, number: int, sources: Path) -> dict[str, str]:
        """What jobs find: where artifacts lie, and that the addresses of GitHub are on this machine."""
        kept = {name: os.environ[name] for name in ("HOME", "JAVA_HOME", "XDG_CACHE_HOME") if name in os.environ}
        return {
            **kept,
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
    """A run that has to pass; its last words otherwise."""
    assert run.passed, run.text[-6000:]
    return run


def _file_of(job: str) -> str | None:
    """The file of a job as act names it: who calls it, the name of its workflow, its own name."""
    places = {f"/{job}".rfind(f"/{name}/"): file for name, file in _FILES.items()}
    return places[max(places)] if max(places) >= 0 else None


def _read(log: Path, number: int, passed: bool, about: str) -> Run:
    """A run out of act's log: one JSON document a line, and a last line of its own."""
    times: dict[tuple[str, str, str], list[datetime]] = {}
    results: dict[tuple[str, str, str], bool] = {}
    said: list[str] = []
    outputs: dict[str, str] = {}
    for line in log.read_text(errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            said.append(line)
            continue
        if row.get("raw_output"):
            said.append(row["msg"].rstrip("\n"))
        elif row.get("command") in ("error", "warning", "notice"):
            said.append(row["raw"])
        if row.get("command") == "set-output":
            outputs[row["name"]] = row["arg"]
        file = _file_of(row.get("job", ""))
        if file is None:
            continue
        key = (file, row["jobID"], row["job"])
        times.setdefault(key, []).append(datetime.fromisoformat(row["time"].replace("Z", "+00:00")))
        if "jobResult" in row:
            results[key] = row["jobResult"] == "success"
    jobs = tuple(
        Job(about, file, name, (max(its) - min(its)).total_seconds(), results[file, name, whole])
        for (file, name, whole), its in times.items()
        if (file, name, whole) in results
    )
    return Run(number, passed, jobs, "\n".join(said), outputs)
