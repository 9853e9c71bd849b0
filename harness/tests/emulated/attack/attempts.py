"""Each attempt of the application that attacks: what it is, and what is taken away so that it gets through.

The unit of the application is locked several times over. `without` names all locks that stand before this one attempt:
properties of systemd with the values that replace them (None: not given). Without these locks the attempt has to
succeed, else the test would prove nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Without = Mapping[str, str | None]

_AS_ROOT: Without = {"DynamicUser": None}
_AS_RUNNER: Without = {
    "DynamicUser": None,
    "User": "plumbline-runner",
    "ProtectProc": None,
    "InaccessiblePaths": None,
}
_WITH_POWERS: Without = {**_AS_ROOT, "CapabilityBoundingSet": None, "AmbientCapabilities": None}
_OWN_NETWORK: Without = {"NetworkNamespacePath": None}
_OWN_RUN: Without = {"TemporaryFileSystem": None}
# Each of these alone would bring NoNewPrivileges with it.
_FILTERED: Without = dict.fromkeys(
    (
        *(
            "NoNewPrivileges",
            "PrivateDevices",
            "ProtectKernelTunables",
            "ProtectKernelModules",
            "ProtectKernelLogs",
        ),
        *("ProtectClock", "ProtectHostname", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID"),
        *("RestrictAddressFamilies", "LockPersonality", "SystemCallArchitectures", "CapabilityBoundingSet"),
        *("SystemCallFilter", "AmbientCapabilities"),
    )
)


@dataclass(frozen=True)
class Attempt:
    """`alone`: the attempt runs in a unit of its own, since it may end that unit; `times` in one after another."""

    name: str
    without: Without = field(default_factory=dict)
    alone: bool = False
    times: int = 1


ATTEMPTS = (
    Attempt("runners-files", _AS_RUNNER),
    Attempt("runners-environment", _AS_RUNNER),
    Attempt("runners-memory", _AS_RUNNER),
    Attempt("minting-token", _AS_ROOT),
    Attempt("jit-configuration", {**_AS_ROOT, **_OWN_RUN}),
    Attempt("processes-of-others", {"ProtectProc": None}),
    Attempt("metadata-address", _OWN_NETWORK),
    Attempt("loopback-of-the-host", _OWN_NETWORK),
    Attempt("abstract-socket", _OWN_NETWORK),
    Attempt("system-bus", _OWN_RUN),
    Attempt("resolver", _OWN_RUN),
    Attempt("launchers-socket", {**_AS_RUNNER, **_OWN_RUN}),
    Attempt("write-to-the-system", {**_AS_ROOT, "ProtectSystem": None}),
    Attempt("write-to-the-cache", {**_AS_RUNNER, "ReadWritePaths": "/var/lib/plumbline"}),
    Attempt("write-to-the-database", {"DynamicUser": None, "User": "plumbline-db", "ReadWritePaths": "/var/lib"}),
    Attempt("write-the-measurements", {**_AS_RUNNER, "ReadWritePaths": "/var/lib/plumbline"}),
    Attempt("write-an-aot-cache", {**_AS_RUNNER, "ReadWritePaths": "/var/lib/plumbline"}),
    # Nobody empties the folder between two bare units.
    Attempt("files-for-the-next", alone=True, times=2),
    Attempt("fill-the-disk", {"BindPaths": None}),
    Attempt("fill-the-log", {"LimitFSIZE": None}),
    Attempt("fork-bomb", {"TasksMax": None}, alone=True),
    Attempt("memory-bomb", {"MemoryMax": None}, alone=True),
    Attempt("child-that-stays", {"KillMode": "process"}, alone=True),
    Attempt("higher-priority", _WITH_POWERS),
    Attempt("real-time", {**_WITH_POWERS, "RestrictRealtime": None}),
    Attempt("other-cpus", {"AllowedCPUs": None, "Slice": None}),
    Attempt("own-group", {**_AS_ROOT, "ProtectControlGroups": None}),
    Attempt("clock", {**_WITH_POWERS, "ProtectClock": None, "SystemCallFilter": None}),
    Attempt("signal-the-load", _AS_RUNNER),
    Attempt("signal-the-harness", _AS_RUNNER),
    Attempt("user-namespace", {"RestrictNamespaces": None}),
    Attempt("setuid-program", {**_FILTERED, "DynamicUser": None, "User": "plumbline-db"}),
    Attempt("disk-device", {**_AS_ROOT, "PrivateDevices": None, "ProtectClock": None}),
    Attempt("kernel-setting", {**_AS_ROOT, "ProtectKernelTunables": None}),
    Attempt("kernel-log", {**_WITH_POWERS, "ProtectKernelLogs": None}),
    Attempt("shared-memory", {"PrivateIPC": None}),
)
