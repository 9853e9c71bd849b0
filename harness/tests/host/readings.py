"""Readings of a host, as a record keeps them."""

from __future__ import annotations

from plumbline.model.host import Condition, HostClass, HostReading, Met


def condition(id_: str, verdict: Met = "fit", reading: str = "as it should be") -> Condition:
    return Condition(id=id_, title=id_.title(), why="It matters.", needed_for="lab", verdict=verdict, reading=reading)


def reading(
    *conditions: Condition,
    uptime_s: float | None = 1000.0,
    cpus: int = 8,
    khz: tuple[int, int] = (2_600_000, 2_600_000),
    throttled: int = 0,
    interrupts: int = 0,
) -> HostReading:
    """A reading of a host that meets what a lab needs, but for the given conditions."""
    usual = [condition(name) for name in ("governor", "turbo") if name not in {stated.id for stated in conditions}]
    return HostReading(
        read_at="2026-09-01T10:15:00Z",
        uptime_s=uptime_s,
        conditions=(*conditions, *usual),
        frequency_khz=dict.fromkeys(range(cpus), khz),
        throttled=dict.fromkeys(range(cpus), throttled),
        interrupts=dict.fromkeys(range(cpus), interrupts),
    )


def of_session(host_class: HostClass = "lab") -> tuple[HostReading, ...]:
    """The readings before and after a session of ten minutes on a host of that class."""
    lacking = () if host_class == "lab" else (condition("hypervisor", "unfit", "a virtual machine"),)
    return (reading(*lacking), reading(*lacking, uptime_s=1600.0))
