"""The kernel's page cache: files that were read before, kept in memory."""

from __future__ import annotations

import os
from pathlib import Path

# https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches
_DROP = Path("sys/vm/drop_caches")
_ALL_CLEAN = "3\n"


def cannot_empty(proc: Path = Path("/proc")) -> str | None:
    """Tell in a sentence why this process may not empty the page cache; None where it may."""
    if os.access(proc / _DROP, os.W_OK):
        return None
    return f"Only root may empty the page cache ({proc / _DROP})."


def empty(proc: Path = Path("/proc")) -> None:
    """Empty the page cache of the whole machine; pages that a running process has mapped stay. Raises OSError."""
    # Pages that wait to be written can't be dropped.
    os.sync()
    (proc / _DROP).write_text(_ALL_CLEAN, encoding="ascii")
