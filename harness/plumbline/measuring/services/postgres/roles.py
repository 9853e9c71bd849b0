"""The two roles that a session makes in a server, and what the application may have left in them.

    administrator      owns the three databases and everything in them
    APPLICATION        reads and writes rows of the application's database, and makes nothing in it
    PROBE              reads counters and rows, everywhere; changes nothing

A role may change its own settings and password. So both are put back before every trial, and the settings that a new
session would begin with are compared with those at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

from plumbline.model.errors import UsageError

APPLICATION = "plumbline"
PROBE = "plumbline_probe"

# The comment of each role of ours; a role without this comment is somebody else's.
_MARK = "made by plumbline, may be altered"

_ATTRIBUTES = sql.SQL(
    "LOGIN INHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
    " CONNECTION LIMIT -1 VALID UNTIL 'infinity'"
)

# Names resolve to the server's own objects, whatever an application would put in front of them.
_SEARCH_PATH = "pg_catalog"

# The application's rights to the rows of its database.
RIGHTS = (
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}",
)

_DATABASES_WITH_SETTINGS = """
SELECT d.datname FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
WHERE s.setrole = %s::regrole"""

# The settings of a new session: those of the server, and those of roles and databases, which override them.
_SETTINGS_IN_FORCE = """
SELECT name, setting FROM pg_settings
UNION ALL
SELECT 'for role ' || coalesce(r.rolname, '(all)') || ' in database ' || coalesce(d.datname, '(all)'),
       array_to_string(s.setconfig, ', ')
FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase"""

Session = psycopg.Connection[tuple[Any, ...]]


def make_roles(session: Session, passwords: Mapping[str, str]) -> None:
    """Make both roles, or take over those of an earlier session. Raises UsageError for a role of somebody else."""
    for name in passwords:
        comments = session.execute(
            "SELECT shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname = %s", [name]
        ).fetchall()
        if comments and comments != [(_MARK,)]:
            raise UsageError(
                f"The server has a role {name} that is not ours, and a session would change it.",
                "Rename it, or give the address of another server.",
            )
        if not comments:
            session.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(name)))
            session.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(name), sql.Literal(_MARK)))
    reset_roles(session, passwords)
    session.execute(sql.SQL("GRANT pg_monitor, pg_read_all_data TO {}").format(sql.Identifier(PROBE)))


def reset_roles(session: Session, passwords: Mapping[str, str]) -> None:
    """Put attributes, passwords and settings of both roles back as they were made; the settings in every database.

    A second testbed on the same server, which some proofs need, gives both roles passwords of its own.
    """
    for name, password in passwords.items():
        _reset_role(session, name, password)
    probe, search_path = sql.Identifier(PROBE), sql.Identifier(_SEARCH_PATH)
    session.execute(sql.SQL("ALTER ROLE {} SET search_path TO {}").format(probe, search_path))


def _reset_role(session: Session, name: str, password: str) -> None:
    role = sql.Identifier(name)
    session.execute(sql.SQL("ALTER ROLE {} WITH {} PASSWORD {}").format(role, _ATTRIBUTES, sql.Literal(password)))
    session.execute(sql.SQL("ALTER ROLE {} RESET ALL").format(role))
    for (database,) in session.execute(_DATABASES_WITH_SETTINGS, [name]).fetchall():
        session.execute(sql.SQL("ALTER ROLE {} IN DATABASE {} RESET ALL").format(role, sql.Identifier(database)))


def grant_rows(session: Session) -> None:
    """Grant the application its rights to the rows of the database that this session is in."""
    for statement in RIGHTS:
        session.execute(sql.SQL(statement).format(sql.Identifier(APPLICATION)))


def close_database(session: Session, database: str, *roles: str) -> None:
    """Let nobody into a database but its owner and these roles, who can make nothing in it."""
    name = sql.Identifier(database)
    session.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    for role in roles:
        session.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, sql.Identifier(role)))


def settings_in_force(session: Session) -> dict[str, str]:
    """Return every setting that a new session would begin with, by its name."""
    return {str(name): str(value) for name, value in session.execute(_SETTINGS_IN_FORCE).fetchall()}
