"""`python -m plumbline.measuring.cluster.observing`: observes the containers of a trial on one node, with the samplers
of a host.

Runs in the pods of observers.py. Whoever has the session's token names the containers; their control groups and /proc
are read, and those of no other pod. The program needs no API of the cluster, and has no token of that API.
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

# These samplers would read the pod's own network, and a database whose passwords this program does not have.
_LEFT_OUT_SAMPLERS = frozenset({"network", "database"})
# The controllers of version 1, each with the account whose files lie in its folder.
_ACCOUNTS: Mapping[str, Account] = {**ACCOUNTS, "cpu": "quota"}
_CPUSET_FILES = ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus")
_UID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# The names that both cgroup drivers give the group of a pod in any namespace: a systemd slice has '_' for '-'.
_POD_GROUP = re.compile(r"pod[0-9a-f]{8}([-_]?[0-9a-f]{4}){3}[-_]?[0-9a-f]{12}(\.slice)?$")
_LONGEST_BYTES = 1 << 20


class WatchedContainer(Frozen):
    """A container: its pod's UID, its own id as its runtime gave it, and the pod's address."""

    pod: str = Field(pattern=f"^{_UID}$")
    container: str = Field(pattern="^[0-9a-f]{64}$")
    address: IPv4Address | IPv6Address


Containers = dict[ClusterRole, tuple[WatchedContainer, ...]]


class Watch(Frozen):
    """A trial that begins: its zero by this node's clock, in seconds since 1970, and its containers here by role."""

    zero_s: float
    containers: Containers


class NodeEvidence(Frozen):
    """The evidence of one node of a trial. `cpus` are the CPUs that a role's columns count, if they stayed the same all
    the time; `missed` are roles of which a container was never found here, so that their evidence is incomplete.
    """

    series: Series
    threads: tuple[ThreadUse, ...]
    cpus: dict[ClusterRole, tuple[int, ...]]
    cpusets: tuple[Cpuset, ...] = ()
    missed: frozenset[ClusterRole] = frozenset()
    rss_after_bytes: int | None
    pss_after_bytes: int | None


def groups_of(groups: Path, watched: WatchedContainer) -> dict[str, Path]:
    """Return the control groups of a container by controller; the only group of version 2 has the empty name.

    The folders of other pods are not searched.
    """
    if (groups / "cgroup.controllers").exists():
        hierarchies = {"": groups}
    else:
        # Version 1 may mount controllers together, under both names by links.
        folders = [folder for folder in groups.iterdir() if folder.is_dir() and not folder.is_symlink()]
        hierarchies = {name: folder for folder in folders for name in folder.name.split(",")}
    by_controller = {name: _group_of(folder, watched) for name, folder in hierarchies.items()}
    return {name: folder for name, folder in by_controller.items() if folder is not None}


def _group_of(hierarchy: Path, watched: WatchedContainer) -> Path | None:
    pod_folders = (f"pod{watched.pod}", f"pod{watched.pod.replace('-', '_')}.slice")
    for folder, names, _ in os.walk(hierarchy):
        if folder.endswith(pod_folders):
            # CRI-O may place a container's monitor beside the container: `crio-conmon-ID.scope`, `crio-ID.scope`.
            found = (name for name in names if watched.container in name and "conmon" not in name)
            return next((Path(folder, name) for name in found), None)
        names[:] = [name for name in names if name.endswith(pod_folders) or not _POD_GROUP.search(name)]
    return None


