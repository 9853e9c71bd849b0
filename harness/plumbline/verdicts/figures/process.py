"""Start times, memory and errors of the application: figures that do not come from its load.

CPU: what a request costs each role, and how busy the sets of CPUs were.

CPU time per request is sound even on small hosts: it does not depend on who else was slow.
"""

from __future__ import annotations

from plumbline.model.evidence import Evidence, Window
from plumbline.model.host import Role
from .series import increase, known_rows, mean, rate_per_s, total_increase, window_of_rows
from .shares import busy_share, own_columns, own_share
from .view import FigureValues, PhaseView, ratio


def memory(view: PhaseView) -> FigureValues:
    """Return the memory of the phases start, closed, open and after, in bytes."""
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

    The peak of the role's cgroup counts page cache as well, and outlives a trial; that peak is evidence, not this
    figure.
    """
    return max((value for _, value in known_rows(evidence.series, "app.rss_bytes")), default=None)


def start(view: PhaseView) -> FigureValues:
    """Return the times of the phase `start`, in milliseconds since the spawn."""
    start = view.evidence.start
    if view.phase.kind != "start" or start is None:
        return {}
    return {
        "first_response_ms": start.first_response_ms,
        "healthy_ms": start.healthy_ms,
        "self_reported_start_ms": start.self_reported_ms,
    }


def whole_trial(evidence: Evidence) -> FigureValues:
    """Return the errors of all phases and the peak of memory."""
    return {"errors": _errors(evidence), "rss_peak_bytes": rss_peak_bytes(evidence)}


def _errors(evidence: Evidence) -> float | None:
    """Return failed requests (timeouts and connect errors among them) and sampled answers with a wrong body."""
    if not evidence.load:
        return None
    return float(sum(load.failed + load.checks_failed for load in evidence.load))


_ROLES: tuple[Role, ...] = ("app", "db", "load")


def cpu(view: PhaseView) -> FigureValues:
    """Return the CPU figures of a closed or open phase."""
    window, load = view.window, view.load
    if window is None or load is None or view.phase.kind not in ("closed", "open"):
        return {}
    window = window_of_rows(view.series, window)
    by_metric: FigureValues = {"app_busy_share": busy_share(view.series, "app", window)}
    for role in _ROLES:
        by_metric[f"{role}_cpu_us_per_request"] = _per_request(view, role, window) if load.completed else None
        by_metric[f"{role}_cpu_share"] = own_share(view.series, role, view.sets, window)
    gc = rate_per_s(view.series, "jvm.gc_us", window)
    jit = rate_per_s(view.series, "jvm.jit_us", window)
    by_metric["gc_share"] = None if gc is None else gc / 1e6
    by_metric["jit_share"] = None if jit is None else jit / 1e6
    return by_metric


def _per_request(view: PhaseView, role: Role, window: Window) -> float | None:
    """Return CPU time of a role over the requests that k6 counted between the same two rows, in microseconds."""
    window = window_of_rows(view.series, window, "load.requests")
    return ratio(total_increase(view.series, own_columns(role), window), increase(view.series, "load.requests", window))
