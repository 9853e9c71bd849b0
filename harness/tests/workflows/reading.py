"""Workflows and composite actions as the tests see them: parsed, and as text for what the comments say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]


class _Loader(yaml.SafeLoader):
    """Reads `on` and `off` as words, as YAML 1.2 does: `on:` is a key of a workflow."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


@dataclass(frozen=True)
class Job:
    """One job. `called` is the workflow that the job calls, if it does nothing else."""

    workflow: str
    name: str
    body: dict[str, Any]

    @property
    def called(self) -> str | None:
        return self.body.get("uses")

    @property
    def steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = self.body.get("steps", [])
        return steps

    @property
    def permissions(self) -> dict[str, str]:
        permissions: dict[str, str] = self.body.get("permissions", {})
        return permissions

    def __str__(self) -> str:
        return f"{self.workflow}:{self.name}"


@dataclass(frozen=True)
class Workflow:
    """One file of a workflow."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = yaml.load(self.text, _Loader)
        return body

    @property
    def triggers(self) -> dict[str, Any]:
        on = self.body["on"]
        return on if isinstance(on, dict) else dict.fromkeys([on] if isinstance(on, str) else on)

    @property
    def starts_by_itself(self) -> bool:
        """Whether anything but another workflow starts this workflow."""
        return set(self.triggers) != {"workflow_call"}

    @property
    def jobs(self) -> list[Job]:
        return [Job(self.name, name, body) for name, body in self.body["jobs"].items()]


def workflows(root: Path = ROOT) -> list[Workflow]:
    return [Workflow(path) for path in sorted((root / ".github/workflows").glob("*.yml"))]


def all_jobs(root: Path = ROOT) -> list[Job]:
    return [job for workflow in workflows(root) for job in workflow.jobs]


def action_files(root: Path = ROOT) -> list[Path]:
    return sorted((root / ".github/actions").glob("*/action.yml"))


def run_scripts(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """(place, script) of every `run:`."""
    for job in all_jobs(root):
        for step in job.steps:
            if "run" in step:
                yield f"{job}:{step.get('name')}", step["run"]
    for path in action_files(root):
        for step in yaml.load(path.read_text(encoding="utf-8"), _Loader)["runs"]["steps"]:
            if "run" in step:
                yield f"{path.parent.name}:{step.get('name')}", step["run"]
