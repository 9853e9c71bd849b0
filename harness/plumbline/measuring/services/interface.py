"""The addresses of a database service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plumbline.model.subject import Engine

# A prefix of application_name in pg_stat_activity, which tells our own sessions from those of neighbours.
OWN_NAME = "plumbline"


@dataclass(frozen=True)
class DatabaseAddress:
    """The address at which the application finds its database.

    `authority` is the PEM file that TLS is checked against; the store has it as PKCS #12, for drivers that read no PEM.
    """

    host: str
    port: int
    name: str
    user: str
    password: str
    authority: Path | None
    engine: Engine = "pg"
    authority_store: Path | None = None
    authority_store_password: str | None = None


@dataclass(frozen=True)
class DatabaseTarget:
    """The database server for readers of its counters, with the names by which they find the application's sessions.

    For PostgreSQL `conninfo` is that of libpq, of a user with the rights of `pg_monitor`, to a database that is *not*
    the application's; for MySQL it is `mysql://user:password@host:port`, of a user that reads performance_schema.
    """

    conninfo: str
    application_database: str
    application_user: str
    engine: Engine = "pg"
