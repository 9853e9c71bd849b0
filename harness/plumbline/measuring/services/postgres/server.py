"""The interface of a PostgreSQL server, whoever runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from ..hosted import OneProcess
from ..interface import OWN_NAME

# An application may hold a lock for as long as it lives, and nobody shall wait for its end.
_LOCK_TIMEOUT_MS = 10_000


@dataclass(frozen=True)
class Login:
    """The login of a server's administrator. `authority` as in DatabaseAddress.

    Our own sessions are not encrypted unless `sslmode` says so: they shall cost the server nothing.
    """

    host: str
    port: int
    user: str
    password: str
    authority: Path | None
    database: str = "postgres"
    sslmode: str = "disable"

    def conninfo(self, database: str | None = None) -> str:
        """Return libpq's connection string, for `database` if it is named, else for the login's own."""
        return make_conninfo(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            dbname=database or self.database,
            sslmode=self.sslmode,
            application_name=OWN_NAME,
            connect_timeout=5,
            options=f"-c lock_timeout={_LOCK_TIMEOUT_MS}",
        )

    def answers(self) -> bool:
        """Return whether a login succeeds. Raises psycopg.OperationalError when the server refuses the login."""
        try:
            psycopg.connect(self.conninfo()).close()
        except psycopg.OperationalError as error:
            if "authentication" in str(error) or "pg_hba" in str(error):
                raise
            return False
        return True


class Server(OneProcess, ABC):
    """A server that can be started and stopped."""

    @abstractmethod
    def start(self) -> Login:
        """Start the server, and wait until it answers. Raises CannotGoOn or UsageError in one sentence."""
