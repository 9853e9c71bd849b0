"""The interface of a database service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plumbline.model.subject import Engine

# A prefix of application_name in pg_stat_activity, by which our own sessions are told from the application's.
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
    """The database server for those who read its counters, and whose sessions in it are the application's.

    `conninfo` is libpq's, of a user with the rights of `pg_monitor`, to a database that is *not* the application's; of
    MySQL it is `mysql://user:password@host:port`, of a user that reads performance_schema.
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
        """The server's main process, whose children are its others; empty when it is out of our sight."""

    @property
    def data_folder(self) -> Path | None:
        """The folder that the server writes to, or None when that is out of our sight."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The running server's settings that decide results, its version included."""

    def restore(self, prepare: str | None = None) -> None:
        """Put the application's database back to the seed and its counters to zero; ends sessions in it.

        `prepare` names a file of apps/contract/sql/prepare that is applied before the counters are reset. Raises
        CannotGoOn when the server is gone or refuses.
        """

    def rewrite(
        self, table: str, column: str, id: int, before: str, after: str, *, primary_key: str = "id"
    ) -> bool:
        """Change a text of the row with this `id` in its primary key, committed, as the administrator; return whether
        the old text was `before`.

        Raises CannotGoOn when the server is gone or refuses.
        """

    def nobody_writes(self, tables: Sequence[str]) -> AbstractContextManager[None]:
        """Hold these tables of the application's, so that they can be read and whoever writes to one waits.

        Raises CannotGoOn when the server is gone or refuses.
        """

    def exit_status(self) -> int | None:
        """Return how its process ended (minus the signal's number); None while it runs, or when it is out of our
        sight.

        Asks nothing of the database itself, so it may be called inside a window.
        """

    def answers(self) -> bool:
        """Return whether the server accepts a connection now."""

    def start_again(self) -> None:
        """Start the server again after it died. Raises CannotGoOn."""
