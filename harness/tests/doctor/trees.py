"""Hosts as the doctor meets them: trees of /proc, /sys, /etc and /run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import plumbline
from plumbline.machine.host.classify import load
from tests import machines
from tests.machines import Machine

CHECKOUT = Path(plumbline.__file__).resolve().parents[2]
MEASURES = load(CHECKOUT / "runner-setup" / "measures")
BY_ID: Mapping[str, Any] = {measure.ID: measure for measure in MEASURES.MEASURES}

TUNED = machines.uniform(8, smt=False, cache=8)
CPU = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
LIMITS = "Limit                     Soft Limit           Hard Limit           Units\n"

# One interrupt fires on the application's last CPU, but too rarely to matter; the network card's fires elsewhere.
QUIET_INTERRUPTS = """\
           CPU0       CPU1       CPU2       CPU3       CPU4       CPU5       CPU6       CPU7
 24:      99000          0          0          0          0          0          0          0  PCI-MSI  eth0-rx-0
 25:          0          0          0          0          0          0          0         50  PCI-MSI  nvme0q8
NMI:          0          0          0          0          0          0          0          0  Non-maskable interrupts
LOC:     100000     100000     100000     100000     100000     100000     100000     100000  Local timer interrupts
"""


def put(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


def idle_states(machine: Machine, states: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    return {
        f"{CPU}/cpu{cpu}/cpuidle/state{index}/{file}": value
        for cpu in machine.cpus
        for index, (name, (wake_us, disabled)) in enumerate(states.items())
        for file, value in (("name", name), ("latency", str(wake_us)), ("disable", disabled))
    }


def frequencies(machine: Machine, low_khz: int, high_khz: int) -> dict[str, str]:
    return {
        f"{CPU}/cpu{cpu}/cpufreq/scaling_{end}_freq": str(khz)
        for cpu in machine.cpus
        for end, khz in (("min", low_khz), ("max", high_khz))
    }


def packages(**states: str) -> dict[str, str]:
    """dpkg's list: package -> state, underscores for hyphens."""
    listed = {"base-files": "install", **{name.replace("_", "-"): state for name, state in states.items()}}
    paragraphs = [
        f"Package: {name}\nStatus: {state} ok installed\nDescription: a package" for name, state in listed.items()
    ]
    return {"var/lib/dpkg/status": "\n\n".join(paragraphs)}


def processes(*names: str) -> dict[str, str]:
    return {f"proc/{pid}/comm": name for pid, name in enumerate(names, start=100)}


def common() -> dict[str, str]:
    return {
        "proc/sys/kernel/randomize_va_space": "2",
        "proc/self/limits": f"{LIMITS}Max open files            1024                 524288               files",
        "proc/uptime": "1000.00 7000.00",
        "proc/sys/net/ipv4/ip_local_port_range": "32768\t60999",
        "proc/sys/net/core/somaxconn": "4096",
        "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456",
        "proc/sys/net/ipv4/tcp_wmem": "4096\t16384\t4194304",
        "sys/dev/block/8:2/queue/write_cache": "write back",
        "sys/dev/block/8:2/stat": f"{'0 ' * 15}5000 450",
        "proc/self/mountinfo": "30 1 8:2 / / rw - ext4 /dev/sda2 rw",
        f"{CLOCK}/available_clocksource": "tsc hpet acpi_pm",
        "var/tmp/README": "a folder that is there",
    }


def tuned(root: Path) -> Any:
    """A lab host that meets every condition."""
    TUNED.write(root)
    put(
        root,
        common()
        | idle_states(TUNED, {"POLL": (0, "0"), "C1": (2, "0"), "C6": (133, "1")})
        | processes("systemd", "chronyd", "sshd", "kthreadd", "rcuop/6", "rcuop/7")
        | frequencies(TUNED, 2_600_000, 2_600_000)
        | packages(linux_image_amd64="hold", linux_image_6_12_0_amd64="hold")
        | {
            f"{CPU}/intel_pstate/no_turbo": "1",
            f"{CPU}/smt/active": "0",
            f"{CPU}/smt/control": "off",
            "proc/interrupts": QUIET_INTERRUPTS,
            "proc/irq/24/effective_affinity_list": "0",
            "proc/irq/25/effective_affinity_list": "7",
            "proc/loadavg": "0.08 0.03 0.01 1/200 4711",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
            "proc/sys/kernel/numa_balancing": "0",
            "proc/sys/kernel/watchdog_cpumask": "0",
            "sys/kernel/mm/ksm/run": "0",
            f"{CLOCK}/current_clocksource": "tsc",
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids",
            "sys/fs/cgroup/system.slice/cpuset.cpus.effective": "0",
            "proc/cmdline": "quiet rcu_nocbs=1-7",
            "run/systemd/system/.keep": "",
            "etc/systemd/system/multi-user.target.wants/chrony.service": "",
        },
    )
    return roots(root, app_cpus=(6, 7))


