"""The supervisor's only loop: requests from the client, ends of processes, and the end of the client.

    request  {"id": 1, "do": "spawn", "argv": [...], "cwd": "", "env": {},
              "user": null | [uid, gid, [groups]],
              "stdout": "", "stop_signal": 15, "death_signal": 9, "files": [...], "cpus": [...]}
             {"id": 2, "do": "signal", "pid": 4711, "number": 15}
             {"id": 3, "do": "terminate", "pid": 4711, "grace_s": 10}
             {"id": 4, "do": "groups", "folders": [...]}      folders to remove in the end
             {"id": 5, "do": "end_strays", "spared": [4712], "groups": [".../cgroup.procs"]}
    answer   {"id": 1, "pid": 4711, "spawned_at_s": 12.3} | {"id": 2} | {"id": 3} | {"id": 4}
             {"id": 1, "errno": 2, "step": "/usr/bin/java"}
             {"id": 5, "strays": [{"pid": 4713, "command": "sh", "cpu_us": 10000, "ended": true}]}
    news     {"exited": 4711, "status": 0}                    minus the signal's number when a signal ended it

When the socket or the parent process ends, everything is brought down:

    t = 0 s       each process gets its death signal (SIGKILL; PostgreSQL SIGQUIT, so that it ends its own)
    t < 1.5 s     until then they may end by themselves
    t < 3.5 s     SIGKILL to every descendant and every process with the session's mark, until none is left
    t < 13.5 s    the control groups are removed, which rarely takes more than some milliseconds
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.measuring.launch.supervisor import born, marked, strays

_PR_SET_CHILD_SUBREAPER = 36
_ENDS_THE_HARNESS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)

BY_THEMSELVES_S = 1.5
BY_FORCE_S = 2.0
# On a busy machine, a second was once not enough.
REMOVE_GROUPS_S = 10.0
# The time that others leave the supervisor to bring everything down, with a second and a half for its last looks.
BROUGHT_DOWN_WITHIN_S = BY_THEMSELVES_S + BY_FORCE_S + REMOVE_GROUPS_S + 1.5


@dataclass
class Running:
    """A process that the supervisor started. `kill_at_s` is set once the process was asked to end."""

    stop_signal: int
    death_signal: int
    kill_at_s: float | None = None


class Loop:
    """Runs until the peer is gone."""

    def __init__(self, peer: socket.socket, parent: int, session: str, proc: Path = Path("/proc")) -> None:
        self._peer = peer
        self._parent = parent
        self._session = session
        self._proc = proc
        self._running: dict[int, Running] = {}
        self._groups: list[Path] = []
        self._received = b""
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Serve requests until the peer is gone, then end everything."""
        for number in _ENDS_THE_HARNESS:
            signal.signal(number, signal.SIG_IGN)
        # Orphans of our children become our own children instead of init's, so that descendants can be found.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        child_ended = self._watch_children()
        self._selector.register(self._peer, selectors.EVENT_READ)
        try:
            # Another process may have inherited the peer's socket, so the end of the parent is watched as well.
            self._selector.register(os.pidfd_open(self._parent), selectors.EVENT_READ, "parent")
            self._serve(child_ended)
        except (ProcessLookupError, ConnectionError):
            # The parent or its end of the socket was gone before the loop began.
            pass
        finally:
            self._bring_down()

    def _serve(self, child_ended: socket.socket) -> None:
        while True:
            for key, _ in self._selector.select(self._until_next_kill()):
                if key.data == "parent":
                    return
                if key.fileobj is child_ended:
                    child_ended.recv(4096)
                elif not self._receive():
                    return
            self._reap()
            self._kill_overdue()

    def _watch_children(self) -> socket.socket:
        read_end, write_end = socket.socketpair()
        read_end.setblocking(False)
        write_end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(write_end.detach(), warn_on_full_buffer=False)
        self._selector.register(read_end, selectors.EVENT_READ)
        return read_end

    def _receive(self) -> bool:
        part = self._peer.recv(1 << 16)
        *lines, self._received = (self._received + part).split(b"\n")
        for line in lines:
            request = json.loads(line)
            self._write(id=request["id"], **self._answer(request))
        return bool(part)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "spawn":
                return self._spawn(request)
            case "signal":
                self._signal(request["pid"], request["number"])
            case "terminate":
                self._terminate(request["pid"], request["grace_s"])
            case "groups":
                self._groups = [Path(folder) for folder in request["folders"]]
            case "end_strays":
                return {"strays": self._end_strays(request["spared"], request["groups"])}
        return {}

    def _spawn(self, request: dict[str, Any]) -> dict[str, Any]:
        request["env"][marked.MARK] = self._session
        try:
            pid, spawned_at_s = born.start_process(born.ProcessSpec.of(request))
        except OSError as error:
            return {"errno": error.errno, "step": error.filename}
        self._running[pid] = Running(request["stop_signal"], request["death_signal"])
        return {"pid": pid, "spawned_at_s": spawned_at_s}

    def _terminate(self, pid: int, grace_s: float) -> None:
        if pid in self._running:
            self._running[pid].kill_at_s = time.monotonic() + grace_s
            self._signal(pid, self._running[pid].stop_signal)

    def _end_strays(self, spared: list[int], groups: list[str]) -> list[dict[str, object]]:
        """End every process that belongs neither to a running program nor to the spared processes."""

        def find() -> set[int]:
            return strays.strays_of(
                self._proc,
                supervisor=os.getpid(),
                session=self._session,
                roots=(*self._running, *spared),
                groups=map(Path, groups),
                ours=(self._parent,),
            )

        return strays.end_strays(self._proc, find, self._reap)

    def _signal(self, pid: int, number: int) -> None:
        # Only the pid of a child that was not yet waited for surely still names the process that was meant.
        if pid in self._running:
            os.kill(pid, number)

    def _until_next_kill(self) -> float | None:
        times = [running.kill_at_s for running in self._running.values() if running.kill_at_s is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _kill_overdue(self) -> None:
        for pid, running in self._running.items():
            if running.kill_at_s is not None and time.monotonic() >= running.kill_at_s:
                running.kill_at_s = None
                _kill_group(pid)

    def _reap(self) -> None:
        while pid := _ended_child():
            if self._running.pop(pid, None) is None:
                os.waitpid(pid, 0)
                continue
            # Until the child is reaped, no other process can have its pid; the rest of its group must not outlive it.
            _kill_group(pid)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            self._write(exited=pid, status=status)

    def _write(self, **fields: Any) -> None:
        self._peer.sendall(json.dumps(fields).encode() + b"\n")

    def _bring_down(self) -> None:
        for pid, running in self._running.items():
            os.kill(pid, running.death_signal)
        end_s = time.monotonic() + BY_THEMSELVES_S
        while self._remaining() and time.monotonic() < end_s:
            time.sleep(0.02)
        marked.end_all(self._remaining, BY_FORCE_S)
        end_s = time.monotonic() + REMOVE_GROUPS_S
        while not self._groups_removed() and time.monotonic() < end_s:
            time.sleep(0.02)

    def _remaining(self) -> set[int]:
        while pid := _ended_child():
            os.waitpid(pid, 0)
        own_pid = os.getpid()
        parent_of = marked.parents(self._proc)
        marked_pids = {pid for pid in parent_of if marked.session_of(self._proc, pid) == self._session}
        return marked.with_descendants({own_pid, *marked_pids}, parent_of) - {own_pid, self._parent}

    def _groups_removed(self) -> bool:
        for folder in self._groups:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.is_dir() for folder in self._groups)


def _ended_child() -> int | None:
    """Return a child that has ended and still waits to be reaped."""
    try:
        child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return child.si_pid if child is not None else None


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
