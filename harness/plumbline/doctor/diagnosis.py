"""Makes one diagnosis of all conditions of a host."""

from __future__ import annotations

from plumbline.model.base import Frozen
from plumbline.model.host import Condition, HostClass


class Diagnosis(Frozen):
    """The whole. `fit` asks for all that measuring needs, `lab_ready` for all that a lab needs as well.

    `examined_at` is in UTC, as everywhere: `2026-11-21T20:46:48Z`.
    """

    examined_at: str
    host: str
    host_class: HostClass
    why_class: str
    fit: bool
    lab_ready: bool
    summary: str
    conditions: tuple[Condition, ...]


def diagnose(
    *,
    examined_at: str,
    host: str,
    host_class: HostClass,
    why_class: str,
    conditions: tuple[Condition, ...],
) -> Diagnosis:
    """Return the overall verdict: what is needed for any measurement must not be unfit, for a lab all must be known.

    What is an extra counts for neither.
    """
    missing = [c.said for c in conditions if c.needed_for == "any" and c.verdict == "unfit"]
    needed = [c for c in conditions if c.needed_for != "extra"]
    unmet = [c.said for c in needed if c.verdict == "unfit"]
    unread = [c.said for c in needed if c.verdict == "unknown"]
    lab_ready = host_class == "lab" and not unmet and not unread
    if missing:
        summary = f"Not fit to measure: {_listed(missing)}."
    elif lab_ready:
        summary = "Fit to measure as lab: every condition is met."
    elif host_class == "lab":
        lacking = [
            f"{word}: {_listed(said)}" for word, said in (("not met", unmet), ("not known", unread)) if said
        ]
        summary = f"Fit to measure, but short of a lab; {'; '.join(lacking)}."
    else:
        summary = f"Fit to measure as {host_class}: every result is advisory, because {why_class}."
    return Diagnosis(
        examined_at=examined_at,
        host=host,
        host_class=host_class,
        why_class=why_class,
        fit=not missing,
        lab_ready=lab_ready,
        summary=summary,
        conditions=conditions,
    )


def _listed(said: list[str]) -> str:
    return "; ".join(said)
