"""One connection of one client, from its credentials to the end of everything that it started.

{"id": 1, "do": "enter", "argv": [...], "cwd": "", "env": {}}  + 2 descriptors   -> {"id": 1, "pid": 4711}
{"id": 1, "do": "join", "namespace": "plumbline-1a2b3c", "cpus": {...}}
                                      -> {"id": 1, "groups": {...}, "database": "/folder", "work": "/folder"}
{"id": 2, "do": "spawn", "role": "app", "argv": [...], "cwd": "", "env": {}}  + 1 descriptor
                                                          -> {"id": 2, "pid": 4711, "spawned_at_s": 12.3}
{"id": 2, "do": "spawn", "beside": 4711, "argv": [...], "cwd": "", "env": {}}  + 1 descriptor
                                                          -> the same: as the user of that application
{"id": 3, "do": "empty"}                                  -> {"id": 3}, with a new work folder for the next application
{"id": 3, "do": "signal", "pid": 4711, "number": 15}      -> {"id": 3}
{"id": 4, "do": "terminate", "pid": 4711, "number": 15, "grace_s": 10}  -> {"id": 4}
{"id": 5, "do": "read", "pid": 4711, "file": "environ"}   -> {"id": 5, "content": "<base64>" | null}
anything refused                                          -> {"id": 6, "refused": "one sentence"}
news                                                      {"exited": 4711, "status": 0}
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import secrets
import selectors
import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

from . import partitions, requests, systemd
from .config import Config, Refused
from .folders import counters, empty_tmp, empty_work, make_folders, remove_folders
from .on_host import run_on_host
from .units import NAMESPACES, ROLES, slice_of

_NAMESPACE = re.compile(r"plumbline-[0-9a-f]{6}\Z")
_LINE_BYTES = 1 << 20
_DESCRIPTORS = 2
# For requests that several threads sent at once.
_MOST_DESCRIPTORS = 32
_READ_BYTES = 1 << 20


class Connection:
    """Serves one client until it hangs up."""

    def __init__(self, config: Config, connection: socket.socket, proc: Path = Path("/proc")) -> None:
        self._config, self._socket, self._proc = config, connection, proc
        self._pid, self._uid = _peer(connection)
        self._selector = selectors.DefaultSelector()
        self._units: dict[int, systemd.Unit] = {}
        self._descriptors: list[int] = []
        self._received = b""
        self._namespace = ""
        self._place = ""
        self._entered = False
        self._cpus: dict[str, tuple[int, ...]] = {}
        self._started = 0

    def run(self) -> None:
        """Serve the client. Raises Refused if somebody else than the configured user asks."""
        if self._uid != self._config.uid:
            raise Refused(f"only {self._config.user} may ask")
        self._selector.register(self._socket, selectors.EVENT_READ)
        try:
            while self._serve():
                self._kill_overdue()
        finally:
            self._end_session()

    def _serve(self) -> bool:
        for key, _ in self._selector.select(self._until_next_kill()):
            if key.data is not None:
                self._report_end(key.data)
            else:
                content, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 16, _DESCRIPTORS)
                self._descriptors += descriptors
                if not content:
                    return False
                *lines, self._received = (self._received + content).split(b"\n")
                if len(self._received) > _LINE_BYTES or len(self._descriptors) > _MOST_DESCRIPTORS:
                    return False
                for line in lines:
                    self._answer(line)
        return True

    def _answer(self, line: bytes) -> None:
        number: Any = None
        try:
            words = json.loads(line)
            number = words["id"]
            answer = self._do(words)
        except Refused as refusal:
            answer = {"refused": str(refusal)}
        except (ValueError, KeyError, TypeError):
            answer = {"refused": "a request is an object with id and do"}
        self._say(id=number, **answer)

    def _do(self, words: dict[str, Any]) -> dict[str, Any]:
        match words["do"]:
            case "enter":
                return self._enter(words)
            case "join":
                return self._join(words)
            case "spawn":
                return self._spawn(words)
            case "empty":
                self._require_joined()
                empty_work(self._config, self._place)
            case "signal":
                self._signal(words)
            case "terminate":
                grace_s = requests.number(words, "grace_s", 0, 600)
                if (unit := self._signal(words)) is not None:
                    unit.kill_at_s = time.monotonic() + grace_s
            case "read":
                return self._read(words)
            case other:
                raise Refused(f"there is no verb '{other}'")
        return {}

    def _enter(self, words: dict[str, Any]) -> dict[str, Any]:
        """Start the harness of a session, as the user that asks, in a new namespace."""
        if self._namespace:
            raise Refused("a connection is one session")
        outputs = self._take(2)
        program = requests.program(words)
        self._namespace, self._entered = f"plumbline-{secrets.token_hex(3)}", True
        run_on_host("ip", "netns", "add", self._namespace)
        run_on_host("ip", "-n", self._namespace, "link", "set", "lo", "up")
        program["env"] = {**program["env"], "PLUMBLINE_SANDBOX": self._namespace}
        answer = self._start("harness", (), program, outputs)
        return {name: value for name, value in answer.items() if name != "spawned_at_s"}

    def _join(self, words: dict[str, Any]) -> dict[str, Any]:
        """Let the harness join from within: its namespace is read from its process, not from its request."""
        if self._namespace:
            raise Refused("a connection is one session")
        name = words.get("namespace")
        if not isinstance(name, str) or not _NAMESPACE.match(name):
            raise Refused("there is no such namespace")
        try:
            is_inside = os.stat(NAMESPACES / name).st_ino == os.stat(self._proc / str(self._pid) / "ns/net").st_ino
        except OSError:
            is_inside = False
        if not is_inside:
            raise Refused("the asking process is not in that namespace")
        self._cpus = requests.cpus(words)
        # The two sides of a comparison are in one namespace, each with folders of its own.
        place = f"{name}-{os.getpid()}"
        folders = make_folders(self._config, place)
        self._namespace, self._place = name, place
        partitions.take(place, self._cpus)
        groups = {role: str(partitions.GROUPS / slice_of(place, role)) for role in ROLES}
        return {"groups": groups, **folders}

    def _spawn(self, words: dict[str, Any]) -> dict[str, Any]:
        self._require_joined()
        outputs = self._take(1)
        if "beside" in words:
            unit = self._units.get(words["beside"])
            if unit is None or not unit.user:
                raise Refused("it starts beside an application alone")
            return self._start("beside", self._cpus["harness"], requests.program(words), outputs, unit.user)
        role, program = requests.role(words), requests.program(words)
        return self._start(role, self._cpus[role], program, outputs)

    def _require_joined(self) -> None:
        if not self._place:
            raise Refused("join comes first")

    def _take(self, count: int) -> list[int]:
        """Take the descriptors that came with this request, which are for its output."""
        if len(self._descriptors) < count:
            raise Refused(f"it needs {count} open files for its output")
        outputs, self._descriptors = self._descriptors[:count], self._descriptors[count:]
        return outputs

    def _start(
        self, role: str, cpus: tuple[int, ...], program: dict[str, Any], outputs: list[int], user: str = ""
    ) -> dict[str, Any]:
        self._started += 1
        name = f"{self._namespace}-{role}-{os.getpid()}-{self._started}.service"
        try:
            if role == "app":
                user = f"{self._place}-{self._started}"
                empty_tmp(self._config, self._place)
            started = systemd.start(
                self._config, name, role, self._namespace, self._place, cpus, program, outputs, user
            )
        finally:
            for descriptor in outputs:
                os.close(descriptor)
        if isinstance(started, dict):
            return started
        unit, began_s = started
        self._units[unit.pid] = unit
        self._selector.register(os.pidfd_open(unit.runner.pid), selectors.EVENT_READ, unit)
        return {"pid": unit.pid, "spawned_at_s": began_s}

    def _read(self, words: dict[str, Any]) -> dict[str, Any]:
        name, unit = requests.readable(words), self._units.get(words["pid"])
        if unit is None:
            return {"content": None}
        try:
            # These are bytes of a process of this very session; whatever it wrote there is mere data for the client.
            if name == "hsperfdata":
                content = counters(self._config, self._place, unit.pid, (self._proc / str(unit.pid)).stat().st_uid)
            else:
                with (self._proc / str(unit.pid) / name).open("rb") as file:
                    content = file.read(_READ_BYTES)
        except OSError:
            return {"content": None}
        return {"content": None if content is None else base64.b64encode(content).decode()}

    def _signal(self, words: dict[str, Any]) -> systemd.Unit | None:
        """Send a signal to a process of this session; nothing happens if the process has just ended."""
        number = int(requests.number(words, "number", 1, signal.SIGRTMAX))
        unit = self._units.get(words["pid"])
        if unit is not None:
            unit.signal(number)
        return unit

    def _report_end(self, unit: systemd.Unit) -> None:
        for key in list(self._selector.get_map().values()):
            if key.data is unit:
                self._selector.unregister(key.fileobj)
                os.close(key.fd)
        del self._units[unit.pid]
        self._say(exited=unit.pid, status=unit.status())

    def _until_next_kill(self) -> float | None:
        times = [unit.kill_at_s for unit in self._units.values() if unit.kill_at_s is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _kill_overdue(self) -> None:
        for unit in self._units.values():
            if unit.kill_at_s is not None and time.monotonic() >= unit.kill_at_s:
                unit.kill_at_s = None
                unit.kill()

    def _say(self, **words: Any) -> None:
        # The client may be gone; then its end is seen in the next round.
        with contextlib.suppress(OSError):
            self._socket.sendall(json.dumps(words).encode() + b"\n")

    def _end_session(self) -> None:
        for unit in self._units.values():
            unit.kill()
        leftovers: list[str] = []
        if self._place:
            leftovers += partitions.give_back(self._place)
            remove_folders(self._config, self._place)
        if self._entered:
            systemd.stop(f"{self._namespace}-*.service")
            leftovers += partitions.give_back(self._namespace)
            _delete_namespace(self._namespace)
        _refuse_leftovers(leftovers)


def _peer(connection: socket.socket) -> tuple[int, int]:
    """Return pid and uid of the client, as the kernel knows them."""
    size = struct.calcsize("3i")
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return pid, uid


def _delete_namespace(name: str) -> None:
    """Delete a namespace. Raises Refused only if it is still there: its own connection may have deleted it already."""
    try:
        run_on_host("ip", "netns", "delete", name)
    except Refused:
        if (NAMESPACES / name).exists():
            raise


def _refuse_leftovers(leftovers: list[str]) -> None:
    """Raise Refused with the names of what is left, if anything is."""
    if leftovers:
        raise Refused(f"still there after its session: {' '.join(leftovers)}")


def sweep(config: Config) -> None:
    """End every session, even one that is being served: call it only when no session should run.

    Raises Refused with the names of what is left.
    """
    systemd.stop(f"plumbline-{'[0-9a-f]' * 6}-*.service")
    leftovers = partitions.give_back("plumbline")
    with contextlib.suppress(OSError):
        for path in sorted(NAMESPACES.iterdir()):
            if _NAMESPACE.match(path.name):
                _delete_namespace(path.name)
    with contextlib.suppress(OSError):
        for path in sorted(config.sessions.iterdir()):
            remove_folders(config, path.name)
        leftovers += sorted(str(path) for path in config.sessions.iterdir())
    _refuse_leftovers(leftovers)
