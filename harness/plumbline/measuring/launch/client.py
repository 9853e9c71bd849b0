"""The harness's side of the supervisor: start a process, wait for it, end it. Any thread may do so."""

from __future__ import annotations

import os
import pwd
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Unpack

from plumbline.measuring.launch import supervisor
from plumbline.measuring.launch.leftovers import end_session
from plumbline.measuring.launch.supervisor import marked
from plumbline.measuring.launch.supervisor.loop import BROUGHT_DOWN_WITHIN_S
from plumbline.measuring.place.channel import Channel
from plumbline.measuring.place.interface import PLACED_ROLES, PlacedRole, Placement
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Stray
from .interface import Child, StartRequest

# PostgreSQL ends its backends by itself on SIGQUIT (immediate shutdown); after SIGKILL they would linger.
_DEATH_SIGNALS: dict[PlacedRole, int] = {"db": signal.SIGQUIT}

# Roles whose programs end with a trial or a phase; the database's group holds processes of a container's engine.
_TEMPORARY_ROLES: tuple[PlacedRole, ...] = ("app", "load")

# The soft and the hard limit of open files that this process was started with.
OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)


class Supervisor:
    """Starts the supervisor and speaks with it. The end of the `with` block ends every process.

    `placement` must be prepared. `inherited` are descriptors that the supervisor keeps open as long as it lives:
    a lock among them is held until everything is cleaned up, even when the harness was killed.
    """

    def __init__(
        self,
        session: str,
        placement: Placement,
        *,
        log: Path,
        inherited: Sequence[int] = (),
        proc: Path = Path("/proc"),
    ) -> None:
        self._session = session
        self._placement = placement
        self._proc = proc
        program = [sys.executable, "-I", "-S", str(Path(supervisor.__file__).parent)]
        own_end, peer_end = socket.socketpair()
        # Programs inherit the supervisor's limit, which has to be the limit of the user's shell in every session.
        _limit_open_files(OPEN_FILES[0])
        with peer_end, log.open("ab") as output:
            self._process = subprocess.Popen(
                [*program, str(peer_end.fileno()), str(os.getpid()), session],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(peer_end.fileno(), *inherited),
                # The supervisor's own mark shows that the session is alive while nothing else of it runs.
                env={marked.MARK: session, "LANG": "C.UTF-8"},
                start_new_session=True,
            )
        # The samplers keep a file open for each thread of an application.
        _limit_open_files(OPEN_FILES[1])
        self._channel = Channel(own_end, _supervisor_ended)
        self.ask(do="groups", folders=[str(folder) for folder in placement.groups()])

    @property
    def pid(self) -> int:
        """The supervisor's own process id."""
        return self._process.pid

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def spawn(self, **program: Unpack[StartRequest]) -> Child:
        """Start a program; see `launch.interface.Spawner`."""
        role, user = program["role"], program.get("user")
        if role not in PLACED_ROLES:
            raise ValueError(f"{role} is none of {', '.join(PLACED_ROLES)}")
        entry = self._placement.entry(role)
        answer = self.ask(
            do="spawn",
            argv=program["argv"],
            cwd=str(program["cwd"]),
            env=program["env"],
            user=None if user is None else _user_ids(user),
            stdout=str(program["stdout"]),
            stop_signal=int(program.get("stop_signal", signal.SIGTERM)),
            death_signal=int(_DEATH_SIGNALS.get(role, signal.SIGKILL)),
            files=[str(file) for file in entry.files],
            cpus=list(program.get("cpus", entry.cpus)),
        )
        if "errno" in answer:
            raise UsageError(
                f"{program['argv'][0]} can't be started: {os.strerror(answer['errno'])} ({answer['step']}).",
                "Check that it is there and may be run by this user.",
            )
        return Child(self, answer["pid"], answer["spawned_at_s"])

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        """See `launch.interface.Spawner`. Finds descendants, marked processes and processes in the groups."""
        groups = [str(file) for role in _TEMPORARY_ROLES for file in self._placement.entry(role).files]
        answer = self.ask(do="end_strays", spared=list(spared), groups=groups)
        return tuple(Stray.model_validate(stray) for stray in answer["strays"])

    def ask(self, **fields: Any) -> dict[str, Any]:
        """Send one request, and wait for its answer. Raises CannotGoOn when the supervisor is gone."""
        return self._channel.ask(**fields)

    def exit_of(self, pid: int, timeout_s: float) -> int | None:
        """Return the exit status of a child, or None when it still runs after `timeout_s`.

        Raises CannotGoOn when the supervisor is gone, since nobody else knows the status.
        """
        return self._channel.exit_of(pid, timeout_s)

    def close(self) -> None:
        """End every process of the session, and remove its groups. May be called twice."""
        self._channel.hang_up()
        try:
            self._process.wait(BROUGHT_DOWN_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._channel.close()
        # A supervisor that was itself killed leaves the processes that its death signals do not reach.
        end_session(self._proc, self._session)
        self._placement.close()


def _limit_open_files(soft: int) -> None:
    # A kernel that allows fewer files than the hard limit refuses any change, and then the limit stays as it is.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, OPEN_FILES[1]))


def _supervisor_ended() -> CannotGoOn:
    return CannotGoOn(
        "The process that supervises all others is gone; it was killed, or ran out of memory.",
        "Go on: `./bench list` says how.",
    )


def _user_ids(name: str) -> tuple[int, int, list[int]]:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise UsageError(f"There is no user {name} on this machine.", "Name one that exists.") from None
    return entry.pw_uid, entry.pw_gid, os.getgrouplist(name, entry.pw_gid)
