"""The decisions of the host's owner: /etc/plumbline/launcher.json."""

from __future__ import annotations

import json
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

# The time of one session; the longest suite fits into a night.
RUNTIME_MAX_S = 12 * 3600


class Refused(Exception):
    """The request is not granted; the sentence goes to the client."""


@dataclass(frozen=True)
class Config:
    """`user` may ask. `state` is the one folder that its harness may write: its checkout, caches and scratch.

    `sessions` belongs to root: it has a folder for each session, and in that a folder that only `database_user` can
    write.
    """

    user: str
    state: Path
    memory_bytes: dict[str, int]
    tasks: int
    runtime_max_s: int = RUNTIME_MAX_S
    database_user: str = "plumbline-db"
    sessions: Path = Path("/var/lib/plumbline-sessions")

    @property
    def uid(self) -> int:
        """The uid of the user that may ask."""
        return pwd.getpwnam(self.user).pw_uid


def read_config(path: Path) -> Config:
    """Read the configuration. Raises Refused if anybody but root could have written the file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, encoding="utf-8") as file:
        facts = os.fstat(file.fileno())
        if facts.st_uid != os.geteuid() or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise Refused(f"{path} must belong to root, and nobody else may write it")
        words = json.load(file)
    return Config(
        user=words["user"],
        state=Path(words["state"]),
        memory_bytes={role: int(words["memory_bytes"][role]) for role in ("app", "db", "load", "harness")},
        tasks=int(words["tasks"]),
        runtime_max_s=int(words.get("runtime_max_s", RUNTIME_MAX_S)),
        database_user=words.get("database_user", Config.database_user),
        sessions=Path(words.get("sessions", Config.sessions)),
    )
