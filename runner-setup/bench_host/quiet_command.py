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


def quiet_(host: Host, arguments: argparse.Namespace) -> int:
    """Measure a host's own noise for two minutes; with a checkout also its control's scatter, which takes longer."""
    require_linux()
    if not host.is_live:
        raise Refused("A recorded tree has no CPUs to run on.", "Leave --root out.")
    if arguments.seconds is not None and not 0 < arguments.seconds <= 3600:
        raise Refused(f"{arguments.seconds} is no time of a CPU.", "Name seconds, from above 0 to 3600.")
    if arguments.harness is not None:
        control.program_of(arguments.harness)
    roots = host.roots()
    online = online_cpus(read(cpu_folder(roots) / "online"))
    cpus = online if arguments.cpus is None else _cpus(arguments.cpus, online)
    offered = tracers.offered(roots)
    cpus_s = quiet.TOTAL_S - quiet.TRACER_S * len(offered or ())
    seconds = arguments.seconds or max(quiet.LEAST_S, cpus_s / max(1, len(cpus)))
    say: Say = (lambda text: None) if arguments.json else _say
    result: dict[str, Any] = {
        "version": 1,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "applied": State(host.root / FOLDER, host.disk).exists,
        "housekeeping": list(roots.housekeeping),
        "gap_us": quiet.GAP_NS / 1e3,
        "jitter": _jitter(roots, cpus, seconds, say),
        **_findings_of_tracers(roots, offered, arguments.seconds or quiet.TRACER_S, say),
        "writes": _writes(roots, arguments, say),
        "control": _control(arguments, say),
    }
    if arguments.json:
        sys.stdout.write(json.dumps(result, indent=1) + "\n")
    return 0


def _jitter(roots: Roots, cpus: tuple[int, ...], seconds: float, say: Say) -> list[dict[str, Any]]:
    rows = []
    for cpu in cpus:
        jitter = quiet.jitter(cpu, seconds)
        rows.append(asdict(jitter))
        say(
            f"CPU {cpu:3}{_role(roots, cpu)}: {jitter.lost_share:.4%} taken away, "
            f"{jitter.gaps_per_s:.1f} times a second, "
            f"{jitter.longest_us:.0f} us at once at most"
        )
    return rows


def _findings_of_tracers(roots: Roots, offered: tuple[str, ...] | None, seconds: float, say: Say) -> dict[str, Any]:
    """Return the findings of the kernel's tracers by name; None for a tracer that could not be used."""
    findings: dict[str, Any] = dict.fromkeys(tracers.TRACERS)
    seconds = max(tracers.LEAST_S, seconds)
    if not offered:
        reason = "are not shown (/sys/kernel/tracing)" if offered is None else "are not in this kernel"
        say(f"osnoise and hwlat, the kernel's own tracers, {reason}")
        return findings
    if tracers.OSNOISE in offered:
        noises = tracers.osnoise(roots, seconds, time.sleep)
        findings[tracers.OSNOISE] = [asdict(noise) for noise in noises]
        for noise in noises:
            causes = ", ".join(f"{name.replace('_', ' ')} {rate:.1f}" for name, rate in noise.per_s.items())
            say(
                f"CPU {noise.cpu:3}{_role(roots, noise.cpu)} by osnoise: {noise.lost_share:.4%} taken away, "
                f"{noise.longest_us:.0f} us at once at most; times a second: {causes}"
            )
    if tracers.HWLAT in offered:
        stalls = tracers.hwlat(roots, seconds, time.sleep)
        findings[tracers.HWLAT] = asdict(stalls)
        say(
            f"the hardware by hwlat: {stalls.stalls} stalls in {stalls.seconds:.0f} s, {stalls.longest_us:.0f} us at "
            "once at most"
        )
    return findings


def _writes(roots: Roots, arguments: argparse.Namespace, say: Say) -> dict[str, Any]:
    cost = quiet.writes(arguments.scratch or roots.scratch)
    say(
        f"a durable write in {cost.folder}: {cost.median_ms:.2f} ms, 99 of 100 within {cost.p99_ms:.2f} ms, "
        f"{cost.longest_ms:.2f} ms at most"
    )
    return asdict(cost)


def _control(arguments: argparse.Namespace, say: Say) -> dict[str, Any] | None:
    if arguments.harness is None:
        return None
    scatter = control.scatter(arguments.harness)
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
