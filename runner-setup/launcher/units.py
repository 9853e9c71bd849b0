"""The command lines of systemd for one process: what the owner and this file decide, and nothing of a client."""

from __future__ import annotations

from pathlib import Path

from .config import Config
from .folders import database_folder, tmp_folder, work_folder

ROLES = ("app", "db", "load", "harness")
NAMESPACES = Path("/run/netns")
SOCKETS = Path("/run/plumbline")
# What conditions of the host are read from (measures/timers.py, time_sync.py), where there is such.
_READ_BY_MEASURES = "-/run/systemd/system -/run/systemd/timesync"

# System calls that a process without any capability gets only EPERM from, and old ones that no program of a session
# makes.
_NEVER = "~@clock @cpu-emulation @module @mount @obsolete @raw-io @reboot @swap"

# For everything. No JVM runs with MemoryDenyWriteExecute; that is the one common lock that is missing here.
_LOCKED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "PrivateDevices": "yes",
    "PrivateIPC": "yes",
    "PrivateMounts": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectControlGroups": "yes",
    "ProtectClock": "yes",
    "ProtectHostname": "yes",
    "RestrictNamespaces": "yes",
    "RestrictRealtime": "yes",
    "RestrictSUIDSGID": "yes",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "LockPersonality": "yes",
    "SystemCallArchitectures": "native",
    "SystemCallFilter": _NEVER,
    "SystemCallErrorNumber": "EPERM",
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "KeyringMode": "private",
    "MemorySwapMax": "0",
    "LimitNOFILE": "1048576",
    "LimitCORE": "0",
}

# A namespace of the network stops no Unix socket that has a path: resolver, D-Bus, systemd's own.
_NO_SOCKETS = "/run:ro"

# What may be anybody's, or is spoken to by it, sees no process but those of its user.
_ALONE = {"ProtectProc": "invisible", "ProtectHome": "yes"}

# The application may be anybody's: a user that exists only while it runs, and no place on a disk. Its output goes to a
# file of the harness, whose size is bounded by LimitFSIZE.
_FOREIGN = {"DynamicUser": "yes", "LimitFSIZE": "1G"}

# Of GitHub's runner: nobody in a session speaks for it.
_CREDENTIALS = (".credentials", ".credentials_rsaparams", ".runner")


def properties(
    config: Config, role: str, namespace: str, place: str, cpus: tuple[int, ...]
) -> dict[str, str]:
    """The properties of one unit; `place` is the name of its connection's folders.

    `cpus` may be empty for the harness, which holds itself on its own.
    """
    runner = config.state / "runner"
    found = {
        **_LOCKED,
        "Slice": slice_of(place or namespace, role),
        "NetworkNamespacePath": str(NAMESPACES / namespace),
        "MemoryMax": str(config.memory_bytes[role]),
        "TasksMax": str(config.tasks),
        "RuntimeMaxSec": str(config.runtime_max_s),
        "TimeoutStopSec": "15",
        "TemporaryFileSystem": _NO_SOCKETS,
        "InaccessiblePaths": " ".join(f"-{runner / name}" for name in _CREDENTIALS),
    }
    match role:
        case "app":
            found |= {**_ALONE, **_FOREIGN, "InaccessiblePaths": f"-{runner}"}
            found["ReadWritePaths"] = str(work_folder(config, place))
            # Goes before the PrivateTmp that DynamicUser brings with it, where TemporaryFileSystem does not.
            tmp = tmp_folder(config, place)
            found["BindPaths"] = f"{tmp}:/tmp {tmp}:/var/tmp"
        case "db":
            found |= {**_ALONE, "User": config.database_user, "PrivateTmp": "yes"}
            found |= {
                "ReadWritePaths": str(database_folder(config, place)),
                "InaccessiblePaths": f"-{runner}",
            }
        case "load":
            found |= {**_ALONE, "User": config.user, "PrivateTmp": "yes"}
            found["ReadWritePaths"] = f"{config.state} {work_folder(config, place)}"
        case "harness":
            # It asks for its processes over the socket, and the machine's lock lies in /var/tmp for all users.
            found |= {"User": config.user, "BindReadOnlyPaths": f"{SOCKETS} {_READ_BY_MEASURES}"}
            # It traces nobody. ProtectSystem has made homes read-only already.
            found |= {"SystemCallFilter": f"{_NEVER} @debug", "ProtectHome": "read-only"}
            found["ReadWritePaths"] = f"{config.state} /var/tmp /tmp"
    if cpus:
        found["AllowedCPUs"] = " ".join(str(cpu) for cpu in cpus)
    return found


def slice_of(place: str, role: str) -> str:
    """The slice of a role, right below the root: a dash in its name would put it below another."""
    return f"{place.replace('-', '_')}_{role}.slice"


def run_words(unit: str, wanted: dict[str, str], program: tuple[str, ...]) -> list[str]:
    """`systemd-run`, which stays until the unit has ended and answers with its exit status."""
    words = ["systemd-run", "--quiet", "--pipe", "--wait", f"--unit={unit}", "--service-type=exec"]
    return [*words, *(f"--property={name}={value}" for name, value in wanted.items()), "--", *program]


def unit_text(wanted: dict[str, str], program: tuple[str, ...]) -> str:
    """The same as a unit file, for those who want to look at it with `systemd-analyze security --offline=yes`."""
    lines = [f"{name}={value}" for name, value in wanted.items()]
    return "\n".join(["[Service]", "Type=exec", *lines, f"ExecStart={' '.join(program)}", ""])
