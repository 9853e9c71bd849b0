"""Sample what the application and the load generator write to storage, whichever file it is."""

from __future__ import annotations

from plumbline.place.interface import PlacedRole
from ..open_file import number_after
from ..roots import Roots
from .base import HoldsFiles, Row, RunningTotal, Tick

WRITING_ROLES: tuple[PlacedRole, ...] = ("app", "load")


class WrittenSampler(HoldsFiles):
    """Samples the bytes written: `app.written_bytes` and `load.written_bytes`, of /proc/PID/io.

    The kernel bills a page to who first made it dirty, so that many small writes into one page count once until it was
    written back; what lies in memory alone (a tmpfs) does not count. Children that ended count with their parent.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._totals = {role: RunningTotal() for role in WRITING_ROLES}

    def sample(self, tick: Tick) -> Row:
        """Return bytes; None for a role one of whose root processes may not be read."""
        row: dict[str, float | None] = {}
        for role in WRITING_ROLES:
            written: dict[int, int] = {}
            for root, pids in tick.processes.roots(role).items():
                counts = [
                    number_after(tick.processes.read(pid, "io") or b"", b"\nwrite_bytes:") for pid in pids
                ]
                if counts[0] is not None:
                    written[root] = sum(count for count in counts if count is not None)
            known = len(written) == len(tick.processes.roots(role))
            row[f"{role}.written_bytes"] = self._totals[role].add(written) if known else None
        return row
