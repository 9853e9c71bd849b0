"""A MySQL server with the application's database in it: template, restore, settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pymysql
from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12Certificate, serialize_java_truststore

from ..hosted import HostedDatabase, refuse_changes
from ..interface import DatabaseAddress, DatabaseTarget
from .embedded import EmbeddedMysql
from .session import RECORDED, MysqlLogin

DATABASE = "bench"
_APPLICATION = "plumbline"
_PROBE = "plumbline_probe"
# The application makes nothing that somebody else would run: no view, no routine, no trigger, no table.
_RIGHTS = (
    (_APPLICATION, f"SELECT, INSERT, UPDATE, DELETE ON {DATABASE}.*"),
    (_PROBE, f"SELECT ON {DATABASE}.*"),
    (_PROBE, "SELECT ON performance_schema.*"),
    # To read sessions and transactions of others in information_schema.
    (_PROBE, "PROCESS ON *.*"),
)
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)


class MysqlService(HostedDatabase):
    """See HostedDatabase."""

    _server: EmbeddedMysql
    scheme = "mysql"
    refused = pymysql.MySQLError

    def __init__(self, server: EmbeddedMysql, contract_sql: Path) -> None:
        super().__init__(server, contract_sql)
        self._store: Path | None = None

    @property
    def login(self) -> MysqlLogin:
        """The administrator's login, for those who set the server up."""
        return self._server.login

    @property
    def address(self) -> DatabaseAddress:
        """The address for the application."""
        login, tls = self.login, self._server.tls
        return DatabaseAddress(
            login.host,
            login.port,
            DATABASE,
            _APPLICATION,
            self._password,
            None if tls is None else tls.authority,
            engine="mysql",
            authority_store=self._store,
            authority_store_password=self._password,
        )

    @property
    def target(self) -> DatabaseTarget:
        """The address for readers of counters."""
        probe = replace(self.login, user=_PROBE, password=self._probe_password)
        return DatabaseTarget(probe.conninfo, DATABASE, _APPLICATION, engine="mysql")

    def restore(self, prepare: str | None = None) -> None:
        """Copy the kept data folder back, with users and rights; counters begin at zero, since the server restarts."""
        with self._explaining_refusals("The database could not be restored"):
            self._server.restore()
            refuse_changes(self.settings, self._read_settings())
            if prepare is not None:
                self._run_files([self._sql / "prepare" / f"{prepare}.sql"])

    def rewrite(self, table: str, column: str, id: int, before: str, after: str, *, primary_key: str = "id") -> bool:
        """See HostedDatabase. Our statements name the database, so that none is counted as the application's."""
        statement = f"UPDATE {DATABASE}.`{table}` SET `{column}` = %s WHERE `{primary_key}` = %s AND `{column}` = %s"
        with (
            self._explaining_refusals(f"A row of {table} could not be changed"),
            self.login.open() as session,
        ):
            return int(session.cursor().execute(statement, [after, id, before])) == 1

    @contextmanager
    def tables_locked_for_writes(self, tables: Sequence[str]) -> Iterator[None]:
        """See HostedDatabase. The lock ends with the session."""
        locks = ", ".join(f"{DATABASE}.`{table}` READ" for table in tables)
        with self._explaining_refusals("Tables could not be locked"), self.login.open() as session:
            session.cursor().execute(f"LOCK TABLES {locks}")
            yield

    def start_again(self) -> None:
        """Start the server again, from the kept data folder. Raises CannotGoOn."""
        self._server.restore()

    def _set_up(self) -> None:
        self._server.initialise()
        self._write_store()
        self._make_template()
        self._server.keep()
        self._server.restore()
        self.settings = self._read_settings()

    def _log_in(self) -> None:
        self.login.open().close()

    def _make_template(self) -> None:
        login = self.login
        with login.open() as session, session.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {DATABASE}")
            for user, password in ((_APPLICATION, self._password), (_PROBE, self._probe_password)):
                cursor.execute(f"CREATE USER '{user}'@'{login.host}' IDENTIFIED BY %s", [password])
            for user, rights in _RIGHTS:
                cursor.execute(f"GRANT {rights} TO '{user}'@'{login.host}'")
        self._run_files([self._sql / name for name in ("mysql/schema.sql", "fruits.sql", "mysql/rows.sql")])
        with self.login.open() as session, session.cursor() as cursor:
            cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [DATABASE])
            for (table,) in cursor.fetchall():
                # Statistics are there from the start: no plan changes within a trial.
                cursor.execute(f"ANALYZE TABLE {DATABASE}.`{table}`")

    def _run_files(self, files: list[Path]) -> None:
        with self.login.open(script=True) as session, session.cursor() as cursor:
            session.select_db(DATABASE)
            for file in files:
                cursor.execute(_COMMENT.sub("", file.read_text(encoding="utf-8")))
                while cursor.nextset():
                    pass

    def _write_store(self) -> None:
        """Write the authority as a trust store, for drivers that read no PEM."""
        assert self._server.tls is not None
        authority = x509.load_pem_x509_certificate(self._server.tls.authority.read_bytes())
        path = self._server.tls.authority.with_suffix(".p12")
        path.write_bytes(
            serialize_java_truststore(
                [PKCS12Certificate(authority, b"authority")], BestAvailableEncryption(self._password.encode())
            )
        )
        path.chmod(0o644)
        self._store = path

    def _read_settings(self) -> dict[str, str]:
        with self.login.open() as session, session.cursor() as cursor:
            cursor.execute(
                "SELECT variable_name, variable_value FROM performance_schema.global_variables"
                " WHERE variable_name IN %s ORDER BY variable_name",
                [RECORDED],
            )
            return {str(name): str(value) for name, value in cursor.fetchall()}
