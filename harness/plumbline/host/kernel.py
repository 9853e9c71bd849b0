"""Reads what the kernel of this host tells: files of /proc and /sys, sets of CPUs as `0-3,8`, free ports, the time."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from plumbline.model.errors import UsageError


def read_kernel(path: Path) -> str:
    """Return the text of a file that every Linux host has. Raises UsageError where it is hidden or missing."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"{path} can't be read: {error.strerror}.",
            "Run where all of /proc and /sys is mounted and open to you.",
        ) from None


def parse_cpulist(text: str) -> tuple[int, ...]:
    """Return `0-3,8` -> (0, 1, 2, 3, 8), sorted; an empty text is no CPU. Raises ValueError on anything else."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, dash, last = part.partition("-")
        numbers.update(range(int(first), int(last if dash else first) + 1))
    return tuple(sorted(numbers))


def format_cpulist(numbers: Iterable[int]) -> str:
    """Return (0, 1, 2, 3, 8) -> `0-3,8`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nobody listens on now; the kernel will not hand it out again soon."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def utc_now() -> str:
    """Return this moment as records write it, in UTC: `2026-11-23T08:15:00Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
