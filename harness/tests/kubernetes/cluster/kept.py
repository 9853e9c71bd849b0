"""What a cluster's node leaves beside processes and mounts: control groups, a network, settings, and a folder.

This module makes all of it under names of its own, and takes it back at the end; what a killed run left, it takes back
before the next run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from plumbline.machine.host.paths import Paths
from .parts import ROOT

GROUP = "plumbline-cluster"
BRIDGE = "plumbline-node"
NETWORK = "10.98.0.0/24"
ADDRESS = "10.98.0.1"
"""The address of the node on its bridge: pods of this host alone reach it."""

# The kubelet changes these settings.
_SETTINGS = (
    *("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops"),
    *("kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "net/ipv4/ip_forward"),
)
_SYSTEM = Path("/proc/sys")
_ENDS_S = 20.0


def hierarchies() -> list[Path]:
    """Where control groups are mounted: one folder for each controller in version 1."""
    mounts = (line.split() for line in Path("/proc/self/mounts").read_text().splitlines())
    return [Path(words[1]) for words in mounts if words[2] in ("cgroup", "cgroup2")]


def settings() -> dict[str, str]:
    """The settings that a kubelet changes, as they are now."""
    return {name: (_SYSTEM / name).read_text() for name in _SETTINGS}


class Kept:
    """The node's control groups, its bridge, its `folder`, and the settings to be restored."""

    def __enter__(self) -> Kept:
        scratch = Paths.of(os.environ, ROOT, os.geteuid()).make_scratch()
        self.folder = scratch / GROUP
        self._before = scratch / f"{GROUP}.json"
        self._take_back()
        try:
            self._make()
        except BaseException:
            self._take_back()
            raise
        return self

    def _make(self) -> None:
        self.folder.mkdir(mode=0o700)
        self._before.write_text(json.dumps(settings()), encoding="utf-8")
        for place in hierarchies():
            (place / GROUP).mkdir()
            for file in ("cpuset.cpus", "cpuset.mems"):
                # Version 1 gives a new group neither CPUs nor memory nodes, and such a group takes no process.
                if (place / file).exists() and (place / GROUP / file).exists():
                    (place / GROUP / file).write_text((place / file).read_text())
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("address", "add", f"{ADDRESS}/{NETWORK.partition('/')[2]}", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")

    def __exit__(self, *error: object) -> None:
        self._take_back()

    def _take_back(self) -> None:
        for place in hierarchies():
            _remove(place / GROUP)
        if Path("/sys/class/net", BRIDGE).exists():
            _ip("link", "delete", BRIDGE)
        if self._before.exists():
            for name, value in json.loads(self._before.read_text(encoding="utf-8")).items():
                (_SYSTEM / name).write_text(value)
            self._before.unlink()
        if self.folder.exists():
            shutil.rmtree(self.folder)


def groups_of(pod: str) -> Iterator[Path]:
    """The control groups of a pod's containers, by its UID, where CPUs are given."""
    for place in hierarchies():
        if (place / "cpuset.cpus").exists() or (place / "cgroup.controllers").exists():
            for group in (place / GROUP).rglob(f"pod{pod}"):
                yield from (path for path in group.iterdir() if path.is_dir())


def processes_of(pod: str) -> set[int]:
    """The processes of a pod's containers as this host counts them, the one that holds its name spaces included."""
    return {int(line) for group in groups_of(pod) for line in (group / "cgroup.procs").read_text().split()}


def cpu_time_us(pod: str) -> float | None:
    """The CPU time of a pod's containers so far, by the pod's own control group; None once it is gone."""
    for place in hierarchies():
        # The group may vanish at any moment, while it is looked for too.
        with suppress(OSError):
            for group in (place / GROUP).rglob(f"pod{pod}"):
                if (group / "cpuacct.usage").exists():
                    return int((group / "cpuacct.usage").read_text()) / 1000
                words = (group / "cpu.stat").read_text().split()
                if words[0] == "usage_usec":
                    return float(words[1])
    return None


def _remove(group: Path) -> None:
    """Remove a control group with all below it, as soon as its last process has ended."""
    end_s = time.monotonic() + _ENDS_S
    while group.exists():
        try:
            for folder, _, _ in os.walk(group, topdown=False):
                os.rmdir(folder)
        except FileNotFoundError:
            continue
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.05)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)
