"""Memory of one process now. PSS walks all its pages (9 ms for 600 MB), so never inside a window."""

from __future__ import annotations

from ..open_file import number_after, read_once
from ..roots import Roots


def rss_bytes(roots: Roots, pid: int) -> int | None:
    """Return resident pages, shared ones counted whole; None when the process is gone."""
    return _bytes(read_once(roots.proc / str(pid) / "status"), b"\nVmRSS:")


def pss_bytes(roots: Roots, pid: int) -> int | None:
    """Return resident pages, each divided by the number of its users; None when it is gone or not ours to read."""
    return _bytes(roots.of_process(pid, "smaps_rollup"), b"\nPss:")


def _bytes(content: bytes | None, label: bytes) -> int | None:
    kb = None if content is None else number_after(content, label)
    return None if kb is None else kb * 1024
