"""Reads files of /proc and /sys that every Linux host has."""

from __future__ import annotations

from pathlib import Path

from plumbline.model.errors import UsageError


def read_kernel(path: Path) -> str:
    """The text of a file that every Linux host has. Raises UsageError where it is hidden or missing."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"{path} can't be read: {error.strerror}.",
            "Run where all of /proc and /sys is mounted and open to you.",
        ) from None
