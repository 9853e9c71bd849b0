"""Finds podman or docker, and speaks with it: images of artifacts, containers, and what dead sessions left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .running import Ran, Run

ENGINES = ("podman", "docker")
INSTALL = "apt install podman"
# On every container of ours, with the session that started it.
SESSION_LABEL = "plumbline.session"
ARTIFACT_LABEL = "plumbline.artifact"


@dataclass(frozen=True)
class ContainerImage:
    """An image as its engine knows it: the digest of its configuration, and its size with all layers."""

    sha256: str
    size_bytes: int


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
    run: Run

    @property
    def is_podman(self) -> bool:
        """Whether it is podman, also where that is called docker."""
        return "podman" in self.version.lower()

    def build(self, words: Sequence[str], waiting: Callable[[float], None]) -> Ran:
        """Build an image; `words` follow `build`."""
        return self._ask("build", *words, waiting=waiting)

    def image(self, name: str) -> ContainerImage | None:
        """The image of that name, if this host has it."""
        said = self._said("image", "inspect", "--format", "{{.Id}} {{.Size}}", name)
        if len(said) != 2:
            return None
        return ContainerImage(said[0].removeprefix("sha256:"), int(said[1]))

    def running(self, name: str) -> RunningContainer | None:
        """The container of that name, once its process is there."""
        words = ("inspect", "--type", "container", "--format", "{{.Id}} {{.State.Pid}}", name)
        said = self._said(*words)
        return RunningContainer(said[0], int(said[1])) if len(said) == 2 and said[1] != "0" else None

    def signal(self, name: str, number: int) -> None:
        """Send a signal to a container's process; nothing happens when it has ended."""
        self._ask("kill", "--signal", str(number), name)

    def remove(self, name: str) -> None:
        """Kill a container and take it away; nothing happens when it is gone."""
        # Podman alone would ask first, and wait.
        at_once = ("--time", "0") if self.is_podman else ()
        self._ask("rm", "--force", *at_once, "--volumes", name)

    def of_sessions(self) -> tuple[str, ...]:
        """Ids of all containers that sessions started, running or not."""
        return tuple(self._said("ps", "--all", "--quiet", "--filter", f"label={SESSION_LABEL}"))

    def _said(self, *words: str) -> list[str]:
        ran = self._ask(*words)
        return ran.output.split() if ran.exit_code == 0 else []

    def _ask(self, *words: str, waiting: Callable[[float], None] = lambda _: None) -> Ran:
        return self.run([str(self.program), *words], cwd=Path("/"), env=self.environ, waiting=waiting)


def engine_on_path(environ: Mapping[str, str]) -> Path | None:
    """The first of podman and docker on PATH."""
    for name in ENGINES:
        if found := shutil.which(name, path=environ.get("PATH", os.defpath)):
            return Path(found)
    return None


def find_container_engine(environ: Mapping[str, str], run: Run) -> ContainerEngine | str:
    """The engine of this host, or why nothing can run in a container here, with what would mend it."""
    program = engine_on_path(environ)
    if program is None:
        return f"there is neither podman nor docker on this host. `{INSTALL}` installs one."
    said: list[Ran] = []
    for words in (["--version"], ["ps", "--quiet"]):
        try:
            said.append(run([str(program), *words], cwd=Path("/"), env=environ, waiting=lambda _: None))
        except OSError as error:
            return f"{program} can't be started ({error.strerror}). `{INSTALL}` installs another engine."
        if said[-1].exit_code != 0:
            lines = [line.strip() for line in said[-1].output.splitlines() if line.strip()]
            last = lines[-1].removeprefix("Error: ").rstrip(".") if lines else "it says nothing"
            return f"{program.name} does not answer: {last}. `{program.name} ps` has to work for this user."
    return ContainerEngine(program, said[0].output.strip(), environ, run)
