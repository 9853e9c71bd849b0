"""Finds podman or docker, and speaks with it: images of artifacts, containers, and what dead sessions left."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .running import CommandOutput, CommandRunner

ENGINES = ("podman", "docker")
# Names one of them where a host has both, or a program elsewhere.
ENGINE_VARIABLE = "PLUMBLINE_CONTAINER_ENGINE"
INSTALL = "apt install podman"
# A slice of systemd right below the root.
SLICE = "plumbline.slice"
# On every container of ours, with the session that started it.
SESSION_LABEL = "plumbline.session"
# On every image of ours: what is in it (name and digest), the commit it was made of, and its base's word on Java.
ARTIFACT_LABEL = "plumbline.artifact"
DIGEST_LABEL = "plumbline.artifact.sha256"
REVISION_LABEL = "org.opencontainers.image.revision"
JDK_LABEL = "plumbline.jdk"

# An engine that was just started by its first question answers within a few seconds.
_ANSWERS_WITHIN_S = 30.0

# Labels as JSON: an image may have none at all, which engines say in ways of their own.
_IMAGE_FORMAT = "{{.Id}} {{.Size}} {{json .Config.Labels}}"


@dataclass(frozen=True)
class ContainerImage:
    """An image as its engine knows it: the digest of its configuration, its size with all layers, its label of Java."""

    sha256: str
    size_bytes: int
    jdk: str | None = None


@dataclass(frozen=True)
class RunningContainer:
    """A container that is up: its own id, and its first process as this host numbers it."""

    id: str
    pid: int


@dataclass(frozen=True)
class ContainerEngine:
    """An engine that answers. `version` is its own word, such as `podman version 5.6.2`."""

    program: Path
    version: str
    environ: Mapping[str, str]
    run: CommandRunner

    @property
    def is_podman(self) -> bool:
        """Whether it is podman, also where that is called docker."""
        return "podman" in self.version.lower()

    @property
    def command(self) -> tuple[str, ...]:
        """The first words of each command: without warnings, which would stand in answers and in logs."""
        return str(self.program), "--log-level", "error"

    @cached_property
    def parent_words(self) -> tuple[str, ...]:
        """The options of `run` by which docker puts a container beside `system.slice`, where it would be by default: a
        lab keeps that slice on the CPUs of housekeeping (`bench-host apply`). Podman uses other slices.

        Only where docker leaves control groups to systemd is a slice a parent.
        """
        answer = self._ask("info", "--format", "{{.CgroupDriver}}")
        return ("--cgroup-parent", SLICE) if answer.exit_code == 0 and answer.output.strip() == "systemd" else ()

    def build(self, words: Sequence[str], waiting: Callable[[float], None]) -> CommandOutput:
        """Build an image; `words` follow `build`."""
        return self._ask("build", *words, waiting=waiting)

    def image(self, name: str) -> ContainerImage | None:
        """Return the image of that name, if this host has it."""
        result = self._ask("image", "inspect", "--format", _IMAGE_FORMAT, name)
        if result.exit_code != 0:
            return None
        digest, size, labels = result.output.strip().split(" ", 2)
        jdk = (json.loads(labels) or {}).get(JDK_LABEL) or None
        return ContainerImage(digest.removeprefix("sha256:"), int(size), jdk)

    def pull(self, name: str, waiting: Callable[[float], None]) -> str | None:
        """Fetch an image, and return the engine's own word on why it can't be had; None once it is here."""
        result = self._ask("pull", "--quiet", name, waiting=waiting)
        return None if result.exit_code == 0 else last_word(result.output)

    def running(self, name: str) -> RunningContainer | None:
        """Return the container of that name, once its process is there."""
        words = ("inspect", "--type", "container", "--format", "{{.Id}} {{.State.Pid}}", name)
        id_and_pid = self._answer_words(*words)
        return (
            RunningContainer(id_and_pid[0], int(id_and_pid[1]))
            if len(id_and_pid) == 2 and id_and_pid[1] != "0"
            else None
        )

    def signal(self, name: str, number: int) -> None:
        """Send a signal to a container's process; nothing happens when it has ended."""
        self._ask("kill", "--signal", str(number), name)

    def remove(self, name: str) -> None:
        """Kill a container and take it away; nothing happens when it is gone."""
        # Only podman would first ask the process to end, and wait.
        at_once = ("--time", "0") if self.is_podman else ()
        self._ask("rm", "--force", *at_once, "--volumes", name)

    def of_sessions(self) -> tuple[str, ...]:
        """Return the ids of all containers that sessions started, running or not."""
        return tuple(self._answer_words("ps", "--all", "--quiet", "--filter", f"label={SESSION_LABEL}"))

    def _answer_words(self, *words: str) -> list[str]:
        result = self._ask(*words)
        return result.output.split() if result.exit_code == 0 else []

    def _ask(self, *words: str, waiting: Callable[[float], None] = lambda _: None) -> CommandOutput:
        return self.run([*self.command, *words], cwd=Path("/"), env=self.environ, waiting=waiting)


def last_word(output: str) -> str:
    """Return the last line of an engine's output, which says why it failed, without `Error:` and full stop."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1].removeprefix("Error: ").rstrip(".") if lines else "it says nothing"


def _engine_on_path(environ: Mapping[str, str]) -> Path | str:
    """Return the engine that the environment names, else the first of podman and docker on PATH; or what is missing."""
    chosen = environ.get(ENGINE_VARIABLE)
    for name in (chosen,) if chosen else ENGINES:
        if program := shutil.which(name, path=environ.get("PATH", os.defpath)):
            return Path(program)
    if chosen:
        return f"{ENGINE_VARIABLE} names {chosen}, which is no program on this host. Correct it, or leave it unset."
    return f"there is neither podman nor docker on this host. `{INSTALL}` installs one."


def _give_up(seconds: float) -> None:
    """Raise TimeoutError once an engine had its time, which ends the question: docker waits for its daemon for ever."""
    if seconds >= _ANSWERS_WITHIN_S:
        raise TimeoutError


def find_container_engine(environ: Mapping[str, str], run: CommandRunner) -> ContainerEngine | str:
    """Return the engine of this host, or why nothing can run in a container here, with what would mend it."""
    program = _engine_on_path(environ)
    if isinstance(program, str):
        return program
    outputs: list[CommandOutput] = []
    for words in (["--version"], ["ps", "--quiet"]):
        try:
            outputs.append(run([str(program), *words], cwd=Path("/"), env=environ, waiting=_give_up))
        except TimeoutError:
            return f"{program.name} does not answer within {_ANSWERS_WITHIN_S:.0f} s. `{program.name} ps` has to work."
        except OSError as error:
            return f"{program} can't be started ({error.strerror}). `{INSTALL}` installs another engine."
        if outputs[-1].exit_code != 0:
            last = last_word(outputs[-1].output)
            return f"{program.name} does not answer: {last}. `{program.name} ps` has to work for this user."
    return ContainerEngine(program, outputs[0].output.strip(), environ, run)
