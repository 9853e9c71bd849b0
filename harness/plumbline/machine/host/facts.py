"""The components of a host, read from /proc, /sys and /etc."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from plumbline.machine.host.classify import classify, load
from plumbline.machine.host.kernel import read_kernel
from plumbline.model.host import HostClass, HostFacts, HostReading, Topology

# Parameters of the kernel whose values bear on speed. Of all others only the name is kept: their values name
# disks, addresses and sometimes secrets, and a record is public.
_TELLING = """
audit clocksource cpuidle.governor cpuidle.off cpufreq.default_governor default_hugepagesz hugepages
hugepagesz idle init_on_alloc init_on_free intel_idle.max_cstate intel_pstate amd_pstate iommu irqaffinity
isolcpus kpti maxcpus mitigations nohz nohz_full nosmt nr_cpus numa_balancing preempt processor.max_cstate
pti rcu_nocbs retbleed skew_tick spec_store_bypass_disable spectre_v2 swapaccount
systemd.unified_cgroup_hierarchy threadirqs transparent_hugepage tsc workqueue.power_efficient
cgroup_disable cgroup_no_v1 cgroup_enable
"""
TELLING_PARAMETERS = frozenset(_TELLING.split())

# Components of a fingerprint that a host's facts say in fields of their own.
_OTHER_FACTS = frozenset(
    {
        *("version", "memory_kb", "kernel", "kernel_command_line", "operating_system"),
        *("cpu model name", "cpu microcode", "cpus online", "cpus cores", "cpus packages", "cpus nodes"),
    }
)


def read_host_facts(
    *,
    name: str,
    topology: Topology,
    proc: Path,
    etc: Path,
    environ: Mapping[str, str],
    stated: HostClass | None,
    components: Mapping[str, str],
    readings: Sequence[HostReading],
) -> HostFacts:
    """Return the facts of this host. `stated` is its class in bench.toml, which may lower what `readings` bear out."""
    hosted = environ.get("GITHUB_ACTIONS") == "true" and environ.get("RUNNER_ENVIRONMENT") == "github-hosted"
    host_class, why = classify(topology, readings, hosted=hosted, stated=stated)
    cpu = _first_values(proc / "cpuinfo")
    return HostFacts(
        name=name,
        host_class=host_class,
        why_class=why,
        cpu_model=cpu.get("model name") or _arm_model(cpu) or "unknown",
        microcode=cpu.get("microcode"),
        cpus=len(topology.cpus),
        memory_bytes=_memory_bytes(proc, "MemTotal"),
        kernel=read_kernel(proc / "sys/kernel/osrelease").strip(),
        kernel_command_line=public_command_line(read_kernel(proc / "cmdline")),
        operating_system=_operating_system(etc),
        hypervisor=topology.hypervisor,
        topology=topology,
        components=dict(components),
        readings=tuple(readings),
    )


def read_components(measures: Path, *, proc: Path, sys_root: Path, etc: Path) -> dict[str, str]:
    """Return the words of `bench-host fingerprint` that no other fact of a host says, by name.

    `measures` is the folder of the measures. Raises UsageError when it is not there.
    """
    package = load(measures)
    fingerprint_module = importlib.import_module(f"{package.__name__}.fingerprint")
    components = fingerprint_module.fingerprint(package.face.Roots(proc=proc, sys=sys_root, etc=etc))
    return {name: word for name, word in fingerprint_module.as_words(components) if name not in _OTHER_FACTS}


def available_memory_bytes(proc: Path) -> int:
    """Return bytes that processes may still take without the host swapping, as the kernel estimates it."""
    return _memory_bytes(proc, "MemAvailable")


def public_command_line(text: str) -> str:
    """Return the kernel's command line with the values of parameters that do not bear on speed left out."""
    words = []
    for word in text.split(" -- ")[0].split():
        name, equals, _ = word.partition("=")
        words.append(word if name in TELLING_PARAMETERS or not equals else f"{name}=")
    return " ".join(words)


def _memory_bytes(proc: Path, name: str) -> int:
    return int(_first_values(proc / "meminfo")[name].split()[0]) * 1024


def _arm_model(cpu: Mapping[str, str]) -> str:
    keys = ("CPU implementer", "CPU part", "CPU variant")
    return " ".join(f"{key.removeprefix('CPU ')} {cpu[key]}" for key in keys if key in cpu)


def _operating_system(etc: Path) -> str:
    try:
        lines = (etc / "os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    return (shlex.split(values.get("PRETTY_NAME", "unknown")) or ["unknown"])[0]


def _first_values(path: Path) -> dict[str, str]:
    """Return lines of `name : value`, the first of each name."""
    values: dict[str, str] = {}
    for line in read_kernel(path).splitlines():
        name, colon, value = line.partition(":")
        if colon:
            values.setdefault(name.strip(), value.strip())
    return values