def laptop(root: Path) -> Any:
    """A laptop as it comes: everything that saves energy, and everything that upgrades itself."""
    machine = machines.LAPTOP
    machine.write(root)
    counts = "  ".join("200000" for _ in machine.cpus)
    header = "  ".join(f"CPU{cpu}" for cpu in machine.cpus)
    put(
        root,
        common()
        | idle_states(machine, {"POLL": (0, "0"), "C1E": (2, "0"), "C10": (890, "0")})
        | frequencies(machine, 400_000, 4_700_000)
        | packages(linux_image_generic="install", linux_image_6_12_0_generic="hold", linux_generic="install")
        | processes("systemd", "systemd-timesyn", "irqbalance", "packagekitd", "gnome-shell")
        | {
            f"{CPU}/intel_pstate/no_turbo": "0",
            f"{CPU}/smt/active": "1",
            f"{CPU}/smt/control": "on",
            "proc/interrupts": f"{header}\n 140: {counts} PCI-MSI i915",
            "proc/irq/140/smp_affinity_list": "0-19",
            "proc/loadavg": "1.71 1.20 0.90 3/1400 9000",
            "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
            "proc/sys/kernel/numa_balancing": "1",
            "proc/sys/kernel/watchdog_cpumask": "0-19",
            "proc/sys/net/ipv4/tcp_wmem": "4096\t4096\t4194304",
            "sys/kernel/mm/ksm/run": "1",
            f"{CLOCK}/current_clocksource": "hpet",
            "proc/sys/kernel/randomize_va_space": "1",
            "proc/sys/net/core/somaxconn": "128",
            "proc/self/mountinfo": "30 1 0:26 / / rw - btrfs /dev/sda2 rw",
            "sys/fs/cgroup/system.slice/cpuset.cpus.effective": "0-19",
            "sys/fs/cgroup/cgroup.controllers": "cpu io memory pids",
            "proc/self/limits": f"{LIMITS}Max open files            1024                 1024               files",
            "run/systemd/system/.keep": "",
            "etc/systemd/system/timers.target.wants/apt-daily.timer": "",
            "etc/systemd/system/timers.target.wants/fstrim.timer": "",
        },
    )
    return roots(root, app_cpus=(8, 9, 10, 11))


def guest(root: Path) -> Any:
    """A virtual machine of two CPUs, without frequency control, RAPL, systemd or version 2's cpuset."""
    machines.SMALL_GUEST.write(root)
    for cpu in machines.SMALL_GUEST.cpus:
        (root / CPU / f"cpu{cpu}/cpufreq/scaling_governor").unlink()
    put(
        root,
        common()
        | idle_states(machines.SMALL_GUEST, {"POLL": (0, "0"), "haltpoll": (1, "0")})
        | processes("init", "bash", "kthreadd")
        | packages()
        | {
            f"{CPU}/smt/active": "0",
            f"{CPU}/smt/control": "notsupported",
            "proc/interrupts": "      CPU0       CPU1\n 36:  0   637778 PCI-MSIX 1-edge      virtio1-req.0",
            "proc/irq/36/smp_affinity_list": "0-1",
            "proc/loadavg": "0.10 0.10 0.10 1/100 300",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
            "proc/sys/kernel/numa_balancing": "0",
            "sys/kernel/mm/ksm/run": "0",
            f"{CLOCK}/current_clocksource": "tsc",
            "sys/fs/cgroup/unified/cgroup.controllers": "",
            "sys/fs/cgroup/cpuset/cpuset.cpus": "0-1",
            "sys/class/net/lo/mtu": "65536",
            "run/lock/.keep": "",
            "etc/systemd/system/timers.target.wants/apt-daily.timer": "",
        },
    )
    return roots(root, app_cpus=(1,))


def bare(root: Path) -> Any:
    """A container that was given nothing to read."""
    for name in ("proc", "sys", "etc"):
        (root / name).mkdir()
    return roots(root, app_cpus=(1,))


def roots(root: Path, app_cpus: tuple[int, ...]) -> Any:
    face: ModuleType = MEASURES.face
    return face.Roots(
        proc=root / "proc",
        sys=root / "sys",
        etc=root / "etc",
        run=root / "run",
        var=root / "var",
        scratch=root / "var/tmp/plumbline-0",
        app_cpus=app_cpus,
    )


def verdicts(host_roots: Any) -> dict[str, str]:
    return {id_: measure.check(host_roots).verdict for id_, measure in BY_ID.items()}
