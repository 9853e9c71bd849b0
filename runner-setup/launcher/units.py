"""The command lines of systemd for one process: the owner and this file decide them, never a client."""

from __future__ import annotations

from pathlib import Path

from .config import Config
from .folders import database_folder, names_file, tmp_folder, work_folder
from .nodes import memory_nodes

ROLES = ("app", "db", "load", "harness")
# The harness shares its CPUs with the rest of the host.
MEASURED = ("app", "db", "load")
NAMESPACES = Path("/run/netns")
SOCKETS = Path("/run/plumbline")
# The folders that conditions of the host are read from (measures/timers.py, time_sync.py), if there are any.
_READ_BY_MEASURES = "-/run/systemd/system -/run/systemd/timesync"

# System calls that only answer EPERM to a process without any capability, and old ones that no program of a session
# makes.
_NEVER = "~@clock @cpu-emulation @module @mount @obsolete @raw-io @reboot @swap"

# The locks of every unit. Only one common lock is missing: no JVM runs with MemoryDenyWriteExecute.
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

# A network namespace stops no Unix socket that has a path, such as those of the resolver, D-Bus and systemd.
_NO_SOCKETS = "/run:ro"

# A program that may be anybody's, or that such a program speaks to, sees only processes of its own user.
_ALONE = {"ProtectProc": "invisible", "ProtectHome": "yes"}

# The application may be anybody's: it gets a user that exists only while it runs, and no place on a disk. Its output
# goes to a file of the harness, whose size is bounded by LimitFSIZE, and so is k6's log of its wrong answers.
_BOUNDED = {"LimitFSIZE": "1G"}
_FOREIGN = {"DynamicUser": "yes", **_BOUNDED}

# Files of GitHub's runner: with them a program of a session could act as the runner.
_CREDENTIALS = (".credentials", ".credentials_rsaparams", ".runner")


def properties(
    config: Config, role: str, namespace: str, place: str, cpus: tuple[int, ...], user: str = ""
) -> dict[str, str]:
    """Return the properties of one unit; `place` is the name of its connection's folders.

    `cpus` may be empty for the harness, which itself stays on its CPUs. `user` is the name of an application's
    throw-away user. The role `beside` is a program that runs as that user, among the processes of the harness.
    """
    group, role = ("harness", "app") if role == "beside" else (role, role)
    runner = config.state / "runner"
    values = {
        **_LOCKED,
        "Slice": slice_of(place or namespace, group),
        "NetworkNamespacePath": str(NAMESPACES / namespace),
        # The default weight: only a unit that has one gets the CPU controller, whose file has the throttled time.
        "CPUWeight": "100",
        "MemoryMax": str(config.memory_bytes[role]),
        "TasksMax": str(config.tasks),
        "RuntimeMaxSec": str(config.runtime_max_s),
        "TimeoutStopSec": "15",
        "TemporaryFileSystem": _NO_SOCKETS,
        "InaccessiblePaths": " ".join(f"-{runner / name}" for name in _CREDENTIALS),
    }
    match role:
        case "app":
            values |= {**_ALONE, **_FOREIGN, "User": user, "InaccessiblePaths": f"-{runner}"}
            values["ReadWritePaths"] = str(work_folder(config, place))
            # BindPaths wins over the PrivateTmp that DynamicUser brings with it; TemporaryFileSystem does not.
            tmp = tmp_folder(config, place)
            values["BindPaths"] = f"{tmp}:/tmp {tmp}:/var/tmp"
            values["BindReadOnlyPaths"] = f"{names_file(config, place)}:/etc/passwd"
        case "db":
            values |= {**_ALONE, "User": config.database_user, "PrivateTmp": "yes"}
            values |= {
                "ReadWritePaths": str(database_folder(config, place)),
                "InaccessiblePaths": f"-{runner}",
            }
        case "load":
            values |= {**_ALONE, **_BOUNDED, "User": config.user, "PrivateTmp": "yes"}
            values["ReadWritePaths"] = str(config.state)
        case "harness":
            # The harness asks for its processes over the socket, and the machine's lock lies in /var/tmp for all users.
            values |= {"User": config.user, "BindReadOnlyPaths": f"{SOCKETS} {_READ_BY_MEASURES}"}
            # The harness traces no process. ProtectSystem has made homes read-only already.
            values |= {"SystemCallFilter": f"{_NEVER} @debug", "ProtectHome": "read-only"}
            values["ReadWritePaths"] = f"{config.state} /var/tmp /tmp"
    if cpus:
        values["AllowedCPUs"] = " ".join(str(cpu) for cpu in cpus)
    if group in MEASURED and (nodes := memory_nodes(cpus)):
        values["AllowedMemoryNodes"] = " ".join(str(node) for node in nodes)
    return values


def slice_of(place: str, role: str) -> str:
    """Return the slice of a role, right below the root: a dash in its name would put it below another slice."""
    return f"{place.replace('-', '_')}_{role}.slice"


def run_words(unit: str, values: dict[str, str], program: tuple[str, ...]) -> list[str]:
    """Return the command `systemd-run`, which stays until the unit has ended, and ends with the unit's exit status."""
    words = ["systemd-run", "--quiet", "--pipe", "--wait", f"--unit={unit}", "--service-type=exec"]
    return [*words, *(f"--property={name}={value}" for name, value in values.items()), "--", *program]


def unit_text(values: dict[str, str], program: tuple[str, ...]) -> str:
    """Return the same as a unit file, for a look at it with `systemd-analyze security --offline=yes`."""
    lines = [f"{name}={value}" for name, value in values.items()]
    return "\n".join(["[Service]", "Type=exec", *lines, f"ExecStart={' '.join(program)}", ""])
