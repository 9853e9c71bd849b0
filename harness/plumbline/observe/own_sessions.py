"""How our own sessions in the database are told from the application's."""

from __future__ import annotations

# A prefix of application_name in pg_stat_activity.
OWN_NAME = "plumbline"

# Opens every statement of ours; pg_stat_statements keeps it in the normalised text.
OWN_COMMENT = "/* plumbline */"
