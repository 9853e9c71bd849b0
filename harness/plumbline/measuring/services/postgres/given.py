"""A server that somebody else runs, found by its address in bench.toml; we have a database in it and nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from plumbline.model.errors import UsageError
from .server import Login, Server

PASSWORD_VARIABLE = "PLUMBLINE_DB_PASSWORD"
AUTHORITY_VARIABLE = "PLUMBLINE_DB_CA"

# The settings that decide results (io_method, ssl_tls13_ciphers) exist from this version on.
OLDEST_MAJOR = 18

_FORM = "Write it as postgresql://user@host:port, the password in PLUMBLINE_DB_PASSWORD."

_IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
_PRELOADED = "SHOW shared_preload_libraries"


class ForeignServer(Server):
    """A server that somebody else runs, with roles and databases of ours that bear our mark (see PostgresService)."""

    def __init__(self, address: str, environ: Mapping[str, str]) -> None:
        self._login = read_address(address, environ)

    def start(self) -> Login:
        """Check that the server answers, its version, the library that counts statements, and our rights in it."""
        login = self._login
        address = f"{login.host}:{login.port}"
        try:
            with psycopg.connect(login.conninfo(), autocommit=True) as session:
                major = session.info.server_version // 10000
                if major < OLDEST_MAJOR:
                    raise UsageError(
                        f"The server at {address} is PostgreSQL {major}; {OLDEST_MAJOR} or newer is needed.",
                        "Upgrade it, or use the embedded one.",
                    )
                # The extension that counts statements, and its reset, take a superuser; other rights could be granted.
                if session.execute(_IS_SUPERUSER).fetchall() != [(True,)]:
                    raise UsageError(
                        f"The user {login.user} at {address} is no superuser, and a restore needs one.",
                        f'Let its administrator say ALTER ROLE "{login.user}" SUPERUSER on a server for tests.',
                    )
                if "pg_stat_statements" not in session.execute(_PRELOADED).fetchall()[0][0]:
                    raise UsageError(
                        f"The server at {address} doesn't count statements.",
                        "Add pg_stat_statements to its shared_preload_libraries and restart it.",
                    )
        except psycopg.OperationalError as error:
            first_line = (str(error).strip().splitlines() or ["no answer"])[0]
            raise UsageError(f"No database is reachable at {address}: {first_line}.", _FORM) from None
        return login


def read_address(address: str, environ: Mapping[str, str]) -> Login:
    """Return the parts of `postgresql://user@host:port[/maintenance-database]`. Raises UsageError."""
    try:
        parts = urlsplit(address)
        port = parts.port or 5432
    except ValueError:
        raise UsageError(f"'{address}' is no address of a database.", _FORM) from None
    if parts.password is not None:
        raise UsageError("The address of the database holds a password, and bench.toml is read by all.", _FORM)
    if parts.scheme not in ("postgresql", "postgres") or not parts.hostname or not parts.username:
        raise UsageError(f"'{address}' is no address of a database.", _FORM)
    authority = environ.get(AUTHORITY_VARIABLE)
    if authority and not Path(authority).is_file():
        raise UsageError(f"{AUTHORITY_VARIABLE} names {authority}, which is no file.", "Name a PEM file.")
    return Login(
        parts.hostname,
        port,
        parts.username,
        environ.get(PASSWORD_VARIABLE, ""),
        Path(authority) if authority else None,
        parts.path.strip("/") or "postgres",
        sslmode="prefer",
    )
