"""Reads what the kernel of this host tells: /proc and /sys, sets of CPUs as `0-3,8`, topology, free ports, the time."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from plumbline.model.errors import UsageError
from plumbline.model.host import Cpu, Topology

WEAK_KINDS = ("cpu_atom", "cpu_lowpower")
WEAK_CAPACITY = 0.75


def read_kernel(path: Path) -> str:
    """Return the text of a file that every Linux host has. Raises UsageError where it is hidden or missing."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"{path} can't be read: {error.strerror}.",
            "Run where all of /proc and /sys is mounted and open to you.",
        ) from None


def parse_cpulist(text: str) -> tuple[int, ...]:
    """Return the numbers of `0-3,8`: (0, 1, 2, 3, 8), sorted; none for an empty text. Else raises ValueError."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, dash, last = part.partition("-")
        numbers.update(range(int(first), int(last if dash else first) + 1))
    return tuple(sorted(numbers))


def format_cpulist(numbers: Iterable[int]) -> str:
    """Return the text of such numbers: `0-3,8` for (0, 1, 2, 3, 8)."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nobody listens on now; the kernel will not hand it out again soon."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def utc_now() -> str:
    """Return this moment as records write it, in UTC: `2026-11-23T08:15:00Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def allowed_cpus(proc: Path) -> tuple[int, ...]:
    """Return the CPUs that this process may run on, from `Cpus_allowed_list` of /proc/self/status.

    A container or a service manager may have taken some away.
    """
    for line in read_kernel(proc / "self/status").splitlines():
        name, _, value = line.partition(":")
        if name == "Cpus_allowed_list":
            return parse_cpulist(value)
    raise UsageError(
        "/proc/self/status does not say on which CPUs this process may run.",
        "Run where all of /proc is mounted.",
    )


def read_topology(sys_root: Path, proc: Path, allowed: tuple[int, ...]) -> Topology:
    """Return the online CPUs among `allowed`, by number.

    `core` and `cache` are the lowest CPU number that shares them, since the kernel's own ids repeat between
    packages and dies. A cache is the one of the highest level that the CPU has.
    """
    # The install without the harness tells kinds of cores in the same way (runner-setup/measures/layout.py).
    cpu_root = sys_root / "devices/system/cpu"
    usable = sorted(set(parse_cpulist(read_kernel(cpu_root / "online"))) & set(allowed))
    nodes = _node_of_cpu(sys_root / "devices/system/node")
    weak = _weak_cpus(sys_root)
    cpus = tuple(
        _read_cpu(cpu_root / f"cpu{number}", number, nodes.get(number, 0), weak=number in weak) for number in usable
    )
    return Topology(cpus=cpus, hypervisor=has_hypervisor(sys_root, proc))


def has_hypervisor(sys_root: Path, proc: Path) -> bool:
    """Return whether the kernel runs as a guest: the CPU flag on x86, the device tree on ARM, Xen's own folder."""
    for line in read_kernel(proc / "cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return "hypervisor" in value.split()
    return (sys_root / "hypervisor/type").exists() or (proc / "device-tree/hypervisor").exists()


def _weak_cpus(sys_root: Path) -> set[int]:
    """Return the CPUs of weaker cores: those of Intel's kinds other than `cpu_core`, or of far less capacity (ARM).

    Equal cores may differ a little in capacity, as they do in their highest frequency.
    """
    devices = sys_root / "devices"
    if (devices / "cpu_core").is_dir():
        return {cpu for kind in WEAK_KINDS for cpu in parse_cpulist(_read(devices / kind / "cpus", ""))}
    files = (devices / "system/cpu").glob("cpu[0-9]*/cpu_capacity")
    capacities = {int(file.parent.name.removeprefix("cpu")): int(_read(file, "0")) for file in files}
    strongest = max(capacities.values(), default=0)
    return {cpu for cpu, capacity in capacities.items() if capacity < WEAK_CAPACITY * strongest}


def _read_cpu(folder: Path, number: int, node: int, *, weak: bool) -> Cpu:
    topology = folder / "topology"
    package = int(_read(topology / "physical_package_id", "0"))
    siblings = _read(topology / "core_cpus_list", "") or _read(topology / "thread_siblings_list", "")
    return Cpu(
        number=number,
        core=min(parse_cpulist(siblings), default=number),
        package=max(0, package),
        node=node,
        cache=_last_level_cache(folder, number),
        weak=weak,
    )


def _last_level_cache(folder: Path, number: int) -> int:
    levels: dict[int, int] = {}
    for index in folder.glob("cache/index*"):
        if _read(index / "type", "Unified") != "Instruction":
            shared = parse_cpulist(_read(index / "shared_cpu_list", ""))
            levels[int(_read(index / "level", "0"))] = min(shared, default=number)
    if levels:
        return levels[max(levels)]
    # Some guests see no caches; then the package is the nearest that is known.
    package = _read(folder / "topology/package_cpus_list", "") or _read(folder / "topology/core_siblings_list", "")
    return min(parse_cpulist(package), default=number)


def _node_of_cpu(node_root: Path) -> dict[int, int]:
    return {
        cpu: int(folder.name.removeprefix("node"))
        for folder in sorted(node_root.glob("node[0-9]*"))
        for cpu in parse_cpulist(_read(folder / "cpulist", ""))
    }


def _read(path: Path, otherwise: str) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return otherwise
