"""Memory of each role: resident and swapped out from /proc/PID/status, peak and OOM kills from its cgroup."""

from __future__ import annotations

from plumbline.place.interface import PlacedRole
from ..open_file import number_after
from ..roots import Roots
from .base import HoldsFiles, RoleFiles, Row, Tick

SAMPLED_ROLES: tuple[PlacedRole, ...] = ("app", "db", "load")


class MemorySampler(HoldsFiles):
    """Samples the memory of each role: `<role>.rss_bytes`, `.swap_bytes`, `.memory_peak_bytes` and `.oom_kills` of app,
    db and load.

    Pages that processes of a role share (PostgreSQL's buffers, the program itself) count once: private pages
    are summed, of shared and file pages the largest process's count is taken. For one process that is its
    RSS.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._peak = self.hold(RoleFiles("memory.peak", "memory.max_usage_in_bytes"))
        self._events = self.hold(RoleFiles("memory.events", "memory.oom_control"))

    def sample(self, tick: Tick) -> Row:
        """Return bytes and kills; None for a role none of whose processes is there."""
        row: dict[str, float | None] = {}
        for role in SAMPLED_ROLES:
            row[f"{role}.rss_bytes"], row[f"{role}.swap_bytes"] = _resident(role, tick)
            peak = self._peak.read(role, tick)
            row[f"{role}.memory_peak_bytes"] = None if peak is None else int(peak)
            events = self._events.read(role, tick)
            row[f"{role}.oom_kills"] = (
                None if events is None else number_after(b"\n" + events, b"\noom_kill ")
            )
        return row


def _resident(role: PlacedRole, tick: Tick) -> tuple[float | None, float | None]:
    private_kb = shared_kb = swap_kb = 0
    found = False
    for pids in tick.processes.roots(role).values():
        for pid in pids:
            status = tick.processes.read(pid, "status")
            anonymous = None if status is None else number_after(status, b"\nRssAnon:")
            if status is None or anonymous is None:
                continue
            found = True
            private_kb += anonymous
            file_kb, shmem_kb = number_after(status, b"\nRssFile:"), number_after(status, b"\nRssShmem:")
            shared_kb = max(shared_kb, (file_kb or 0) + (shmem_kb or 0))
            swap_kb += number_after(status, b"\nVmSwap:") or 0
    return ((private_kb + shared_kb) * 1024, swap_kb * 1024) if found else (None, None)
