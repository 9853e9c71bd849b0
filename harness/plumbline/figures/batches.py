"""Batches of study 001: the threads and the connections that a batch uses."""

from __future__ import annotations

from .series import values
from .view import Found, PhaseView


def batches(view: PhaseView) -> Found:
    """Return the figures of a closed phase of batches; none of any other load.

    Evidence that is older than the count of threads has neither figure, so that its records are computed as they were.
    """
    load, window = view.load, view.window
    if load is None or window is None or load.batch_threads is None or view.phase.kind != "closed":
        return {}
    return {
        "batch_threads": load.batch_threads,
        "batch_connections": max(values(view.series, "db.active", window), default=None),
    }
