"""Sessions of our own in a MySQL server, and the address that others are handed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pymysql
from pymysql.connections import Connection

_POLL_S = 0.1
# https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html
_ACCESS_DENIED = 1045


@dataclass(frozen=True)
class MysqlLogin:
    """The login of a server's administrator, without TLS: our own sessions shall cost the server nothing."""

    host: str
    port: int
    user: str
    password: str

    @property
    def conninfo(self) -> str:
        """The login as one text: `mysql://user:password@host:port`."""
        return f"mysql://{quote(self.user, safe='')}:{quote(self.password, safe='')}@{self.host}:{self.port}"

    @classmethod
    def of(cls, conninfo: str) -> MysqlLogin:
        """Return the login of such a text."""
        parts = urlsplit(conninfo)
        return cls(
            parts.hostname or "127.0.0.1",
            parts.port or 3306,
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )

    def open(self, timeout_s: float = 5.0, *, script: bool = False) -> Connection[Any]:
        """Return a session with autocommit; `script` lets it take several statements. Raises MySQLError."""
        return pymysql.connect(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=max(1, round(timeout_s)),
            read_timeout=None if script else timeout_s,
            ssl_disabled=True,
            client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS if script else 0,
            program_name="plumbline",
        )


def answers_within(login: MysqlLogin, timeout_s: float, is_alive: Callable[[], bool]) -> bool:
    """Return True once a login succeeds; False when the server ends before, or after `timeout_s`.

    Raises pymysql.MySQLError when it answers and refuses the login.
    """
    until = time.monotonic() + timeout_s
    while time.monotonic() < until and is_alive():
        try:
            login.open().close()
        except pymysql.MySQLError as error:
            if error.args and error.args[0] == _ACCESS_DENIED:
                raise
            time.sleep(_POLL_S)
        else:
            return True
    return False
