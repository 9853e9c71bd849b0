"""Start times, memory and errors of the application: figures that are not of its load."""

from __future__ import annotations

from plumbline.model.evidence import Evidence
from .series import known, mean
from .view import Found, PhaseView


def memory(view: PhaseView) -> Found:
    """Return bytes of the phases start, closed, open and after."""
    evidence, window = view.evidence, view.window
    if view.phase.kind == "start" and evidence.start is not None:
        return {
            "rss_idle_bytes": evidence.start.rss_idle_bytes,
            "rss_first_response_bytes": evidence.start.rss_first_response_bytes,
            "pss_idle_bytes": evidence.start.pss_idle_bytes,
        }
    if view.phase.kind == "after":
        return {"rss_after_bytes": evidence.rss_after_bytes, "pss_after_bytes": evidence.pss_after_bytes}
    if view.phase.kind in ("closed", "open") and window is not None:
        return {
            "rss_under_load_bytes": mean(view.series, "app.rss_bytes", window),
            "heap_used_bytes": mean(view.series, "jvm.heap_used_bytes", window),
        }
    return {}


def rss_peak_bytes(evidence: Evidence) -> float | None:
    """Return the greatest RSS of any second of the trial.

    The peak of the role's cgroup counts page cache as well, and outlives a trial; it is evidence, not this
    figure.
    """
    return max((value for _, value in known(evidence.series, "app.rss_bytes")), default=None)


def start(view: PhaseView) -> Found:
    """Return times of the phase `start`, in milliseconds since the spawn."""
    start = view.evidence.start
    if view.phase.kind != "start" or start is None:
        return {}
    return {
        "first_response_ms": start.first_response_ms,
        "healthy_ms": start.healthy_ms,
        "self_reported_start_ms": start.self_reported_ms,
    }


def whole(evidence: Evidence) -> Found:
    """Return errors of all phases and the peak of memory."""
    return {"errors": _errors(evidence), "rss_peak_bytes": rss_peak_bytes(evidence)}


def _errors(evidence: Evidence) -> float | None:
    """Return failed requests (timeouts and connect errors among them) and sampled answers with a wrong body."""
    if not evidence.load:
        return None
    return float(sum(load.failed + load.checks_failed for load in evidence.load))
