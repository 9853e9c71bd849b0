"""`python -m plumbline.measuring.cluster.observing`: observes the containers of a trial on one node, with the samplers
of a host.

Runs in the pods of observers.py. Whoever has the session's token says which containers; their control groups and /proc
are read, and those of no other pod. The API of the cluster is not needed, and no token of it is there.
"""

from __future__ import annotations

import hmac
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from pydantic import Field, TypeAdapter

from plumbline.machine.host.kernel import parse_cpulist, read_topology
from plumbline.measuring.observe.observer import Observer
from plumbline.measuring.observe.open_file import read_once
from plumbline.measuring.observe.readers.affinity import read_affinity
from plumbline.measuring.observe.readers.identity import pss_bytes, rss_bytes
from plumbline.measuring.observe.samplers import SAMPLERS
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.place.groups import accounts_in
from plumbline.measuring.place.interface import Account
from plumbline.measuring.place.providers.cgroup1 import ACCOUNTS
from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Affinity, Cpuset, Series, ThreadUse, Window
from plumbline.model.host import CpuSets
from .names import REST_PORT
from .pod import ClusterRole

PORT = 7009
TOKEN = "PLUMBLINE_TOKEN"
TOKEN_HEADER = "Plumbline-Token"
GROUPS = Path("/cgroups")
"""Where the pod has the node's /sys/fs/cgroup."""

# They would read the pod's own network, and a database whose passwords this program has not.
_NOT_HERE = frozenset({"network", "database"})
# Controllers of version 1, whose folders are files' places and no more.
_ACCOUNTS: Mapping[str, Account] = {**ACCOUNTS, "cpu": "quota"}
_CPUS = ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus")
_UID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# As both drivers name the group of a pod, of whatever namespace: a systemd slice has '_' for '-'.
_OF_A_POD = re.compile(r"pod[0-9a-f]{8}([-_]?[0-9a-f]{4}){3}[-_]?[0-9a-f]{12}(\.slice)?$")
_LONGEST_BYTES = 1 << 20


class Watched(Frozen):
    """A container: its pod's UID, its own id as its runtime gave it, and the pod's address."""

    pod: str = Field(pattern=f"^{_UID}$")
    container: str = Field(pattern="^[0-9a-f]{64}$")
    address: IPv4Address | IPv6Address


Containers = dict[ClusterRole, tuple[Watched, ...]]


class Watch(Frozen):
    """A trial that begins: its zero by this node's clock, in seconds since 1970, and its containers here by role."""

    zero_s: float
    containers: Containers


class Seen(Frozen):
    """The evidence of one node of a trial. `cpus` are those of a role's columns, where they stayed the same all the
    time; `missed` are roles of which a container was never found here, so that nothing said of them is whole.
    """

    series: Series
    threads: tuple[ThreadUse, ...]
    cpus: dict[ClusterRole, tuple[int, ...]]
    cpusets: tuple[Cpuset, ...] = ()
    missed: frozenset[ClusterRole] = frozenset()
    rss_after_bytes: int | None
    pss_after_bytes: int | None


def groups_of(groups: Path, one: Watched) -> dict[str, Path]:
    """Return the control groups of a container by controller; the only one of version 2 under the empty name.

    The folders of other pods are not looked into.
    """
    if (groups / "cgroup.controllers").exists():
        hierarchies = {"": groups}
    else:
        # Version 1 may mount controllers together, under both names by links.
        folders = [place for place in groups.iterdir() if place.is_dir() and not place.is_symlink()]
        hierarchies = {name: place for place in folders for name in place.name.split(",")}
    found = {name: _group(place, one) for name, place in hierarchies.items()}
    return {name: place for name, place in found.items() if place is not None}


def _group(hierarchy: Path, one: Watched) -> Path | None:
    its = (f"pod{one.pod}", f"pod{one.pod.replace('-', '_')}.slice")
    for place, names, _ in os.walk(hierarchy):
        if place.endswith(its):
            return next((Path(place, name) for name in names if one.container in name), None)
        names[:] = [name for name in names if name.endswith(its) or not _OF_A_POD.search(name)]
    return None


