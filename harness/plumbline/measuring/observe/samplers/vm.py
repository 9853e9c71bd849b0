"""Counters of the whole host from /proc, and what the sampling itself costs."""

from __future__ import annotations

import os
import resource
from functools import partial
from pathlib import Path

from plumbline.model.evidence import TICK_US
from plumbline.model.host import ROLES
from ..open_file import OpenFile, number_after
from ..targets import Roots
from .base import HoldsFiles, RoleCounter, RoleFiles, Row, Tick

_COLUMNS = {
    "vm.swapped_in_pages": b"\npswpin ",
    "vm.swapped_out_pages": b"\npswpout ",
    "vm.major_faults": b"\npgmajfault ",
    "vm.oom_kills": b"\noom_kill ",
    "vm.shared_pages": b"\nnr_shmem ",
}


class VmSampler(HoldsFiles):
    """Samples `vm.{swapped_in_pages,swapped_out_pages,major_faults,oom_kills,shared_pages}`."""

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._vmstat = self.hold(OpenFile(roots.proc / "vmstat"))

    def sample(self, tick: Tick) -> Row:
        """Return counts since boot, and the shared pages of now."""
        content = self._vmstat.read()
        if content is None:
            return {}
        return {column: number_after(content, label) for column, label in _COLUMNS.items()}


_RESOURCES = ("cpu", "io", "memory")
_DATABASE_RESOURCES = ("cpu", "io")


class PressureSampler(HoldsFiles):
    """Samples `psi.{cpu,io,memory}.some_us`, `psi.{io,memory}.full_us`, `db.psi.{cpu,io}.some_us`."""

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._host = {name: self.hold(OpenFile(roots.proc / "pressure" / name)) for name in _RESOURCES}
        self._database = {
            name: (self.hold(RoleFiles(f"{name}.pressure")), RoleCounter()) for name in _DATABASE_RESOURCES
        }

    def sample(self, tick: Tick) -> Row:
        """Return microseconds; None on kernels without PSI, and for the database on cgroup v1."""
        row: dict[str, float | None] = {}
        for name, file in self._host.items():
            content = file.read()
            row[f"psi.{name}.some_us"] = _total(content, b"some ")
            if name != "cpu":
                row[f"psi.{name}.full_us"] = _total(content, b"full ")
        for name, (files, counter) in self._database.items():
            row[f"db.psi.{name}.some_us"] = counter.add("db", files.read("db", tick), partial(_total, kind=b"some "))
        return row


def _total(content: bytes | None, kind: bytes) -> int | None:
    start = -1 if content is None else content.find(kind)
    return None if content is None or start < 0 else number_after(content[start:], b"total=")


_EXTENDED = {
    "tcp.listen_overflows": b"ListenOverflows",
    "tcp.listen_drops": b"ListenDrops",
    "tcp.timeouts": b"TCPTimeouts",
}


class NetworkSampler(HoldsFiles):
    """Samples `tcp.{listen_overflows,listen_drops,timeouts,retransmitted,passive_opens}` and `net.lo.*`."""

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._netstat, self._snmp, self._dev = (
            self.hold(OpenFile(roots.proc / "net" / name)) for name in ("netstat", "snmp", "dev")
        )

    def sample(self, tick: Tick) -> Row:
        """Return counts since the namespace was made. A packet on the loopback counts once, where it is received."""
        extended = _table(self._netstat.read(), b"TcpExt:")
        row: dict[str, float | None] = {column: extended.get(name) for column, name in _EXTENDED.items()}
        tcp = _table(self._snmp.read(), b"Tcp:")
        row["tcp.retransmitted"] = tcp.get(b"RetransSegs")
        row["tcp.passive_opens"] = tcp.get(b"PassiveOpens")
        row["net.lo.bytes"], row["net.lo.packets"] = _received(self._dev.read(), b"lo")
        return row


def _table(content: bytes | None, protocol: bytes) -> dict[bytes, int]:
    """Return the counters of a protocol from its two lines: names, then values."""
    lines = [line.split() for line in (content or b"").splitlines() if line.startswith(protocol + b" ")]
    return dict(zip(lines[0][1:], map(int, lines[1][1:]), strict=False)) if len(lines) == 2 else {}


def _received(content: bytes | None, interface: bytes) -> tuple[int | None, int | None]:
    """Return the bytes and packets that an interface has received."""
    for line in (content or b"").splitlines():
        name, colon, numbers = line.partition(b":")
        if colon and name.strip() == interface:
            count, packets, *_ = map(int, numbers.split())
            return count, packets
    return None, None


