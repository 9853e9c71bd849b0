"""What `bench-host quiet` does and prints: jitter of each CPU, the kernel's tracers, durable writes, the control."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from measures.face import Roots
from measures.files import cpu_folder, online_cpus, parse_cpus, read

from . import control, quiet, tracers
from .guards import require_linux
from .host import Host
from .refused import Refused
from .state import FOLDER, State

Say = Callable[[str], None]


def quiet_(host: Host, asked: argparse.Namespace) -> int:
    """Two minutes of a host's own noise; with a checkout also how its control scatters, which takes longer."""
    require_linux()
    if not host.is_live:
        raise Refused("A recorded tree has no CPUs to run on.", "Leave --root out.")
    if asked.seconds is not None and not 0 < asked.seconds <= 3600:
        raise Refused(f"{asked.seconds} is no time of a CPU.", "Name seconds, from above 0 to 3600.")
    if asked.harness is not None:
        control.program_of(asked.harness)
    roots = host.roots()
    online = online_cpus(read(cpu_folder(roots) / "online"))
    cpus = online if asked.cpus is None else _cpus(asked.cpus, online)
    offered = tracers.offered(roots)
    shared = quiet.TOTAL_S - quiet.TRACER_S * len(offered or ())
    seconds = asked.seconds or max(quiet.LEAST_S, shared / max(1, len(cpus)))
    say: Say = (lambda text: None) if asked.json else _say
    result: dict[str, Any] = {
        "version": 1,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "applied": State(host.root / FOLDER, host.disk).exists,
        "housekeeping": list(roots.housekeeping),
        "gap_us": quiet.GAP_NS / 1e3,
        "jitter": _jitter(roots, cpus, seconds, say),
        **_traced(roots, offered, asked.seconds or quiet.TRACER_S, say),
        "writes": _writes(roots, asked, say),
        "control": _control(asked, say),
    }
    if asked.json:
        sys.stdout.write(json.dumps(result, indent=1) + "\n")
    return 0


def _jitter(roots: Roots, cpus: tuple[int, ...], seconds: float, say: Say) -> list[dict[str, Any]]:
    found = []
    for cpu in cpus:
        one = quiet.jitter(cpu, seconds)
        found.append(asdict(one))
        say(
            f"CPU {cpu:3}{_role(roots, cpu)}: {one.lost_share:.4%} taken away, {one.gaps_per_s:.1f} times a second, "
            f"{one.longest_us:.0f} us at once at most"
        )
    return found


def _traced(roots: Roots, offered: tuple[str, ...] | None, seconds: float, say: Say) -> dict[str, Any]:
    """What the kernel's tracers found; None for one that was not there to ask."""
    found: dict[str, Any] = dict.fromkeys(tracers.TRACERS)
    seconds = max(tracers.LEAST_S, seconds)
    if not offered:
        why = "are not shown (/sys/kernel/tracing)" if offered is None else "are not in this kernel"
        say(f"osnoise and hwlat, the kernel's own tracers, {why}")
        return found
    if tracers.OSNOISE in offered:
        noise = tracers.osnoise(roots, seconds, time.sleep)
        found[tracers.OSNOISE] = [asdict(one) for one in noise]
        for one in noise:
            causes = ", ".join(f"{name.replace('_', ' ')} {often:.1f}" for name, often in one.per_s.items())
            say(
                f"CPU {one.cpu:3}{_role(roots, one.cpu)} by osnoise: {one.lost_share:.4%} taken away, "
                f"{one.longest_us:.0f} us at once at most; times a second: {causes}"
            )
    if tracers.HWLAT in offered:
        stalls = tracers.hwlat(roots, seconds, time.sleep)
        found[tracers.HWLAT] = asdict(stalls)
        say(
            f"the hardware by hwlat: {stalls.stalls} stalls in {stalls.seconds:.0f} s, {stalls.longest_us:.0f} us at "
            "once at most"
        )
    return found


def _writes(roots: Roots, asked: argparse.Namespace, say: Say) -> dict[str, Any]:
    cost = quiet.writes(asked.scratch or roots.scratch)
    say(
        f"a durable write in {cost.folder}: {cost.median_ms:.2f} ms, 99 of 100 within {cost.p99_ms:.2f} ms, "
        f"{cost.longest_ms:.2f} ms at most"
    )
    return asdict(cost)


def _control(asked: argparse.Namespace, say: Say) -> dict[str, Any] | None:
    if asked.harness is None:
        return None
    scatter = control.scatter(asked.harness)
    say(
        f"the control's CPU time a request scatters by {scatter.cv:.2%} over {scatter.trials} trials "
        f"(a lab's goal: {control.GOAL:.1%})"
    )
    return asdict(scatter)


def _role(roots: Roots, cpu: int) -> str:
    return " (housekeeping)" if cpu in roots.housekeeping else ""


def _cpus(text: str, online: tuple[int, ...]) -> tuple[int, ...]:
    try:
        cpus = parse_cpus(text)
    except ValueError:
        raise Refused(f"'{text}' is no list of CPUs.", "Write it like 2-5,8.") from None
    if not cpus or not set(cpus) <= set(online):
        raise Refused(f"Not all of '{text}' are online CPUs.", "`bench-host fingerprint` lists those.")
    return cpus


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
