"""The command lines of systemd for one process: what the owner and this file decide, and nothing of a client."""

from __future__ import annotations

from pathlib import Path

from .config import Config

ROLES = ("app", "db", "load", "harness")
NAMESPACES = Path("/run/netns")
SOCKETS = Path("/run/plumbline")

# For everything. No JVM runs with MemoryDenyWriteExecute; that is the one common lock that is missing here.
_LOCKED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "PrivateDevices": "yes",
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
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "KeyringMode": "private",
    "MemorySwapMax": "0",
    "LimitNOFILE": "1048576",
}

# The application may be anybody's: a user that exists only while it runs, and sees no process but its own.
_FOREIGN = {"DynamicUser": "yes", "ProtectHome": "yes", "ProtectProc": "invisible", "PrivateTmp": "yes"}


def properties(config: Config, role: str, namespace: str, cpus: tuple[int, ...]) -> dict[str, str]:
    """The properties of one unit. `cpus` may be empty for the harness, which holds itself on its own."""
    found = {
        **_LOCKED,
        "Slice": f"plumbline-{role}.slice",
        "NetworkNamespacePath": str(NAMESPACES / namespace),
        "ReadWritePaths": str(config.state),
        "MemoryMax": str(config.memory_bytes[role]),
        "TasksMax": str(config.tasks),
        "RuntimeMaxSec": str(config.runtime_max_s),
        "TimeoutStopSec": "15",
    }
    if role == "app":
        found |= _FOREIGN
    else:
        found |= {"User": config.user, "PrivateTmp": "yes"}
    if role == "harness":
        # It asks for its processes over the socket, and the machine's lock lies in /var/tmp for all users.
        found |= {"PrivateTmp": "no", "ReadWritePaths": f"{config.state} /var/tmp /tmp"}
    else:
        found["InaccessiblePaths"] = f"-{SOCKETS}"
    if cpus:
        found["AllowedCPUs"] = " ".join(str(cpu) for cpu in cpus)
    return found


def run_words(unit: str, wanted: dict[str, str], program: tuple[str, ...]) -> list[str]:
    """`systemd-run`, which stays until the unit has ended and answers with its exit status."""
    words = ["systemd-run", "--quiet", "--pipe", "--wait", f"--unit={unit}", "--service-type=exec"]
    return [*words, *(f"--property={name}={value}" for name, value in wanted.items()), "--", *program]


def unit_text(wanted: dict[str, str], program: tuple[str, ...]) -> str:
    """The same as a unit file, for those who want to look at it with `systemd-analyze security --offline=yes`."""
    lines = [f"{name}={value}" for name, value in wanted.items()]
    return "\n".join(["[Service]", "Type=exec", *lines, f"ExecStart={' '.join(program)}", ""])
