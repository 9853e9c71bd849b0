"""Swapping, major faults and OOM kills of the whole host, from /proc/vmstat."""

from __future__ import annotations

from ..held import HeldFile, number_after
from ..roots import Roots
from .base import Row, Tick

_COLUMNS = {
    "vm.swapped_in_pages": b"\npswpin ",
    "vm.swapped_out_pages": b"\npswpout ",
    "vm.major_faults": b"\npgmajfault ",
    "vm.oom_kills": b"\noom_kill ",
}


class VmSampler:
    """`vm.swapped_in_pages`, `vm.swapped_out_pages`, `vm.major_faults`, `vm.oom_kills`."""

    def __init__(self, roots: Roots) -> None:
        self._vmstat = HeldFile(roots.proc / "vmstat")

    def sample(self, tick: Tick) -> Row:
        """Counts since boot."""
        content = self._vmstat.read()
        if content is None:
            return {}
        return {column: number_after(content, label) for column, label in _COLUMNS.items()}

    def close(self) -> None:
        """Closes /proc/vmstat."""
        self._vmstat.close()