class _Container:
    """A container on this node, with its groups and first process as soon as they are there."""

    def __init__(self, one: Watched, roots: Roots, groups: Path) -> None:
        self.one = one
        self._roots, self._place = roots, groups
        self._groups: dict[str, Path] = {}
        self._first: int | None = None
        self._cpus: tuple[int, ...] = ()
        self.was_found = False

    @property
    def groups(self) -> Mapping[str, Path]:
        if not self._groups:
            self._groups = groups_of(self._place, self.one)
        return self._groups

    def first(self) -> int | None:
        """Return the container's process 1 as this node counts it, from which all others descend; None if it ended."""
        processes = self._processes()
        if self._first not in processes:
            self._first = next((pid for pid in processes if self._is_first(pid)), None)
        self.was_found |= self._first is not None
        return self._first

    def _processes(self) -> list[int]:
        place = next(iter(self.groups.values()), None)
        # Some runtimes make a group below the container's own.
        folders = [] if place is None else [folder for folder, _, _ in os.walk(place)]
        files = (read_once(f"{folder}/cgroup.procs") for folder in folders)
        return [int(pid) for content in files for pid in (content or b"").split()]

    def _is_first(self, pid: int) -> bool:
        status = read_once(self._roots.proc / str(pid) / "status") or b""
        numbers = status.partition(b"\nNSpid:")[2].partition(b"\n")[0].split()
        return numbers[-1:] == [b"1"]

    def accounts(self) -> dict[Account, Path]:
        """The folders of its files, as samplers take them."""
        return _accounts(self.groups)

    def accounts_of_pod(self) -> dict[Account, Path]:
        """The same of its pod, whose quota is as large as the container's, and a clock of its own."""
        return _accounts({name: place.parent for name, place in self.groups.items()})

    def cpus(self) -> tuple[int, ...]:
        """The CPUs that its group may use, and had when it ended; none where no file says it."""
        for name in _CPUS:
            for place in self.groups.values():
                if content := read_once(place / name):
                    self._cpus = parse_cpulist(content.decode())
                    return self._cpus
        return self._cpus

    def counters(self, pid: int) -> Path | None:
        """The mapped counters of its JVM, where it has any."""
        with suppress(OSError):
            for file in (self._roots.proc / str(pid) / "root/tmp").glob("hsperfdata_*/1"):
                if file.is_file() and not file.is_symlink():
                    return file
        return None


def _accounts(groups: Mapping[str, Path]) -> dict[Account, Path]:
    if "" in groups:
        return accounts_in(groups[""])
    return {_ACCOUNTS[name]: place for name, place in groups.items() if name in _ACCOUNTS}


class Watching:
    """Observes one trial on this node. Before each second it looks which processes its containers have by then."""

    def __init__(self, watch: Watch, roots: Roots, groups: Path = GROUPS) -> None:
        self._roots, self._place, self._zero_s = roots, groups, watch.zero_s
        self._containers: dict[ClusterRole, list[_Container]] = {}
        self._all: list[tuple[ClusterRole, _Container]] = []
        self._cpus: dict[ClusterRole, tuple[int, ...]] = {}
        self._moved: set[ClusterRole] = set()
        self._looks: list[tuple[float, ClusterRole, tuple[int, ...]]] = []
        self.aim(watch.containers)
        self._observer = Observer(
            self._roots,
            self._targets(),
            zero_s=watch.zero_s,
            samplers=[make(self._roots) for name, make in SAMPLERS.items() if name not in _NOT_HERE],
            now=time.time,
            wait=self._wait,
            # The kubelet says where this pod runs.
            pin=lambda cpus: None,
        )
        self._observer.start()

    def aim(self, containers: Containers) -> None:
        """Observe these from the next second on; roles that are not named keep theirs."""
        made = {
            role: [_Container(one, self._roots, self._place) for one in its]
            for role, its in containers.items()
        }
        self._containers = {**self._containers, **made}
        self._all += [(role, one) for role, its in made.items() for one in its]

    def affinity(self) -> tuple[Affinity, ...]:
        """Return where the threads of each role may run now."""
        # A look of its own: on a busy node that of the second may come late, and a short phase would go without any.
        return read_affinity(self._roots, self._targets(), time.time() - self._zero_s)

    def end(self, windows: tuple[Window, ...]) -> Seen:
        """Return all that was seen, and observe no more."""
        series = self._observer.stop()
        app = next(iter(self._observer.targets.roots_of("app")), None)
        return Seen(
            series=series,
            threads=self._observer.thread_use(windows),
            cpus={role: cpus for role, cpus in self._cpus.items() if role not in self._moved},
            cpusets=tuple(self._cpusets(windows)),
            missed=frozenset(role for role, one in self._all if not one.was_found),
            rss_after_bytes=None if app is None else rss_bytes(self._roots, app),
            pss_after_bytes=None if app is None else pss_bytes(self._roots, app),
        )

    def _wait(self, stop: threading.Event, within_s: float) -> bool:
        is_over = stop.wait(within_s)
        self._observer.aim(self._targets())
        return is_over

    def _targets(self) -> Targets:
        running = {role: list(_running(its)) for role, its in self._containers.items()}
        for role in running:
            self._note_cpus(role)
        app = running.get("app", ())
        cpus = {role: self._cpus.get(role, ()) for role in ("app", "db", "load")}
        return Targets(
            sets=CpuSets(**cpus, housekeeping=()),
            pids={role: tuple(pid for pid, _ in its) for role, its in running.items()},
            cgroups={role: tuple(one.accounts() for _, one in its) for role, its in running.items()},
            above={role: tuple(one.accounts_of_pod() for _, one in its) for role, its in running.items()},
            load_addresses=tuple(_rest(one.one) for _, one in running.get("load", ())),
            hsperfdata=next((one.counters(pid) for pid, one in app), None),
        )

    def _note_cpus(self, role: ClusterRole) -> None:
        """Keep the CPUs of a role, those of generators that ended before the others included; between two phases
        those of the generators that were.
        """
        now = tuple(sorted({cpu for one in self._containers[role] for cpu in one.cpus()}))
        if not now:
            return
        self._looks.append((time.time() - self._zero_s, role, now))
        if self._cpus.setdefault(role, now) != now:
            self._moved.add(role)
            self._cpus[role] = now

    def _cpusets(self, windows: tuple[Window, ...]) -> Iterator[Cpuset]:
        """Yield which CPUs each role had within each window, as the kernel describes them; none where it does not."""
        numbers = {cpu for _, _, cpus in self._looks for cpu in cpus}
        try:
            topology = read_topology(self._roots.sys, self._roots.proc, tuple(numbers))
        except UsageError:
            return
        known = {cpu.number: cpu for cpu in topology.cpus}
        if known.keys() != numbers:
            return
        for window in windows:
            inside = [look[1:] for look in self._looks if window.start_s <= look[0] <= window.end_s]
            for role, cpus in dict.fromkeys(inside):
                yield Cpuset(phase=window.phase, role=role, cpus=tuple(known[cpu] for cpu in cpus))


