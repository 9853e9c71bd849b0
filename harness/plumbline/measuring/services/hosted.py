"""The part that both database services share: each is up while its context is entered, on somebody's server."""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Self

from plumbline.measuring.launch.interface import RunningProcess
from plumbline.model.errors import CannotGoOn
from .interface import DatabaseAddress, DatabaseTarget

TRIES_FOR_A_PORT = 3
_POLL_S = 0.05


def port_was_taken(output: str) -> bool:
    """Return whether a server did not start since another program had its port, by what the server wrote."""
    return "Address already in use" in output


class OneProcess:
    """A server that is one process of ours, and that ends within `stops_within_s` when it is asked to end.

    A server that somebody else runs has no process of ours: it is never stopped, and out of our sight.
    """

    stops_within_s: float
    container: str | None = None
    data_folder: Path | None = None
    _process: RunningProcess | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        """The pid of the process; empty while the process does not run."""
        return () if self._process is None else (self._process.pid,)

    def exit_status(self) -> int | None:
        """Return how the process ended; None while it runs, or was never needed."""
        return None if self._process is None else self._process.poll()

    def answers_within(self, timeout_s: float, answers: Callable[[], bool]) -> bool:
        """Return True once a login `answers`; False when the process ends before, or after `timeout_s`."""
        deadline_s = time.monotonic() + timeout_s
        while time.monotonic() < deadline_s and self.exit_status() is None:
            if answers():
                return True
            time.sleep(_POLL_S)
        return False

    def stop(self) -> None:
        """Stop the process cleanly; nothing happens when it does not run."""
        if self._process is not None:
            self._process.terminate(self.stops_within_s)
            self._process = None


class HostedDatabase(ABC):
    """A database service, up while its context is entered. `contract_sql` is the folder of the contract's SQL.

    `scheme` is the scheme of its address, `refused` the error that its driver raises when the server says no.
    `settings` are the running server's settings that decide results, its version included.
    """

    scheme: str
    refused: type[Exception]

    def __init__(self, server: OneProcess, contract_sql: Path) -> None:
        self._server, self._sql = server, contract_sql
        self._password, self._probe_password = (secrets.token_urlsafe(18) for _ in range(2))
        self.settings: Mapping[str, str] = {}

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.stop()

    @property
    @abstractmethod
    def address(self) -> DatabaseAddress:
        """The address for the application."""

    @property
    @abstractmethod
    def target(self) -> DatabaseTarget:
        """The address for readers of counters."""

    @property
    def url(self) -> str:
        """The address for people: `postgresql://user@host:port/name`, without a password."""
        address = self.address
        return f"{self.scheme}://{address.user}@{address.host}:{address.port}/{address.name}"

    @property
    def pids(self) -> tuple[int, ...]:
        """The server's main process, the parent of its other processes; empty when it is out of our sight."""
        return self._server.pids

    @property
    def container(self) -> str | None:
        """The id of the container that the server runs in; None outside of one."""
        return self._server.container

    @property
    def data_folder(self) -> Path | None:
        """The folder that the server writes to, or None when the folder is out of our sight."""
        return self._server.data_folder

    @abstractmethod
    def restore(self, prepare: str | None = None) -> None:
        """Put the application's database back to the seed and its counters to zero; this ends all sessions in it.

        `prepare` names a file of apps/contract/sql/prepare that is applied before the counters are reset. Raises
        CannotGoOn when the server is gone or refuses.
        """

    @abstractmethod
    def rewrite(self, table: str, column: str, id: int, before: str, after: str, *, primary_key: str = "id") -> bool:
        """Change a text of the row with this `id` in its primary key, committed, as the administrator; return whether
        the old text was `before`.

        Raises CannotGoOn when the server is gone or refuses.
        """

    @abstractmethod
    def tables_locked_for_writes(self, tables: Sequence[str]) -> AbstractContextManager[None]:
        """Lock these tables of the application: everybody can still read them, and a writer waits.

        Raises CannotGoOn when the server is gone or refuses.
        """

    @abstractmethod
    def start_again(self) -> None:
        """Start the server again after it died. Raises CannotGoOn."""

    def exit_status(self) -> int | None:
        """Return the exit status of the server's process (minus the signal's number after a signal); None while the
        process runs, or when it is out of our sight.

        This asks nothing of the database itself, so it may be called inside a window.
        """
        return self._server.exit_status()

    def answers(self) -> bool:
        """Return whether the server accepts a connection now."""
        if self._server.exit_status() is not None:
            return False
        try:
            self._log_in()
        except self.refused:
            return False
        return True

    def _begin(self) -> None:
        """Set the server up. Raises CannotGoOn, and leaves nothing running."""
        try:
            with self._explaining_refusals("The database could not be set up"):
                self._set_up()
        except BaseException:
            self._server.stop()
            raise

    @contextmanager
    def _explaining_refusals(self, problem: str) -> Iterator[None]:
        """Turn a refusal of the server into CannotGoOn: the problem, and the server's own first line."""
        try:
            yield
        except self.refused as error:
            lines = str(error.args[-1] if error.args else error).strip().splitlines()
            raise CannotGoOn(f"{problem}: {(lines or [type(error).__name__])[0].rstrip('.')}.") from None

    @abstractmethod
    def _set_up(self) -> None:
        """Start the server, and make the application's database. Raises CannotGoOn, or as the driver does."""

    @abstractmethod
    def _log_in(self) -> None:
        """Open a session as the administrator, and end it. Raises as the driver does."""


def refuse_changes(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Check that the settings are those of the first trial. Raises CannotGoOn with the first setting that differs."""
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            old_value, new_value = (settings.get(name, "not set") for settings in (before, now))
            raise CannotGoOn(
                f"The database's setting {name} was '{old_value}' when the session began, and is '{new_value}' now.",
                "Find out who changes it; a session needs a server of its own.",
            )
