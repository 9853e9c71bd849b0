"""CPU: what a request costs each role, and how busy the sets of CPUs were.

CPU time per request survives small hosts: it does not ask who else was slow.
"""

from __future__ import annotations

from typing import Literal

from plumbline.model.evidence import Window
from .series import cpu_share, increase, inside, rate_per_s, share, total_increase
from .view import Found, PhaseView, ratio

_ROLES: tuple[Literal["app", "db", "load"], ...] = ("app", "db", "load")
# Time in interrupts is in `busy` already.
_ALL = ("busy", "idle", "iowait", "steal")


def cpu(view: PhaseView) -> Found:
    """Return figures of closed and open phases."""
    window, load = view.window, view.load
    if window is None or load is None or view.phase.kind not in ("closed", "open"):
        return {}
    window = inside(view.series, window)
    found: Found = {"app_busy_share": _busy(view, window)}
    for role in _ROLES:
        found[f"{role}_cpu_us_per_request"] = _per_request(view, role, window) if load.completed else None
        found[f"{role}_cpu_share"] = cpu_share(view.series, _time(role), len(view.sets.of(role)), window)
    gc = rate_per_s(view.series, "jvm.gc_us", window)
    jit = rate_per_s(view.series, "jvm.jit_us", window)
    found["gc_share"] = None if gc is None else gc / 1e6
    found["jit_share"] = None if jit is None else jit / 1e6
    return found


def _time(role: str) -> tuple[str, str]:
    return f"cpu.{role}.user_us", f"cpu.{role}.system_us"


def _per_request(view: PhaseView, role: str, window: Window) -> float | None:
    """Return CPU time of a role over the requests that k6 counted between the same two rows, in microseconds."""
    return ratio(
        total_increase(view.series, _time(role), window), increase(view.series, "load.requests", window)
    )


def _busy(view: PhaseView, window: Window) -> float | None:
    """Return how much of the application's CPUs was in use, by anybody, the kernel's network work included."""
    return share(view.series, ["set.app.busy_us"], [f"set.app.{state}_us" for state in _ALL], window)
