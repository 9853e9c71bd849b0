"""A MySQL server with the application's database in it: template, restore, settings."""

from __future__ import annotations

import re
from pathlib import Path

import pymysql
from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12Certificate, serialize_java_truststore

from plumbline.model.errors import CannotGoOn
from ..face import DatabaseAddress, DatabaseTarget
from ..hosted import HostedDatabase
from .embedded import EmbeddedMysql
from .settings import RECORDED

DATABASE = "bench"
_USER = "plumbline"
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)


class MysqlService(HostedDatabase[EmbeddedMysql]):
    """See DatabaseService."""

    scheme = "mysql"

    def __init__(self, server: EmbeddedMysql, *, contract_sql: Path, application_password: str) -> None:
        super().__init__(server, contract_sql=contract_sql, application_password=application_password)
        self._store: Path | None = None

    @property
    def address(self) -> DatabaseAddress:
        """For the application."""
        login, tls = self._server.login, self._server.tls
        return DatabaseAddress(
            login.host,
            login.port,
            DATABASE,
            _USER,
            self._password,
            None if tls is None else tls.authority,
            engine="mysql",
            authority_store=self._store,
            authority_store_password=self._password,
        )

    @property
    def target(self) -> DatabaseTarget:
        """For counters."""
        return DatabaseTarget(self._server.login.conninfo, DATABASE, _USER, engine="mysql")

    def restore(self, prepare: str | None = None) -> None:
        """The kept data folder copied back; counters begin at zero, since the server does."""
        self._server.restore()
        if prepare is not None:
            self._run([self._sql / "prepare" / f"{prepare}.sql"])

    def answers(self) -> bool:
        """See DatabaseService."""
        if self._server.exit_status() is not None:
            return False
        try:
            self._server.login.open().close()
        except pymysql.MySQLError:
            return False
        return True

    def start_again(self) -> None:
        """From the kept data folder. Raises CannotGoOn."""
        self._server.restore()

    def _set_up(self) -> None:
        try:
            self._server.initialise()
            self._write_store()
            self._make_template()
            self._server.keep()
            self._server.restore()
            self.settings = self._read_settings()
        except pymysql.MySQLError as error:
            self._server.stop()
            raise CannotGoOn(f"The database could not be set up: {_words(error)}.") from None
        except BaseException:
            self._server.stop()
            raise

    def _make_template(self) -> None:
        with self._server.login.open() as session, session.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {DATABASE}")
            cursor.execute(f"CREATE USER '{_USER}'@'%%' IDENTIFIED BY %s", [self._password])
            cursor.execute(f"GRANT ALL ON {DATABASE}.* TO '{_USER}'@'%'")
        self._run([self._sql / name for name in ("mysql/schema.sql", "fruits.sql", "mysql/rows.sql")])
        with self._server.login.open() as session, session.cursor() as cursor:
            cursor.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [DATABASE]
            )
            for (table,) in cursor.fetchall():
                # Statistics are there from the start: no plan changes within a trial.
                cursor.execute(f"ANALYZE TABLE {DATABASE}.`{table}`")

    def _run(self, files: list[Path]) -> None:
        with self._server.login.open(script=True) as session, session.cursor() as cursor:
            session.select_db(DATABASE)
            for file in files:
                cursor.execute(_COMMENT.sub("", file.read_text(encoding="utf-8")))
                while cursor.nextset():
                    pass

    def _write_store(self) -> None:
        """The authority as a trust store, for drivers that read no PEM."""
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
        with self._server.login.open() as session, session.cursor() as cursor:
            cursor.execute(
                "SELECT variable_name, variable_value FROM performance_schema.global_variables"
                " WHERE variable_name IN %s ORDER BY variable_name",
                [RECORDED],
            )
            return {str(name): str(value) for name, value in cursor.fetchall()}


def _words(error: pymysql.MySQLError) -> str:
    return str(error.args[-1] if error.args else error).rstrip(".")
