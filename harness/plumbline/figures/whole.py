"""Figures of the trial as a whole."""

from __future__ import annotations

from plumbline.model.evidence import Evidence
from .memory import rss_peak_bytes
from .view import Found


def whole(evidence: Evidence) -> Found:
    """Errors of all phases and the peak of memory."""
    return {"errors": _errors(evidence), "rss_peak_bytes": rss_peak_bytes(evidence)}


def _errors(evidence: Evidence) -> float | None:
    """Failed requests (timeouts and connect errors among them) and sampled answers with a wrong body."""
    if not evidence.load:
        return None
    return float(sum(load.failed + load.checks_failed for load in evidence.load))