class _Container:
    """A container on this node, with its groups and first process as soon as they are there."""

    def __init__(self, watched: WatchedContainer, roots: Roots, groups: Path) -> None:
        self.watched = watched
        self._roots, self._groups_root = roots, groups
        self._groups: dict[str, Path] = {}
        self._first_pid: int | None = None
        self._cpus: tuple[int, ...] = ()
        self.was_found = False

    @property
    def groups(self) -> Mapping[str, Path]:
        if not self._groups:
            self._groups = groups_of(self._groups_root, self.watched)
        return self._groups

    def first_pid(self) -> int | None:
        """Return this node's pid of the container's process 1, from which all others descend; None if it ended."""
        processes = self._processes()
        if self._first_pid not in processes:
            self._first_pid = next((pid for pid in processes if self._is_first_pid(pid)), None)
        self.was_found |= self._first_pid is not None
        return self._first_pid

    def _processes(self) -> list[int]:
        group = next(iter(self.groups.values()), None)
        # Some runtimes make a group below the container's own.
        folders = [] if group is None else [folder for folder, _, _ in os.walk(group)]
        files = (read_once(f"{folder}/cgroup.procs") for folder in folders)
        return [int(pid) for content in files for pid in (content or b"").split()]

    def _is_first_pid(self, pid: int) -> bool:
        status = read_once(self._roots.proc / str(pid) / "status") or b""
        numbers = status.partition(b"\nNSpid:")[2].partition(b"\n")[0].split()
        return numbers[-1:] == [b"1"]

    def accounts(self) -> dict[Account, Path]:
        """Return the folders of the container's files by account, as samplers take them."""
        return _accounts(self.groups)

    def accounts_of_pod(self) -> dict[Account, Path]:
        """Return the folders of its pod by account. A pod's quota equals the container's, and has its own clock."""
        return _accounts({name: folder.parent for name, folder in self.groups.items()})

    def cpus(self) -> tuple[int, ...]:
        """Return the CPUs that its group may use, or might when the container ended; none if no file says so."""
        for name in _CPUSET_FILES:
            for folder in self.groups.values():
                if content := read_once(folder / name):
                    self._cpus = parse_cpulist(content.decode())
                    return self._cpus
        return self._cpus

    def counters(self, pid: int) -> Path | None:
        """Return the file of its JVM's mapped counters; None if there is none."""
        with suppress(OSError):
            for file in (self._roots.proc / str(pid) / "root/tmp").glob("hsperfdata_*/1"):
                if file.is_file() and not file.is_symlink():
                    return file
        return None


def _accounts(groups: Mapping[str, Path]) -> dict[Account, Path]:
    if "" in groups:
        return accounts_in(groups[""])
    return {_ACCOUNTS[name]: folder for name, folder in groups.items() if name in _ACCOUNTS}


