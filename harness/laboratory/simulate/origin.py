"""The origin that a made-up night states: host, versions, artifacts."""

from __future__ import annotations

import hashlib
import random
import time
from typing import Any

from .texts import HOSTILE
from .world import Host, SimulatedSubject, World

# A night of six hours.
SESSION_S = 20_800


def host_of(host: Host, night: int, start_s: int) -> dict[str, Any]:
    """Return the host as it was in a night, read when the session began and when it had ended."""
    cpus = [{"number": number, "core": number, "package": 0, "node": 0, "cache": 0} for number in range(8)]
    shared = host.host_class == "shared"
    return {
        "name": host.name,
        "host_class": host.host_class,
        "why_class": "simulated",
        "cpu_model": "Simulated CPU",
        "microcode": host.component("microcode", night, "0x1"),
        "cpus": 8,
        "memory_bytes": 32 * 2**30,
        "kernel": host.component("kernel", night, "6.12.38"),
        "kernel_command_line": "quiet",
        "operating_system": "Debian GNU/Linux 13 (trixie)",
        "hypervisor": shared,
        "topology": {"cpus": cpus, "hypervisor": shared},
        "readings": [_reading(shared, at_s) for at_s in (start_s, start_s + SESSION_S)],
    }


def _reading(shared: bool, at_s: int) -> dict[str, Any]:
    governor = {
        "id": "governor",
        "title": "Governor performance on all CPUs",
        "why": "A clock that moves moves every figure.",
        "needed_for": "lab",
        "verdict": "unknown" if shared else "fit",
        "reading": "no frequency control is shown (cpufreq)" if shared else "performance on all 8 CPUs",
        "command": None,
    }
    hypervisor = {
        "id": "hypervisor",
        "title": "No hypervisor",
        "why": "Who shares the machine shares its time.",
        "needed_for": "lab",
        "verdict": "unfit" if shared else "fit",
        "reading": "a virtual machine" if shared else "bare metal",
        "command": None,
    }
    return {
        "read_at": _utc(at_s),
        "uptime_s": float(at_s % 10**7),
        "conditions": [hypervisor, governor],
        "frequency_khz": {} if shared else {str(cpu): [2_600_000, 2_600_000] for cpu in range(8)},
        "throttled": {},
        "interrupts": {},
    }


def provenance_of(
    world: World,
    host: Host,
    night: int,
    session: str,
    started_at: str,
    start_s: int,
    hostile: bool,
    draw: random.Random,
) -> dict[str, Any]:
    """Return commit, versions and times, with hostile texts in a `hostile` night."""
    return {
        "commit": _digest(f"commit {night}")[:40],
        "dirty": False,
        "locks": {draw.choice(HOSTILE) if hostile else "harness/requirements.lock": _digest("lock")},
        "python": draw.choice(HOSTILE) if hostile else "3.13.5",
        "jdk": world.jdk(night),
        "k6": host.component("k6", night, "k6 v2.0.0"),
        "database": "PostgreSQL 18.1",
        "database_settings": {"shared_buffers": "1GB"},
        "command_line": ["./bench", "simulate"],
        "started_at": started_at,
        "ended_at": _utc(start_s + SESSION_S),
        "resumed": 0,
    }


def build_of(thing: SimulatedSubject, night: int) -> dict[str, Any]:
    """Return the artifact of a subject as it was in a night."""
    native = "/native" in thing.id
    return {
        "artifact": thing.id.partition("+")[0],
        "command_line": ["mvn", "package"],
        "wall_s": 240.0 if native else 21.5,
        "peak_memory_bytes": 6_000_000_000 if native else 900_000_000,
        "size_bytes": 80_000_000 if native else 24_000_000,
        "sha256": _artifact(thing, night),
        "inputs_sha256": _digest(f"inputs {thing.id} {thing.version(night)}"),
        "reused": True,
    }


def program_of(thing: SimulatedSubject, night: int) -> dict[str, Any]:
    """Return the artifact and framework that a subject ran in a night."""
    return {
        "subject": thing.id,
        "artifact": thing.id.partition("+")[0],
        "sha256": _artifact(thing, night),
        "framework": thing.framework,
        "framework_version": thing.version(night),
    }


def _utc(at_s: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at_s))


def _artifact(thing: SimulatedSubject, night: int) -> str:
    return _digest(f"artifact {thing.id.partition('+')[0]} {thing.version(night)}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
