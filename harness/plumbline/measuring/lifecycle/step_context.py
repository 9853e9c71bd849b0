"""The context of every step: the testbed, the private tree, the tools, and where logs go."""

from __future__ import annotations

import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.measuring.build.builder import Builder
from plumbline.measuring.build.command import engine_arguments, release_arguments, tail
from plumbline.measuring.launch.interface import RunningProcess, exit_in_words
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.errors import AnswerIsNo
from plumbline.verdicts.contract.endpoint import Endpoint
from .tree import Tree

# A build of one application on one slow CPU, tests included; a native image takes its own, longer limit.
BUILD_S = 600.0
STOP_S = 10.0
_ANSWER_S = 30.0


@dataclass(frozen=True)
class StepContext:
    """The context of one run of a step, with its own `log`. In the `discarded` first block Maven may download."""

    testbed: Testbed
    tree: Tree
    builder: Builder
    job: Job
    requests: int
    discarded: bool
    log: Path

    @property
    def folder(self) -> Path:
        """The private copy of the variant."""
        return self.tree.folder(self.job.variant)

    def maven_words(self, *goals: str) -> list[str]:
        """Return the command line of Maven with these goals for the subject's engine; offline in measured runs."""
        subject = self.job.subject
        subject_words = (
            *engine_arguments(self.job.variant, subject.engine),
            *release_arguments(self.job.variant, subject.settings),
        )
        words = (*subject_words, *goals)
        return self.tree.maven(self.builder.maven, words, offline=not self.discarded)

    def maven_env(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a build, with the `extra` variables."""
        return {**self.builder.environment, **(extra or {})}

    def spawn(self, argv: list[str], env: Mapping[str, str], cwd: Path | None = None) -> RunningProcess:
        """Start a process on the application's CPUs; its output goes to this run's log."""
        return self.testbed.spawner.spawn(role="app", argv=argv, cwd=cwd or self.folder, env=dict(env), stdout=self.log)

    def timed(
        self, argv: list[str], env: Mapping[str, str], cwd: Path | None = None, limit_s: float = BUILD_S
    ) -> float:
        """Return the seconds from a command's spawn to its good end. Raises AnswerIsNo with the log's last line."""
        process = self.spawn(argv, env, cwd)
        status = process.wait(limit_s)
        duration_s = time.monotonic() - process.spawned_at_s
        if status is None:
            process.terminate(STOP_S)
            raise AnswerIsNo(f"It did not end within {limit_s:.0f} s.")
        if status != 0:
            error_lines = [line for line in tail(self.log, 200) if line.startswith("[ERROR]")]
            raise AnswerIsNo(f"It ended with {exit_in_words(status)}: {(error_lines or tail(self.log, 1) or ('',))[0]}")
        return duration_s


def body_of(endpoint: Endpoint, path: str) -> str | None:
    """Return the body of a GET over a fresh connection; None without an answer of status 200."""
    connection = endpoint.connection(_ANSWER_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        content = response.read().decode(errors="replace")
        return content if response.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
