"""How our own sessions in the database are told from the application's."""

from __future__ import annotations

# A prefix of application_name in pg_stat_activity.
OWN_NAME = "plumbline"

# Stands inside every statement of ours: pg_stat_statements keeps it there, and drops it in front of one.
OWN_COMMENT = "/* plumbline */"