class Watching:
    """Observes one trial on this node. Before each second it finds the processes that the containers have by then."""

    def __init__(self, watch: Watch, roots: Roots, groups: Path = GROUPS) -> None:
        self._roots, self._groups_root, self._zero_s = roots, groups, watch.zero_s
        self._containers: dict[ClusterRole, list[_Container]] = {}
        self._all_containers: list[tuple[ClusterRole, _Container]] = []
        self._cpus: dict[ClusterRole, tuple[int, ...]] = {}
        self._changed_roles: set[ClusterRole] = set()
        self._looks: list[tuple[float, ClusterRole, tuple[int, ...]]] = []
        self.aim(watch.containers)
        self._observer = Observer(
            self._roots,
            self._targets(),
            zero_s=watch.zero_s,
            samplers=[
                make_sampler(self._roots) for name, make_sampler in SAMPLERS.items() if name not in _LEFT_OUT_SAMPLERS
            ],
            now=time.time,
            wait=self._wait,
            # The kubelet says where this pod runs.
            pin=lambda cpus: None,
        )
        self._observer.start()

    def aim(self, containers: Containers) -> None:
        """Observe these containers from the next second on; roles that are not named keep their containers."""
        new_containers = {
            role: [_Container(watched, self._roots, self._groups_root) for watched in all_watched]
            for role, all_watched in containers.items()
        }
        self._containers = {**self._containers, **new_containers}
        self._all_containers += [
            (role, container) for role, role_containers in new_containers.items() for container in role_containers
        ]

    def affinity(self) -> tuple[Affinity, ...]:
        """Return where the threads of each role may run now."""
        # A separate look: on a busy node the look of each second may come late, and a short phase would go without any.
        return read_affinity(self._roots, self._targets(), time.time() - self._zero_s)

    def end(self, windows: tuple[Window, ...]) -> NodeEvidence:
        """Stop observing, and return the evidence of this node."""
        series = self._observer.stop()
        app = next(iter(self._observer.targets.roots_of("app")), None)
        return NodeEvidence(
            series=series,
            threads=self._observer.thread_use(windows),
            cpus={role: cpus for role, cpus in self._cpus.items() if role not in self._changed_roles},
            cpusets=tuple(self._cpusets(windows)),
            missed=frozenset(role for role, container in self._all_containers if not container.was_found),
            rss_after_bytes=None if app is None else rss_bytes(self._roots, app),
            pss_after_bytes=None if app is None else pss_bytes(self._roots, app),
        )

    def _wait(self, stop: threading.Event, within_s: float) -> bool:
        is_over = stop.wait(within_s)
        self._observer.aim(self._targets())
        return is_over

    def _targets(self) -> Targets:
        running = {role: list(_running_containers(containers)) for role, containers in self._containers.items()}
        for role in running:
            self._note_cpus(role)
        app = running.get("app", ())
        cpus = {role: self._cpus.get(role, ()) for role in ("app", "db", "load")}
        return Targets(
            sets=CpuSets(**cpus, housekeeping=()),
            pids={role: tuple(pid for pid, _ in processes) for role, processes in running.items()},
            cgroups={
                role: tuple(container.accounts() for _, container in processes) for role, processes in running.items()
            },
            above={
                role: tuple(container.accounts_of_pod() for _, container in processes)
                for role, processes in running.items()
            },
            load_addresses=tuple(_rest_address(container.watched) for _, container in running.get("load", ())),
            hsperfdata=next((container.counters(pid) for pid, container in app), None),
        )

    def _note_cpus(self, role: ClusterRole) -> None:
        """Note the CPUs that a role has now, with those of generators that have just ended; between two phases those of
        the last generators stay.
        """
        present_cpus = tuple(sorted({cpu for container in self._containers[role] for cpu in container.cpus()}))
        if not present_cpus:
            return
        self._looks.append((time.time() - self._zero_s, role, present_cpus))
        if self._cpus.setdefault(role, present_cpus) != present_cpus:
            self._changed_roles.add(role)
            self._cpus[role] = present_cpus

    def _cpusets(self, windows: tuple[Window, ...]) -> Iterator[Cpuset]:
        """Yield the CPUs that each role had within each window, as the kernel describes them; nothing if it can't."""
        numbers = {cpu for _, _, cpus in self._looks for cpu in cpus}
        try:
            topology = read_topology(self._roots.sys, self._roots.proc, tuple(numbers))
        except UsageError:
            return
        cpu_by_number = {cpu.number: cpu for cpu in topology.cpus}
        if cpu_by_number.keys() != numbers:
            return
        for window in windows:
            looks_inside = [look[1:] for look in self._looks if window.start_s <= look[0] <= window.end_s]
            for role, cpus in dict.fromkeys(looks_inside):
                yield Cpuset(phase=window.phase, role=role, cpus=tuple(cpu_by_number[cpu] for cpu in cpus))


def _running_containers(containers: list[_Container]) -> Iterator[tuple[int, _Container]]:
    for container in containers:
        pid = container.first_pid()
        if pid is not None:
            yield pid, container


def _rest_address(watched: WatchedContainer) -> str:
    return f"[{watched.address}]:{REST_PORT}" if watched.address.version == 6 else f"{watched.address}:{REST_PORT}"


class Observing(ThreadingHTTPServer):
    """Serves one trial after another, to whoever has the token: begin, aim, affinity, end. Each answer has a date."""

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
        """Return the answer to a question; None for a question about a trial that did not begin here. Raises ValueError
        for a question that is not understood.
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
        self._respond(200, b"{}")

    def do_POST(self) -> None:
        if not self.server.admits(self.headers.get(TOKEN_HEADER, "")):
            self._respond(403, b"")
            return
        length = int(self.headers.get("Content-Length") or 0)
        try:
            if length > _LONGEST_BYTES:
                raise ValueError("too long")
            answer = self.server.answer(self.path, self.rfile.read(length))
        except ValueError as error:
            self._respond(400, str(error).encode())
            return
        self._respond(409 if answer is None else 200, answer or b"")

    def _respond(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Write nothing, since the log of a pod is kept."""


if __name__ == "__main__":
    Observing(PORT, os.environ[TOKEN], Roots()).serve_forever()
