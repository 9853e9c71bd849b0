"""The host that is set up: where its files lie, and how commands run on it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measures import MEASURES
from measures.changes import Change, File, Link
from measures.face import Measure, Roots
from measures.layout import planned

from .disk import Disk

COMMAND_WITHIN_S = 120

Run = Callable[[Sequence[str]], str | None]
"""A function that runs a command; it returns None on success, else the last line of its errors."""


def run(words: Sequence[str]) -> str | None:
    """Run a command on this host; return None on success, else the reason of the failure."""
    try:
        process = subprocess.run(
            list(words), capture_output=True, text=True, timeout=COMMAND_WITHIN_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if process.returncode == 0:
        return None
    error_lines = process.stderr.strip().splitlines()
    return error_lines[-1] if error_lines else f"exit status {process.returncode}"


@dataclass(frozen=True)
class Host:
    """A host below `root`. Below any other root than / no command is run: a recorded tree has no processes."""

    root: Path = Path("/")
    disk: Disk = field(default_factory=Disk)
    run: Run = run

    @property
    def is_live(self) -> bool:
        """Whether the host is the machine that this program runs on."""
        return self.root == Path("/")

    @property
    def is_installed(self) -> bool:
        """Whether root installed this program (runner-setup/install.sh): what runs at boot must belong to root."""
        return os.path.lexists(self.root / INSTALLED)

    def roots(self) -> Roots:
        """Return the folders that measures read, with the CPUs as they are now."""
        root = self.root
        return planned(
            Roots(
                proc=root / "proc",
                sys=root / "sys",
                etc=root / "etc",
                run=root / "run",
                var=root / "var",
                scratch=root / "var/tmp",
                usr=root / "usr",
            )
        )

    def shown(self, path: Path) -> str:
        """Return a path as the host itself would name it."""
        return "/" + str(path.relative_to(self.root))

    def at(self, name: str) -> Path:
        """Return the path of that name on this host."""
        return self.root / name.removeprefix("/")


# At boot all files and links are there already, and only values of the kernel are left to set.
# CAP_SYS_ADMIN: the kernel asks for it when NUMA balancing is switched.
_UNIT = """\
# Written by bench-host apply, removed by bench-host rollback. Values of the kernel are gone with every boot.
[Unit]
Description=Plumbline's settings of a benchmark host
After=systemd-sysctl.service local-fs.target

[Service]
Type=oneshot
ExecStart=/usr/local/bin/bench-host apply --at-boot
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
RestrictAddressFamilies=AF_UNIX
IPAddressDeny=any
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
CapabilityBoundingSet=CAP_SYS_ADMIN
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
UMask=0077

[Install]
WantedBy=multi-user.target
"""
_NAME = "plumbline-host.service"
INSTALLED = "usr/local/bin/bench-host"


def at_boot(host: Host) -> list[Change]:
    """Return the unit that sets the values again at boot; nothing if the program is not installed by root."""
    if not host.is_installed:
        return []
    folder = host.root / "etc/systemd/system"
    return [
        File(folder / _NAME, _UNIT),
        Link(folder / "multi-user.target.wants" / _NAME, f"/etc/systemd/system/{_NAME}"),
    ]


def measures_of(ids: Sequence[str]) -> tuple[Measure, ...]:
    """Return the measures with these ids; all measures without any id."""
    return tuple(measure for measure in MEASURES if not ids or measure.ID in ids)