# The kernel counts in sectors of 512 bytes whatever the disk's own size is.
_SECTOR_BYTES = 512

# Documentation/admin-guide/iostats: behind major, minor and name.
_WRITES, _SECTORS_WRITTEN, _BUSY_MS = 4, 6, 9


class DiskSampler(HoldsFiles):
    """Samples the writes to a disk: `disk.written_bytes`, `disk.writes`, `disk.busy_ms`.

    They are those of the device that holds the data folder; where that has no block device (tmpfs, overlay, btrfs) or
    no folder is named, the sum over whole disks that are hardware (or the hypervisor's).
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._block = roots.sys / "block"
        self._diskstats = self.hold(OpenFile(roots.proc / "diskstats"))
        self._folder: Path | None = None
        self._device: bytes | None = None
        self._disks: frozenset[bytes] | None = None

    def sample(self, tick: Tick) -> Row:
        """Return bytes, requests and milliseconds since boot."""
        content = self._diskstats.read()
        if content is None:
            return {}
        if self._disks is None or tick.targets.data_folder != self._folder:
            self._folder = tick.targets.data_folder
            self._device = None if self._folder is None else _device(self._folder)
            self._disks = self._whole_disks()
        rows = [line.split() for line in content.splitlines()]
        chosen = [row for row in rows if b"%b:%b" % (row[0], row[1]) == self._device]
        chosen = chosen or [row for row in rows if row[2] in self._disks]
        if not chosen:
            return {}
        written, writes, busy = (
            sum(int(row[3 + field]) for row in chosen) for field in (_SECTORS_WRITTEN, _WRITES, _BUSY_MS)
        )
        return {"disk.written_bytes": written * _SECTOR_BYTES, "disk.writes": writes, "disk.busy_ms": busy}

    def _whole_disks(self) -> frozenset[bytes]:
        try:
            return frozenset(disk.name.encode() for disk in self._block.iterdir() if (disk / "device").exists())
        except OSError:
            return frozenset()


def _device(folder: Path) -> bytes | None:
    try:
        number = os.stat(folder).st_dev
    except OSError:
        return None
    return f"{os.major(number)}:{os.minor(number)}".encode()


# proc(5): user nice system idle iowait irq softirq steal; guest time is part of user.
_USER, _NICE, _SYSTEM, _IDLE, _IOWAIT, _IRQ, _SOFTIRQ, _STEAL = range(8)


class CpuSetsSampler(HoldsFiles):
    """Samples the CPU time of each set: `set.<role>.{busy,idle,iowait,irq,softirq,steal}_us` of the roles app, db, load
    and housekeeping.

    `busy` is the sum of user, nice, system, irq and softirq; `irq` and `softirq` have columns as well, `steal` is
    not in `busy`.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._stat = self.hold(OpenFile(roots.proc / "stat"))

    def sample(self, tick: Tick) -> Row:
        """Return sums over each set's CPUs, in microseconds; nothing for a CPU that is not listed."""
        content = self._stat.read()
        if content is None:
            return {}
        cpus: dict[int, list[int]] = {}
        for line in content.splitlines():
            if not line.startswith(b"cpu"):
                break
            name, *fields = line.split()
            if name != b"cpu":
                cpus[int(name[3:])] = [int(field) * TICK_US for field in fields[:8]]
        row: dict[str, float | None] = {}
        for role in ROLES:
            times_of_cpus = [cpus[number] for number in tick.targets.sets.of(role) if number in cpus]
            if not times_of_cpus:
                continue
            total = [sum(column) for column in zip(*times_of_cpus, strict=True)]
            row[f"set.{role}.busy_us"] = total[_USER] + total[_NICE] + total[_SYSTEM] + total[_IRQ] + total[_SOFTIRQ]
            row[f"set.{role}.idle_us"] = total[_IDLE]
            row[f"set.{role}.iowait_us"] = total[_IOWAIT]
            row[f"set.{role}.irq_us"] = total[_IRQ]
            row[f"set.{role}.softirq_us"] = total[_SOFTIRQ]
            row[f"set.{role}.steal_us"] = total[_STEAL]
        return row


class OwnSampler(HoldsFiles):
    """Samples `sampler.us`: CPU time of the sampling thread, from getrusage. It comes last, to include the others."""

    def sample(self, tick: Tick) -> Row:
        """Return user and system time of the calling thread, in microseconds."""
        usage = resource.getrusage(resource.RUSAGE_THREAD)
        return {"sampler.us": round((usage.ru_utime + usage.ru_stime) * 1e6)}
