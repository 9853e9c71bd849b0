"""A process in a container: the engine's client is our child, and the application is a child of the engine.

    spawn the client (0 ms) -> the engine makes the container -> its process is there -> ... -> SIGTERM -> remove

The client hands SIGTERM on and ends with the status of its program. It runs on the CPUs of the harness: only the
container runs on the application's CPUs.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.tools.container import SESSION_LABEL, ContainerEngine, RunningContainer
from plumbline.measuring.place.interface import QUOTA_PERIOD_US
from plumbline.model.errors import AnswerIsNo
from .interface import RunningProcess, Spawner
from .supervisor import marked

# The pause between two questions to the engine, each of which takes it some tens of milliseconds.
LOOK_S = 0.05
# The engine is asked once the application has answered, so it knows the process by then.
KNOWN_WITHIN_S = 30.0


@dataclass(frozen=True)
class Mount:
    """A file or folder of this host, which the container sees at `target`, or at the same path if that is None."""

    source: Path
    target: Path | None = None
    writable: bool = False

    @property
    def words(self) -> tuple[str, str]:
        """The mount as words of the command line."""
        fields = ["type=bind", f"source={self.source}", f"target={self.target or self.source}"]
        return "--mount", ",".join(fields if self.writable else [*fields, "readonly"])


@dataclass(frozen=True)
class InContainer:
    """A program in a container: an image by its digest, and in it `argv` with the variables `env`.

    `cpus` are those of the role; `nodes` are those whose memory alone the container gets, none for all; `limit` is the
    CPU time that the container may have, in CPUs, None for no limit; `user` and `parent` are the options that name its
    user, and the control group around its own; `limits` are names, soft and hard values of ulimit (-1: none).
    """

    image: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cpus: tuple[int, ...]
    nodes: tuple[int, ...] = ()
    limit: float | None = None
    mounts: tuple[Mount, ...] = ()
    user: tuple[str, ...] = ()
    parent: tuple[str, ...] = ()
    limits: tuple[tuple[str, int, int], ...] = ()

    def words(self, engine: Sequence[str], name: str, session: str) -> list[str]:
        """Return the command line; values of variables come in the environment, since all users see command lines.

        The container shares the host's network, as in study 000, and its process ids: the first process of a namespace
        of its own ignores SIGTERM unless it handles the signal, which a native image need not do, and a JVM's counters
        are named by its process id.
        """
        program_in_image, *arguments = self.argv
        return [
            *(*engine, "run", "--rm", "--pull=never", "--name", name),
            *("--label", f"{SESSION_LABEL}={session}"),
            *("--network", "host", "--pid", "host", "--pids-limit", "-1"),
            *("--log-driver", "none", "--read-only"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--security-opt", "label=disable"),
            *self.user,
            *self.parent,
            *("--cpuset-cpus", ",".join(map(str, self.cpus))),
            *(("--cpuset-mems", ",".join(map(str, self.nodes))) if self.nodes else ()),
            *self._limit_words(),
            *(word for name, soft, hard in self.limits for word in ("--ulimit", f"{name}={soft}:{hard}")),
            *(word for mount in self.mounts for word in mount.words),
            # The container gets the session's mark as well, so that leftovers are found by the mark.
            *(word for variable in (*sorted(self.env), marked.MARK) for word in ("--env", variable)),
            *("--entrypoint", program_in_image, self.image, *arguments),
        ]

    def is_run_by(self, process: Path) -> bool:
        """Return whether a process (its folder in /proc) is this program; False where it is not ours to read."""
        command_line = b"".join(os.fsencode(word) + b"\0" for word in self.argv)
        variables = {os.fsencode(f"{name}={value}") for name, value in self.env.items()}
        try:
            return (process / "cmdline").read_bytes() == command_line and variables <= {
                *(process / "environ").read_bytes().split(b"\0")
            }
        except OSError:
            return False

    def _limit_words(self) -> tuple[str, ...]:
        if self.limit is None:
            return ()
        quota = round(self.limit * QUOTA_PERIOD_US)
        return "--cpu-period", str(QUOTA_PERIOD_US), "--cpu-quota", str(quota)


class Contained:
    """The process of a container; see `launch.interface.RunningProcess`. The container is removed when it has ended.

    `pid` is the application's own; it can be read only once the engine has reported it, so a reader waits until then.
    """

    def __init__(self, client: RunningProcess, engine: ContainerEngine, name: str, program: InContainer) -> None:
        self.spawned_at_s = client.spawned_at_s
        self._client, self._engine, self._name, self._program = client, engine, name, program
        self._running: RunningContainer | None = None
        self._removed = False

    def seen_pid(self, proc: Path) -> int | None:
        """Return the application's process id without a wait for the engine, which takes longer than a short start;
        None if procfs does not show the process.
        """
        if self._running is not None:
            return self._running.pid
        # The container shares the host's process ids, and its process is younger than the client.
        younger = (pid for pid in marked.pids(proc) if pid > self._client.pid)
        return next((pid for pid in younger if self._program.is_run_by(proc / str(pid))), None)

    @property
    def pid(self) -> int:
        """The application's process id on this host. Raises AnswerIsNo when the engine names none."""
        return self._known_container().pid

    @property
    def container(self) -> str:
        """The container's id, as in the names of its control groups. Raises AnswerIsNo like `pid`."""
        return self._known_container().id

    def wait_until_known(self) -> None:
        """Wait until the engine has reported the container's process. Raises AnswerIsNo like `pid`."""
        self._known_container()

    def poll(self) -> int | None:
        """See RunningProcess."""
        return self._remove_at_end(self._client.poll())

    def wait(self, timeout_s: float) -> int | None:
        """See RunningProcess."""
        return self._remove_at_end(self._client.wait(timeout_s))

    def signal(self, number: int) -> None:
        """See RunningProcess."""
        self._engine.signal(self._name, number)

    def terminate(self, timeout_s: float) -> int | None:
        """See RunningProcess; the container is removed, and its last processes are killed, whatever its client says."""
        status = self._client.terminate(timeout_s)
        self.remove()
        return status

    def remove(self) -> None:
        """End and remove the container. May be called twice."""
        if not self._removed:
            self._removed = True
            self._engine.remove(self._name)

    def _remove_at_end(self, status: int | None) -> int | None:
        if status is not None:
            self.remove()
        return status

    def _known_container(self) -> RunningContainer:
        """Ask the engine only when its answer is wanted: its questions would take CPU time from a measured start."""
        end_s = time.monotonic() + KNOWN_WITHIN_S
        while self._running is None and time.monotonic() < end_s and self._client.poll() is None:
            self._running = self._engine.running(self._name)
            if self._running is None:
                time.sleep(LOOK_S)
        if self._running is None:
            raise AnswerIsNo(
                "The engine names no process of the application's container.",
                "The application's log says why.",
            )
        return self._running


def _without_proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without its proxies, which Podman would hand on to the container."""
    return {name: value for name, value in environ.items() if not name.lower().endswith("_proxy")}


class Containers:
    """The containers of one testbed, none of which outlives it."""

    def __init__(self, engine: ContainerEngine, session: str) -> None:
        self.engine = engine
        self._session = session
        self._started: list[Contained] = []

    def start(self, spawner: Spawner, program: InContainer, *, cwd: Path, stdout: Path) -> Contained:
        """Start the application in a container; the output of both it and the engine is appended to `stdout`."""
        name = f"plumbline-{secrets.token_hex(6)}"
        client = spawner.spawn(
            role="harness",
            argv=program.words(self.engine.command, name, self._session),
            cwd=cwd,
            env={**_without_proxies(self.engine.environ), **program.env},
            stdout=stdout,
        )
        self._started.append(Contained(client, self.engine, name, program))
        return self._started[-1]

    def close(self) -> None:
        """Remove the containers that are left."""
        for contained in self._started:
            contained.remove()