def _running(containers: list[_Container]) -> Iterator[tuple[int, _Container]]:
    for one in containers:
        pid = one.first()
        if pid is not None:
            yield pid, one


def _rest(one: Watched) -> str:
    return f"[{one.address}]:{REST_PORT}" if one.address.version == 6 else f"{one.address}:{REST_PORT}"


class Observing(ThreadingHTTPServer):
    """Serves one trial after another, to whoever has the token: begin, aim, affinity, end. Any answer has a date."""

    daemon_threads = True

    def __init__(self, port: int, token: str, roots: Roots, groups: Path = GROUPS) -> None:
        super().__init__(("", port), _Handler)
        self._token, self._roots, self._groups = token, roots, groups
        self._lock = threading.Lock()
        self._watching: Watching | None = None

    def admits(self, token: str) -> bool:
        """Return whether that is the session's token."""
        return hmac.compare_digest(token.encode(), self._token.encode())

    def answer(self, path: str, content: bytes) -> bytes | None:
        """Return the answer to a question, None for one of a trial that did not begin here. Raises ValueError for one
        that is not understood.
        """
        with self._lock:
            if path == "/begin":
                watch = Watch.model_validate_json(content)
                if self._watching is not None:
                    self._watching.end(())
                self._watching = Watching(watch, self._roots, self._groups)
                return b"{}"
            watching = self._watching
            if watching is None:
                return None
            match path:
                case "/aim":
                    watching.aim(TypeAdapter(Containers).validate_json(content))
                    return b"{}"
                case "/affinity":
                    return TypeAdapter(tuple[Affinity, ...]).dump_json(watching.affinity())
                case "/end":
                    # The trial stays until the next one begins: a question may come twice, if its answer was lost.
                    windows = TypeAdapter(tuple[Window, ...]).validate_json(content)
                    return watching.end(windows).model_dump_json().encode()
        raise ValueError(f"no such question: {path}")


class _Handler(BaseHTTPRequestHandler):
    server: Observing
    timeout = 10

    def do_GET(self) -> None:
        self._say(200, b"{}")

    def do_POST(self) -> None:
        if not self.server.admits(self.headers.get(TOKEN_HEADER, "")):
            self._say(403, b"")
            return
        length = int(self.headers.get("Content-Length") or 0)
        try:
            if length > _LONGEST_BYTES:
                raise ValueError("too long")
            said = self.server.answer(self.path, self.rfile.read(length))
        except ValueError as error:
            self._say(400, str(error).encode())
            return
        self._say(409 if said is None else 200, said or b"")

    def _say(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Say nothing: the log of a pod is kept."""


if __name__ == "__main__":
    Observing(PORT, os.environ[TOKEN], Roots()).serve_forever()
