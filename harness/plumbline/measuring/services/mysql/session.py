"""The settings of a MySQL server of ours, each with its reason, and sessions of our own in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pymysql
from pymysql.connections import Connection

# name -> (value, reason)
_REASONED: Mapping[str, tuple[str, str]] = {
    "innodb_flush_log_at_trx_commit": ("1", "a commit is on disk as on a real server"),
    "innodb_doublewrite": ("ON", "the cost of a torn page's repair belongs to a durable server"),
    "disable_log_bin": ("ON", "no replica reads it; PostgreSQL writes one log too"),
    "transaction_isolation": ("READ-COMMITTED", "what the contract asks for; MySQL's own is repeatable read"),
    "character_set_server": ("utf8mb4", "as in study 000"),
    "collation_server": ("utf8mb4_unicode_ci", "as in study 000"),
    "max_connections": ("300", "pools of 20 to 200, samplers, and some to spare"),
    "innodb_buffer_pool_size": ("268435456", "the whole dataset and then some, as PostgreSQL's"),
    "innodb_redo_log_capacity": ("268435456", "no checkpoint has to hurry within a trial"),
    # https://dev.mysql.com/doc/refman/8.0/en/innodb-linux-native-aio.html
    "innodb_use_native_aio": (
        "OFF",
        "a kernel shares a fixed number of requests among all programs; a server that gets none does not start",
    ),
    "innodb_dedicated_server": ("OFF", "no setting depends on the host's memory"),
    "performance_schema": ("ON", "counts the SQL work of every trial"),
    "performance_schema_digests_size": ("2000", "no statement goes uncounted"),
    "max_digest_length": ("4096", "statements of JPA are long, and are told apart to their end"),
    "performance_schema_max_digest_length": ("4096", "as above"),
    "skip_name_resolve": ("ON", "no name server decides how long a login takes"),
    "default_time_zone": ("+00:00", "no answer depends on the host's zone"),
    "default_authentication_plugin": (
        "mysql_native_password",
        "one way to log in for all drivers, TLS or not",
    ),
}

SETTINGS: Mapping[str, str] = {name: value for name, (value, _) in _REASONED.items()}

# One protocol and one cipher, so that two drivers can't negotiate different work.
TLS_SETTINGS: Mapping[str, str] = {
    "tls_version": "TLSv1.3",
    "tls_ciphersuites": "TLS_AES_128_GCM_SHA256",
}

# The settings that are read back from the running server.
RECORDED = (
    *(name for name in SETTINGS if name not in ("disable_log_bin", "default_time_zone")),
    *TLS_SETTINGS,
    "version",
    "time_zone",
    "log_bin",
    "innodb_flush_method",
    "innodb_io_capacity",
    "sync_binlog",
)


def as_arguments(settings: Mapping[str, str]) -> list[str]:
    """Return the settings as arguments of mysqld's command line."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]


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
        """Return the login that a text of this form names."""
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

    def answers(self) -> bool:
        """Return whether a login succeeds. Raises pymysql.MySQLError when the server refuses the login."""
        try:
            self.open().close()
        except pymysql.MySQLError as error:
            if error.args and error.args[0] == _ACCESS_DENIED:
                raise
            return False
        return True
