"""Start: from the spawn to the first answers."""

from __future__ import annotations

from .view import Found, PhaseView


def start(view: PhaseView) -> Found:
    """Times of the phase `start`, in milliseconds since the spawn."""
    start = view.evidence.start
    if view.phase.kind != "start" or start is None:
        return {}
    return {
        "first_response_ms": start.first_response_ms,
        "healthy_ms": start.healthy_ms,
        "self_reported_start_ms": start.self_reported_ms,
    }
