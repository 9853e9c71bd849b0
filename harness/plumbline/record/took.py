"""Estimates how long a trial took, from its evidence."""

from __future__ import annotations

from plumbline.model.evidence import Evidence

# Around the rows of a trial: restore, start, and what is read after its end.
AROUND_ROWS_S = 5.0


def took_s(evidence: Evidence) -> float:
    """Return seconds from the restore of the database to the end of the application."""
    return (evidence.series.t_s[-1] if evidence.series.t_s else 0.0) + AROUND_ROWS_S
