"""How our own sessions in the database are told from the application's."""

from __future__ import annotations

# Stands inside every statement of ours: pg_stat_statements keeps it there, and drops it in front of one.
OWN_COMMENT = "/* plumbline */"
