"""Swapping, major faults, OOM kills and files in memory of the whole host, from /proc/vmstat."""

from __future__ import annotations

from ..open_file import OpenFile, number_after
from ..roots import Roots
from .base import HoldsFiles, Row, Tick

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
