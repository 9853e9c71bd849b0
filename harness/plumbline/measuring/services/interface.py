"""The interface of a database service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plumbline.model.subject import Engine

# A prefix of application_name in pg_stat_activity, which tells our own sessions from the application's.
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


class DatabaseService(Protocol):
    """A database service that is up."""

    @property
    def address(self) -> DatabaseAddress:
        """The address for the application."""

    @property
    def target(self) -> DatabaseTarget:
        """The address for readers of counters."""

    @property
    def url(self) -> str:
        """The address for people: `postgresql://user@host:port/name`, without a password."""

    @property
    def pids(self) -> tuple[int, ...]:
        """The server's main process, the parent of its other processes; empty when it is out of our sight."""

    @property
    def container(self) -> str | None:
        """The id of the container that the server runs in; None outside of one."""

    @property
    def data_folder(self) -> Path | None:
        """The folder that the server writes to, or None when the folder is out of our sight."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The running server's settings that decide results, its version included."""

    def restore(self, prepare: str | None = None) -> None:
        """Put the application's database back to the seed and its counters to zero; this ends all sessions in it.

        `prepare` names a file of apps/contract/sql/prepare that is applied before the counters are reset. Raises
        CannotGoOn when the server is gone or refuses.
        """

    def rewrite(self, table: str, column: str, id: int, before: str, after: str, *, primary_key: str = "id") -> bool:
        """Change a text of the row with this `id` in its primary key, committed, as the administrator; return whether
        the old text was `before`.

        Raises CannotGoOn when the server is gone or refuses.
        """

    def tables_locked_for_writes(self, tables: Sequence[str]) -> AbstractContextManager[None]:
        """Lock these tables of the application: everybody can still read them, and a writer waits.

        Raises CannotGoOn when the server is gone or refuses.
        """

    def exit_status(self) -> int | None:
        """Return the exit status of the server's process (minus the signal's number after a signal); None while the
        process runs, or when it is out of our sight.

        This asks nothing of the database itself, so it may be called inside a window.
        """

    def answers(self) -> bool:
        """Return whether the server accepts a connection now."""

    def start_again(self) -> None:
        """Start the server again after it died. Raises CannotGoOn."""
