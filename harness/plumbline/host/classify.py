"""The class of a host: what its measurements are good for.

`small`: fewer than four cores, so that four roles cannot have one each. `lab`: bare metal that meets the
basics: all online CPUs are ours, every governor is `performance`, no swap. `shared`: everything else, be it a
virtual machine, a hosted runner, or bare metal that nobody has prepared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from plumbline.host.cpulist import parse_cpulist
from plumbline.host.kernel import read_kernel
from plumbline.model.host import HostClass, Topology

# Application, database, load and housekeeping, a core each: SMT siblings share too much to count as two.
CORES_FOR_FOUR_SETS = 4

_ORDER: tuple[HostClass, ...] = ("small", "shared", "lab")


def classify(
    *,
    topology: Topology,
    proc: Path,
    sys_root: Path,
    environ: Mapping[str, str],
    stated: HostClass | None,
) -> tuple[HostClass, str]:
    """The class and why, in words. A stated class holds only where it is lower than what is found."""
    found, why = _found(topology, proc, sys_root, environ)
    if stated is None or stated == found:
        return found, why
    if _ORDER.index(stated) < _ORDER.index(found):
        return stated, f"stated in bench.toml; without that {found}: {why}"
    return found, f"{why} (bench.toml says {stated}, which the readings do not bear out)"


def _found(
    topology: Topology, proc: Path, sys_root: Path, environ: Mapping[str, str]
) -> tuple[HostClass, str]:
    cores = len({cpu.core for cpu in topology.cpus})
    if cores < CORES_FOR_FOUR_SETS:
        noun = "core" if cores == 1 else "cores"
        return "small", f"{cores} {noun}, and four sets need {CORES_FOR_FOUR_SETS}"
    if topology.hypervisor:
        return "shared", "a virtual machine: its neighbours are unknown"
    if environ.get("GITHUB_ACTIONS") == "true" and environ.get("RUNNER_ENVIRONMENT") == "github-hosted":
        return "shared", "a hosted runner: its neighbours are unknown"
    lacking = list(_lacking(topology, proc, sys_root))
    if lacking:
        return "shared", f"bare metal, but {'; '.join(lacking)}"
    return "lab", "bare metal, all CPUs ours, governor performance, no swap"


def _lacking(topology: Topology, proc: Path, sys_root: Path) -> Iterator[str]:
    cpu_root = sys_root / "devices/system/cpu"
    online = len(parse_cpulist(read_kernel(cpu_root / "online")))
    if online > len(topology.cpus):
        yield f"only {len(topology.cpus)} of {online} CPUs are ours"
    governors = {read_kernel(path).strip() for path in cpu_root.glob("cpu[0-9]*/cpufreq/scaling_governor")}
    if governors - {"performance"}:
        yield f"the governor is {', '.join(sorted(governors - {'performance'}))}"
    # A kernel without swapping has no such file.
    if (proc / "swaps").exists() and len(read_kernel(proc / "swaps").splitlines()) > 1:
        yield "swap is on"
