"""What was found in segments before, by the digest of their values: most get no new point from one night to the next.

Never needed for correctness: a memory that is lost or of another method is an empty one.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from contextlib import suppress
from functools import cache
from pathlib import Path

import plumbline.stats
from plumbline.stats.changes import SEGMENT_LEAST, Change, change_points

NAME = "changes.json"

Plain = dict[str, list[list[float]]]
"""digest of a segment's values -> the fields of each of its changes."""


class Memory:
    """`known` are the changes found before; `plain` gives those that were asked for since, to be kept."""

    def __init__(self, known: Plain | None = None) -> None:
        self._known = known or {}
        self._asked: Plain = {}

    def change_points(self, logs: array[float]) -> tuple[Change, ...]:
        """`stats.changes.change_points`, looked up where the very same values were seen before."""
        if len(logs) < 2 * SEGMENT_LEAST:
            return ()
        key = hashlib.blake2b(logs.tobytes(), digest_size=12).hexdigest()
        known = self._known.get(key)
        if known is not None:
            found = tuple(Change(int(index), *rest) for index, *rest in known)
        else:
            found = change_points(logs)
            known = [
                [one.index, one.difference, one.low, one.high, one.p, one.before, one.after] for one in found
            ]
        self._asked[key] = known
        return found

    def plain(self) -> Plain:
        """What was asked for, as plain JSON."""
        return self._asked


@cache
def method() -> str:
    """The digest of how changes are found: what another method found is not believed."""
    digest = hashlib.sha256()
    for path in sorted(Path(plumbline.stats.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def remembered(cache: Path) -> Memory:
    """The memory of a folder of our own; an empty one where there is none that can be used."""
    try:
        document = json.loads((cache / NAME).read_bytes())
    except (OSError, ValueError):
        return Memory()
    fits = isinstance(document, dict) and document.get("method") == method()
    return Memory(document["changes"]) if fits else Memory()


def remember(cache: Path, memory: Memory) -> None:
    """Keep it for the next look: written beside and renamed; no room is no harm."""
    beside = cache / f".{NAME}.{os.getpid()}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps({"method": method(), "changes": memory.plain()}), encoding="utf-8")
        beside.rename(cache / NAME)
    except OSError:
        with suppress(OSError):
            beside.unlink()
