"""A PostgreSQL server with the application's database in it: template, restore, settings."""

from __future__ import annotations

from pathlib import Path

import psycopg
from psycopg import sql

from plumbline.model.errors import CannotGoOn, UsageError
from ..face import DatabaseAddress, DatabaseTarget
from ..hosted import HostedDatabase
from .server import Login, Server
from .settings import RECORDED

DATABASE = "bench"
TEMPLATE = "bench_template"

# Stands as the comment of both databases; one without it is somebody else's.
_MARK = "made by plumbline, may be dropped"


class PostgresService(HostedDatabase[Server]):
    """See DatabaseService."""

    scheme = "postgresql"

    def __init__(self, server: Server, *, contract_sql: Path, application_password: str) -> None:
        super().__init__(server, contract_sql=contract_sql, application_password=application_password)
        self._login: Login | None = None

    @property
    def address(self) -> DatabaseAddress:
        """For the application."""
        login = self._up
        user = self._server.application_user
        return DatabaseAddress(
            login.host,
            login.port,
            DATABASE,
            user or login.user,
            self._password if user else login.password,
            login.authority,
        )

    @property
    def target(self) -> DatabaseTarget:
        """For counters."""
        return DatabaseTarget(self._up.conninfo(), DATABASE, self.address.user)

    def restore(self, prepare: str | None = None) -> None:
        """Seed and counters as new. The checkpoint comes last, so that none is due within the trial."""
        try:
            with self._admin() as session:
                session.execute(_words_of("DROP DATABASE IF EXISTS {} WITH (FORCE)", DATABASE))
                session.execute(
                    _words_of(
                        "CREATE DATABASE {} TEMPLATE {} OWNER {}", DATABASE, TEMPLATE, self.address.user
                    )
                )
                self._mark(session, DATABASE)
                if prepare is not None:
                    self._prepare(prepare)
                session.execute("SELECT pg_stat_statements_reset()")
                session.execute("CHECKPOINT")
        except psycopg.Error as error:
            raise CannotGoOn(f"The database could not be restored: {_words(error)}.") from None

    def _prepare(self, name: str) -> None:
        with self._admin(DATABASE) as inside:
            inside.execute((self._sql / "prepare" / f"{name}.sql").read_bytes())
            inside.execute("VACUUM (ANALYZE)")

    def answers(self) -> bool:
        """See DatabaseService."""
        if self._server.exit_status() is not None:
            return False
        try:
            with self._admin() as session:
                session.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def start_again(self) -> None:
        """Starts it anew; a template that may have been hurt is made anew too. Raises CannotGoOn."""
        self._server.stop()
        self._set_up()

    def _set_up(self) -> None:
        try:
            self._login = self._server.start()
            with self._admin() as session:
                self._refuse_strangers(session)
                self._make_template(session)
                self.settings = _read_settings(session)
            self.restore()
        except psycopg.Error as error:
            self._server.stop()
            raise CannotGoOn(f"The database could not be set up: {_words(error)}.") from None
        except BaseException:
            self._server.stop()
            raise

    @property
    def _up(self) -> Login:
        if self._login is None:
            raise RuntimeError("the database service is not entered")
        return self._login

    def _admin(self, database: str | None = None) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self._up.conninfo(database), autocommit=True)

    def _refuse_strangers(self, session: psycopg.Connection[tuple[object, ...]]) -> None:
        rows = session.execute(
            "SELECT datname FROM pg_database WHERE datname = ANY(%s)"
            " AND shobj_description(oid, 'pg_database') IS DISTINCT FROM %s",
            [[DATABASE, TEMPLATE], _MARK],
        ).fetchall()
        if rows:
            raise UsageError(
                f"The server has a database {rows[0][0]} that is not ours, and a trial would drop it.",
                "Rename it, or give the address of another server.",
            )

    def _make_template(self, session: psycopg.Connection[tuple[object, ...]]) -> None:
        user = self._server.application_user
        owner = user or self._up.user
        if user and not session.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [user]).fetchall():
            role = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            session.execute(role.format(sql.Identifier(user), sql.Literal(self._password)))
        session.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        for name in (DATABASE, TEMPLATE):
            session.execute(_words_of("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))
        # template0: nothing that somebody put into a given server's template1 comes along.
        session.execute(
            _words_of("CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8'", TEMPLATE, owner)
        )
        self._mark(session, TEMPLATE)
        with self._admin(TEMPLATE) as inside:
            # Its view stands beside the application's tables for those who read counters there.
            inside.execute("CREATE EXTENSION pg_stat_statements")
            inside.execute(_words_of("SET ROLE {}", owner))
            for name in ("pg/schema.sql", "fruits.sql", "pg/rows.sql"):
                inside.execute((self._sql / name).read_bytes())
            inside.execute("RESET ROLE")
            # Statistics are there from the start: no plan changes within a trial.
            inside.execute("VACUUM (FREEZE, ANALYZE)")

    def _mark(self, session: psycopg.Connection[tuple[object, ...]], database: str) -> None:
        comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
        session.execute(comment.format(sql.Identifier(database), sql.Literal(_MARK)))


def _read_settings(session: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    rows = session.execute(
        "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s) ORDER BY name",
        [list(RECORDED)],
    ).fetchall()
    return {str(name): str(value) for name, value in rows}


def _words_of(text: str, *names: str) -> sql.Composed:
    return sql.SQL(text).format(*(sql.Identifier(name) for name in names))


def _words(error: psycopg.Error) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
