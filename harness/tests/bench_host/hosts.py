"""Made-up hosts that `bench-host` sets up: trees of files, and a system that runs the few commands of `bench-host`."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench_host.apply import as_shown
from bench_host.disk import Disk
from bench_host.host import INSTALLED, Host

from tests import machines
from tests.doctor.trees import CLOCK, CPU, LIMITS, frequencies, idle_states, packages, processes, put
from tests.machines import Machine

UNITS = ("apt-daily.timer", "apt-daily.service", "fstrim.timer", "irqbalance.service", "packagekit.service")

# Six cores with siblings, eight without: a laptop's processor in a desktop, with a fixed supply.
HYBRID = replace(machines.LAPTOP, governor="powersave", swap=True)
TWO_SOCKETS = replace(machines.SERVER, governor="ondemand", swap=True)
ARM = replace(machines.uniform(32, smt=False, cache=32), governor="schedutil")
SMALL = replace(machines.FOUR_CORES, governor="powersave", swap=True)
# The same kinds with four cores each, so that a test can end at every single step.
FEW_IN_TWO_SOCKETS = replace(machines.uniform(4, smt=True, cache=1, node=2), governor=TWO_SOCKETS.governor, swap=True)
FEW_HYBRID = replace(
    HYBRID,
    cores=((0, 1), (2, 3), (4,), (5,)),
    caches=(tuple(range(4)),),
    nodes=(tuple(range(4)),),
    packages=(tuple(range(4)),),
)
FEW_ARM = replace(machines.uniform(4, smt=False, cache=4), governor=ARM.governor)


def write_host(root: Path, machine: Machine, *, version: int = 2, arm: bool = False) -> Path:
    """Write a host as a fresh Debian leaves it, with control groups of that version."""
    machine.write(root)
    has_siblings = [len(core) > 1 for core in machine.cores]
    two_kinds = len(set(has_siblings)) > 1
    turbo = {f"{CPU}/intel_pstate/no_turbo": "0"} if two_kinds else {f"{CPU}/cpufreq/boost": "1"}
    per_cpu = {
        f"{CPU}/cpu{cpu}/cpufreq/{name}": text
        for core in machine.cores
        for cpu in core
        for name, text in (
            ("scaling_available_governors", "performance powersave"),
            ("base_frequency", "1600000" if two_kinds and len(core) == 1 else "2100000"),
        )
    }
    put(
        root,
        turbo
        | per_cpu
        | idle_states(machine, {"POLL": (0, "0"), "C1": (2, "0"), "C6": (133, "0")})
        | frequencies(machine, 400_000, 4_700_000)
        | packages(linux_image_amd64="install", linux_image_6_12_0_amd64="hold")
        | processes("systemd", "chronyd", "sshd", "kthreadd")
        | {f"usr/lib/systemd/system/{unit}": f"# {unit}" for unit in (*UNITS, "plumbline-watch.timer")}
        | {
            f"{CPU}/smt/active": "1" if any(has_siblings) else "0",
            f"{CPU}/smt/control": "on" if any(has_siblings) else "notsupported",
            f"{CLOCK}/available_clocksource": "arch_sys_counter" if arm else "hpet tsc acpi_pm",
            f"{CLOCK}/current_clocksource": "arch_sys_counter" if arm else "hpet",
            "proc/irq/default_smp_affinity": "ffffffff,ffffffff",
            "proc/irq/24/smp_affinity_list": "0-3",
            "proc/irq/25/smp_affinity_list": "1",
            "proc/sys/kernel/randomize_va_space": "1",
            "proc/sys/kernel/numa_balancing": "1",
            "proc/sys/net/ipv4/ip_local_port_range": "32768\t40000",
            "proc/sys/kernel/watchdog_cpumask": "0-3",
            "proc/sys/net/core/somaxconn": "128",
            "proc/sys/net/ipv4/tcp_rmem": "4096\t87380\t212992",
            "proc/sys/net/ipv4/tcp_wmem": "4096\t16384\t4194304",
            "proc/self/limits": f"{LIMITS}Max open files            1024                 1024               files",
            "proc/loadavg": "0.01 0.01 0.01 1/100 300",
            "sys/devices/virtual/workqueue/cpumask": "ffffffff,ffffffff",
            "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
            "sys/kernel/mm/ksm/run": "1",
            "etc/fstab": "UUID=12-34 none swap sw 0 0\n# UUID=0 none swap sw 0 0\n/dev/sda1 / ext4 rw 0 1",
            "etc/default/grub": 'GRUB_CMDLINE_LINUX_DEFAULT="quiet"',
            "etc/systemd/system/fstrim.timer": "# an owner's own",
            "run/systemd/system/.keep": "",
            "var/tmp/.keep": "",
        },
    )
    if arm:
        (root / "proc/cpuinfo").write_text("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")
    if version == 2:
        put(root, {"sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory"})
    else:
        put(root, {"sys/fs/cgroup/cpuset/cpuset.cpus": "0-3"})
    wants = root / "etc/systemd/system/timers.target.wants"
    wants.mkdir(parents=True)
    for unit in ("apt-daily.timer", "fstrim.timer", "plumbline-watch.timer"):
        (wants / unit).symlink_to(f"/usr/lib/systemd/system/{unit}")
    (root / "etc/default/grub").chmod(0o640)
    installed = root / INSTALLED
    installed.parent.mkdir(parents=True)
    installed.symlink_to("/usr/local/lib/plumbline-host/bench-host")
    return root


# The paths that measures read on a host, but for its processes.
READ_OF_A_HOST = (
    *("etc/fstab", "etc/systemd/system", "usr/lib/systemd/system", "var/lib/dpkg/status"),
    *(f"proc/{name}" for name in ("cpuinfo", "cmdline", "interrupts", "irq", "loadavg", "swaps", "uptime")),
    *(f"proc/self/{name}" for name in ("limits", "mountinfo")),
    *(f"proc/sys/kernel/{name}" for name in ("numa_balancing", "randomize_va_space", "watchdog_cpumask")),
    *(f"proc/sys/net/ipv4/{name}" for name in ("ip_local_port_range", "tcp_rmem", "tcp_wmem")),
    *("proc/sys/net/core/somaxconn", CLOCK, CPU, "sys/devices/virtual/workqueue/cpumask"),
    *("sys/kernel/mm/ksm", "sys/kernel/mm/transparent_hugepage", "sys/fs/cgroup/cgroup.controllers"),
)


def record_host(root: Path) -> Path:
    """Copy the files of this machine that measures read, as far as they can be read, below `root`."""
    for name in READ_OF_A_HOST:
        top = Path("/", name)
        paths = [Path(folder, file) for folder, _, names in os.walk(top) for file in names]
        for path in paths if top.is_dir() else [top]:
            copy = root / path.relative_to("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink():
                copy.symlink_to(path.readlink())
                continue
            # Some files can only be written, and some show nothing here.
            with contextlib.suppress(OSError):
                copy.write_bytes(path.read_bytes())
    return root


HOSTS: dict[str, Callable[[Path], Path]] = {
    "two-socket AMD": lambda root: write_host(root, TWO_SOCKETS),
    "Intel with two kinds of cores": lambda root: write_host(root, HYBRID),
    "Arm server": lambda root: write_host(root, ARM, arm=True),
    "small machine": lambda root: write_host(root, SMALL),
    "small machine, control groups 1": lambda root: write_host(root, SMALL, version=1),
    "two-socket AMD, few cores": lambda root: write_host(root, FEW_IN_TWO_SOCKETS),
    "Intel with two kinds of cores, few": lambda root: write_host(root, FEW_HYBRID),
    "Arm server, few cores": lambda root: write_host(root, FEW_ARM, arm=True),
}
LARGE = ("two-socket AMD", "Intel with two kinds of cores", "Arm server")
"""These have thousands of files, each of which is changed and changed back."""


def snapshot(root: Path) -> dict[str, object]:
    """Return every file with its bytes and mode, every link with its target, every folder.

    Paths are plain strings here: some tests take thousands of snapshots of hundreds of files.
    """
    entries: dict[str, object] = {}
    start = len(f"{root}/")
    for top, folders, names in os.walk(root):
        for path in (f"{top}/{name}" for name in (*folders, *names)):
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                entries[path[start:]] = os.readlink(path)
            else:
                entries[path[start:]] = (mode, _content(path) if stat.S_ISREG(mode) else None)
    return entries


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()


class Killed(BaseException):
    """The program ended here, as by SIGKILL: no part of the program runs on."""


@dataclass
class Kernel(Disk):
    """A disk whose kernel files show what real ones would show. It ends the program before a given step."""

    ends_before: int | None = None
    steps: int = 0

    def step(self) -> None:
        if self.steps == self.ends_before:
            raise Killed
        self.steps += 1

    def value(self, path: Path, text: str) -> None:
        self.step()
        old = path.read_text()
        path.write_text(text if text == old else as_shown(old, text))


@dataclass
class System:
    """Runs the commands that measures ask for, on the tree: systemctl, swapon and swapoff, apt-mark, update-grub.

    Programs that are `broken` fail.
    """

    root: Path
    kernel: Kernel
    active: set[str] = field(default_factory=lambda: {"fstrim.timer", "irqbalance.service"})
    ran: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)

    def __call__(self, words: Sequence[str]) -> str | None:
        if words[1:2] == ("is-active",):
            return None if words[-1] in self.active else "inactive"
        self.kernel.step()
        self.ran.append(" ".join(words))
        program, *options = words
        if program in self.broken:
            return f"{program} failed"
        if program == "systemctl" and options[0] in ("stop", "start"):
            (self.active.discard if options[0] == "stop" else self.active.add)(options[1])
        elif program in ("swapon", "swapoff"):
            head, *areas = (self.root / "proc/swaps").read_text().splitlines()
            if (program == "swapon") == any(line.startswith(options[0]) for line in areas):
                return "Device or resource busy"
            areas = [f"{options[0]} file 1 0 -2"] if program == "swapon" else []
            (self.root / "proc/swaps").write_text("\n".join([head, *areas]) + "\n")
        elif program == "apt-mark":
            states = {"hold": ("install", "hold"), "unhold": ("hold", "install")}[options[0]]
            status = self.root / "var/lib/dpkg/status"
            name = f"Package: {options[1]}\nStatus: "
            status.write_text(status.read_text().replace(f"{name}{states[0]} ", f"{name}{states[1]} "))
        return None


class Live(Host):
    """A made-up host on which commands are run."""

    disk: Kernel
    run: System

    @property
    def is_live(self) -> bool:
        return True


def live(root: Path, ends_before: int | None = None, active: set[str] | None = None) -> Live:
    kernel = Kernel(ends_before)
    system = System(root, kernel)
    if active is not None:
        system.active = active
    return Live(root, kernel, system)
