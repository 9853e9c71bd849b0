"""CPU time of each role's processes: of its cgroup where there is one, else summed over /proc/PID/stat."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plumbline.measuring.place.interface import PLACED_ROLES, Account, PlacedRole
from plumbline.model.evidence import TICK_US
from ..open_file import OpenFile, find_account, keyed
from ..targets import ROLES_WITH_DESCENDANTS, Roots
from .base import Group, Row, RunningTotal, Tick, group_of

# Behind the command: utime, stime, cutime, cstime (fields 14 to 17 of proc(5)).
_UTIME, _STIME, _CUTIME, _CSTIME = 11, 12, 13, 14


class CpuSampler:
    """Samples the CPU time of each role: `cpu.<role>.user_us` and `.system_us`.

    From cgroup v2 `cpu.stat`, from v1 `cpuacct.usage`, of all cgroups that the role had; else from /proc in steps of
    10 ms. There, time of children that ended is in their parent's waited-for time, read before the children so that
    nothing counts twice. The time of a role without processes stands still; that of a role whose process is gone
    unannounced is not read, nor that of a database out of our sight, which has neither a process nor a cgroup.
    """

    def __init__(self, roots: Roots) -> None:
        self._accounts: dict[Group, _Account | None] = {}
        self._totals = {role: (RunningTotal(), RunningTotal()) for role in PLACED_ROLES}

    def sample(self, tick: Tick) -> Row:
        """Return user and system time of all four roles, in microseconds."""
        row: dict[str, float | None] = {}
        for role in PLACED_ROLES:
            user_us, system_us = self._read(role, tick)
            row[f"cpu.{role}.user_us"] = user_us
            row[f"cpu.{role}.system_us"] = system_us
        return row

    def close(self) -> None:
        """Close the cgroups' files."""
        for account in self._accounts.values():
            if account is not None:
                account.close()

    def _read(self, role: PlacedRole, tick: Tick) -> tuple[float | None, float | None]:
        user: dict[Group, int] = {}
        system: dict[Group, int] = {}
        if role == "db" and not tick.targets.roots_of(role) and not tick.targets.cgroups_of(role):
            return None, None
        for folders in tick.targets.cgroups_of(role):
            group = group_of(folders)
            if group not in self._accounts:
                self._accounts[group] = _Account.find(folders)
            account = self._accounts[group]
            if account is None:
                return self._from_processes(role, tick)
            user_us, system_us = account.read()
            if user_us is None or system_us is None:
                return None, None
            user[group], system[group] = user_us, system_us
        if not user:
            # Between two of its cgroups a role has no process either, and its sum stays the same.
            return self._from_processes(role, tick)
        user_total, system_total = self._totals[role]
        return user_total.add(user), system_total.add(system)

    def _from_processes(self, role: PlacedRole, tick: Tick) -> tuple[float | None, float | None]:
        user: dict[int, int] = {}
        system: dict[int, int] = {}
        waited_for = role in ROLES_WITH_DESCENDANTS
        for root, pids in tick.processes.roots(role).items():
            if tick.processes.stat(root) is None:
                return None, None
            user[root] = system[root] = 0
            for pid in pids:
                fields = tick.processes.stat(pid)
                if fields is not None:
                    user[root] += int(fields[_UTIME]) + (int(fields[_CUTIME]) if waited_for else 0)
                    system[root] += int(fields[_STIME]) + (int(fields[_CSTIME]) if waited_for else 0)
        user_total, system_total = self._totals[role]
        return user_total.add(_in_us(user)), system_total.add(_in_us(system))


def _in_us(ticks: Mapping[int, int]) -> dict[int, int]:
    return {root: count * TICK_US for root, count in ticks.items()}


class _Account:
    """The CPU accounting of one cgroup: `cpu.stat` alone, or the whole and its two parts of version 1.

    Version 1 counts the whole by the scheduler's clock, but the parts by looking at each tick who runs: a process that
    wakes for some microseconds at a time is missed by as much as a quarter. So the parts only divide the whole.
    """

    def __init__(self, files: tuple[OpenFile, ...]) -> None:
        self._files = files
        self._before = (0, 0, 0)
        self._us = (0.0, 0.0)

    @classmethod
    def find(cls, folders: Mapping[Account, Path]) -> _Account | None:
        candidates = [find_account(folders, f"cpuacct.usage{suffix}") for suffix in ("", "_user", "_sys")]
        files = tuple(file for file in candidates if file is not None)
        if len(files) == len(candidates):
            return cls(files)
        stat = find_account(folders, "cpu.stat")
        if stat is not None and b"user_usec" in (stat.read() or b""):
            return cls((stat,))
        return None

    def read(self) -> tuple[int | None, int | None]:
        contents = [file.read() for file in self._files]
        if len(contents) == 1:
            numbers = keyed(contents[0] or b"")
            return numbers.get(b"user_usec"), numbers.get(b"system_usec")
        known = [int(content) for content in contents if content is not None]
        if len(known) < len(contents):
            return None, None
        whole_ns, user_ns, system_ns = (now - before for now, before in zip(known, self._before, strict=True))
        self._before = known[0], known[1], known[2]
        parts_ns = user_ns + system_ns
        # Where no tick fell on the group, its little time counts as the user's.
        share = user_ns / parts_ns if parts_ns else 1.0
        self._us = self._us[0] + whole_ns * share / 1000, self._us[1] + whole_ns * (1 - share) / 1000
        return round(self._us[0]), round(self._us[1])

    def close(self) -> None:
        for file in self._files:
            file.close()
