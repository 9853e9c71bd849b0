"""The components of a host whose change begins a new segment of every series; none names the machine itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .face import Roots
from .files import cpu_folder, format_cpus, lacks, online_cpus, read

_CPU = ("vendor_id", "cpu family", "model", "model name", "stepping", "microcode")
_ARM = ("CPU implementer", "CPU part", "CPU variant", "CPU revision")
# Models of board and disks, never serial numbers or addresses.
_BOARD = ("board_vendor", "board_name", "bios_version")
# Words of the kernel's command line that are kept with their values. Of all other words only the name is kept: their
# values name disks, networks and secrets.
_VALUES_KEPT = (
    "irqaffinity",
    "rcu_nocbs",
    "mitigations",
    "isolcpus",
    "nohz_full",
    "intel_pstate",
    "amd_pstate",
)


def fingerprint(roots: Roots) -> dict[str, Any]:
    """Return the components by name, in a fixed order; None stands for a component that this host does not show."""
    cpu = _first_values(read(roots.proc / "cpuinfo") or "")
    folder = cpu_folder(roots)
    online = online_cpus(read(folder / "online"))
    cores = {read(folder / f"cpu{number}/topology/thread_siblings_list") or str(number) for number in online}
    packages = {read(folder / f"cpu{number}/topology/physical_package_id") for number in online}
    nodes = list((roots.sys / "devices/system/node").glob("node[0-9]*"))
    memory = _first_values(read(roots.proc / "meminfo") or "").get("MemTotal", "").split()
    release = _first_values((read(roots.etc / "os-release") or "").replace("=", ":"))
    return {
        "version": 1,
        "cpu": {name: cpu.get(name) for name in (_CPU if "vendor_id" in cpu else _ARM)},
        "cpus": {
            "online": format_cpus(online),
            "cores": len(cores),
            "packages": len(packages),
            "nodes": len(nodes) or None,
            "caches": _caches(roots),
        },
        "memory_kb": int(memory[0]) if memory else None,
        "board": {name: read(roots.sys / "class/dmi/id" / name) for name in _BOARD},
        "disks": _disks(roots),
        "kernel": read(roots.proc / "sys/kernel/osrelease"),
        "kernel_command_line": _without_secrets(read(roots.proc / "cmdline") or ""),
        "operating_system": release.get("PRETTY_NAME", "").strip('"') or None,
        "frequency_driver": read(folder / "cpu0/cpufreq/scaling_driver"),
        "idle_driver": read(folder / "cpuidle/current_driver"),
        "clock": read(roots.sys / "devices/system/clocksource/clocksource0/current_clocksource"),
        "control_groups": _control_groups(roots),
        "vulnerabilities": {
            path.name: read(path) for path in sorted((folder / "vulnerabilities").glob("*")) if path.is_file()
        },
    }


def as_words(components: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each component that the host shows as a name and a word: `board bios_version`, `1.2`."""
    for name, value in components.items():
        if isinstance(value, dict):
            yield from ((f"{name} {part}", word) for part, word in as_words(value))
        elif value not in (None, []):
            yield name, ", ".join(value) if isinstance(value, list) else str(value)


def _caches(roots: Roots) -> dict[str, str]:
    """Return the caches of the first CPU as level and kind -> size: `L3 Unified` -> `32768K`."""
    sizes: dict[str, str] = {}
    for index in sorted((cpu_folder(roots) / "cpu0/cache").glob("index*")):
        level, kind, size = (read(index / name) for name in ("level", "type", "size"))
        if level and kind and size:
            sizes[f"L{level} {kind}"] = size
    return sizes


def _disks(roots: Roots) -> list[str]:
    models = [read(path) for path in (roots.sys / "block").glob("*/device/model")]
    return sorted(model for model in models if model)


def _control_groups(roots: Roots) -> int | None:
    mount = roots.sys / "fs/cgroup"
    if not lacks(mount / "cgroup.controllers") and (mount / "cgroup.controllers").exists():
        return 2
    return 1 if (mount / "cpuset").is_dir() else None


def _without_secrets(line: str) -> str:
    words = []
    for word in line.split(" -- ")[0].split():
        name, equals, _ = word.partition("=")
        words.append(word if name in _VALUES_KEPT or not equals else f"{name}=")
    return " ".join(words)


def _first_values(text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            values.setdefault(name.strip(), value.strip())
    return values
