"""Small recorded machines: trees of /sys and /proc as the kernel would show them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from plumbline.machine.host.kernel import format_cpulist


@dataclass(frozen=True)
class Machine:
    """Cores as tuples of logical CPUs; caches, nodes and packages as tuples of core numbers."""

    cores: tuple[tuple[int, ...], ...]
    caches: tuple[tuple[int, ...], ...]
    nodes: tuple[tuple[int, ...], ...]
    packages: tuple[tuple[int, ...], ...]
    hypervisor: bool = False
    allowed: tuple[int, ...] | None = None
    governor: str | None = "performance"
    swap: bool = False
    weak: tuple[int, ...] = ()
    capacities: tuple[int, ...] = ()

    @property
    def cpus(self) -> tuple[int, ...]:
        return tuple(sorted(cpu for core in self.cores for cpu in core))

    def write(self, root: Path) -> tuple[Path, Path]:
        """Writes the tree; returns the roots of /sys and /proc."""
        for number, core in enumerate(self.cores):
            for cpu in core:
                self._write_cpu(root / f"sys/devices/system/cpu/cpu{cpu}", number, core)
        _put(root / "sys/devices/system/cpu/online", format_cpulist(self.cpus))
        if self.weak:
            strong = [cpu for cpu in self.cpus if cpu not in self.weak]
            for kind, cpus in (("cpu_core", strong), ("cpu_atom", self.weak)):
                _put(root / f"sys/devices/{kind}/cpus", format_cpulist(cpus))
        for cpu, capacity in enumerate(self.capacities):
            _put(root / f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity", str(capacity))
        for number, node in enumerate(self.nodes):
            _put(root / f"sys/devices/system/node/node{number}/cpulist", format_cpulist(self._cpus(node)))
        flags = "fpu sse2 hypervisor" if self.hypervisor else "fpu sse2"
        _put(
            root / "proc/cpuinfo",
            f"processor\t: 0\nmodel name\t: Test CPU\nmicrocode\t: 0x1\nflags\t\t: {flags}\n",
        )
        allowed = format_cpulist(self.cpus if self.allowed is None else self.allowed)
        _put(root / "proc/self/status", f"Name:\ttest\nCpus_allowed:\tff\nCpus_allowed_list:\t{allowed}\n")
        _put(root / "proc/meminfo", "MemTotal:       16000000 kB\nMemFree:  1 kB\n")
        _put(root / "proc/sys/kernel/osrelease", "6.12.0-test\n")
        _put(root / "proc/cmdline", "root=UUID=1-2 quiet mitigations=off token=secret -- init=/x\n")
        swaps = "Filename\tType\tSize\tUsed\tPriority\n"
        _put(root / "proc/swaps", swaps + ("/swapfile file 1 0 -2\n" if self.swap else ""))
        _put(root / "etc/os-release", 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
        return root / "sys", root / "proc"

    def _write_cpu(self, folder: Path, number: int, core: tuple[int, ...]) -> None:
        package = next(index for index, cores in enumerate(self.packages) if number in cores)
        cache = next(cores for cores in self.caches if number in cores)
        _put(folder / "topology/core_id", str(number))
        _put(folder / "topology/physical_package_id", str(package))
        _put(folder / "topology/thread_siblings_list", format_cpulist(core))
        for index, (level, kind, shared) in enumerate(
            [(1, "Data", core), (1, "Instruction", core), (3, "Unified", self._cpus(cache))]
        ):
            _put(folder / f"cache/index{index}/level", str(level))
            _put(folder / f"cache/index{index}/type", kind)
            _put(folder / f"cache/index{index}/shared_cpu_list", format_cpulist(shared))
        if self.governor is not None:
            _put(folder / "cpufreq/scaling_governor", self.governor)

    def _cpus(self, cores: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(cpu for core in cores for cpu in self.cores[core])


def _chunks(count: int, size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(range(start, min(start + size, count))) for start in range(0, count, size))


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def uniform(
    cores: int,
    *,
    smt: bool,
    cache: int,
    node: int | None = None,
    hypervisor: bool = False,
    allowed: tuple[int, ...] | None = None,
) -> Machine:
    """Equal cores: `cache` of them share a last-level cache, `node` of them a socket; siblings are n and n + cores."""
    node = node or cores
    sockets = _chunks(cores, node)
    return Machine(
        cores=tuple((core, core + cores) if smt else (core,) for core in range(cores)),
        caches=_chunks(cores, cache),
        nodes=sockets,
        packages=sockets,
        hypervisor=hypervisor,
        allowed=allowed,
    )


SMALL_GUEST = uniform(2, smt=False, cache=2, hypervisor=True)
FOUR_CORES = uniform(4, smt=False, cache=4)
HOSTED_FOUR = uniform(2, smt=True, cache=2, hypervisor=True)
DESKTOP = uniform(8, smt=True, cache=4, node=8)
BIG_DESKTOP = uniform(16, smt=True, cache=8, node=16)
SERVER = uniform(64, smt=True, cache=8, node=32)
MONOLITHIC_SERVER = uniform(64, smt=True, cache=32, node=32)
CONTAINER = uniform(64, smt=True, cache=8, node=32, allowed=(3, 4, 5, 6, 67, 68, 69, 70))
# Six cores with siblings numbered side by side, then eight without; all share one cache.
LAPTOP = Machine(
    cores=(*((2 * core, 2 * core + 1) for core in range(6)), *((cpu,) for cpu in range(12, 20))),
    caches=(tuple(range(14)),),
    nodes=(tuple(range(14)),),
    packages=(tuple(range(14)),),
    governor="powersave",
    swap=True,
)
# Two kinds of cores without siblings, as newer processors have them, or where SMT is off.
HYBRID_WITHOUT_SMT = replace(uniform(12, smt=False, cache=12), weak=tuple(range(4, 12)))
# Equal cores differ a little in capacity.
BIG_LITTLE = replace(uniform(8, smt=False, cache=8), capacities=(1010, 1024, 1018, 1024, 446, 446, 446, 446))
