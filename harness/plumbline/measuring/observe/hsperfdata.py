"""The JVM's own counters, in the file that it keeps mapped under /tmp/hsperfdata_USER/PID ("PerfData v2").

The layout is that of HotSpot's perfMemory.hpp and perfData.hpp: a prologue of 32 bytes (magic, byte order,
version, accessible, used, overflow, time of the last change, offset and number of entries), then entries of a
header of 20 bytes, a name and a value. A value is a 64-bit number (type J) or a vector of bytes (type B).
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path

_MAGIC = 0xCAFEC0C0
_PROLOGUE = "IBBBBiiqii"
_HEADER = "iiibbbbi"
_PROLOGUE_BYTES = 32
_HEADER_BYTES = 20


class HsperfData:
    """The mapped counters of one JVM. Reading one costs a microsecond and nothing in the JVM."""

    def __init__(self, path: Path) -> None:
        """Map the file. Raises OSError when it is not there, ValueError when it is not (yet) PerfData v2."""
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._inode = os.fstat(file.fileno()).st_ino
        self._path = path
        try:
            self._order = self._byte_order()
        except ValueError:
            self._map.close()
            raise
        self._entries = -1
        self._offsets: dict[str, int] = {}
        self._texts: dict[str, str] = {}

    @classmethod
    def text_in(cls, path: Path, name: str) -> str | None:
        """Return the text of the counter `name`, None when there is none. Raises as the constructor and `numbers`."""
        data = cls(path)
        try:
            data.numbers()
            return data._texts.get(name)
        finally:
            data.close()

    @property
    def present(self) -> bool:
        """Whether the JVM still runs: it removes the file at its end, while our mapping would live on."""
        try:
            return os.stat(self._path).st_ino == self._inode
        except OSError:
            return False

    def numbers(self) -> dict[str, int]:
        """Return counter name -> offset of its 64-bit value. The file is scanned again only when the JVM adds entries.

        Raises ValueError when an entry points outside the file.
        """
        entries = self._prologue()[-1]
        if entries != self._entries:
            self._offsets = self._scan(entries)
            self._entries = entries
        return self._offsets

    def value(self, offset: int) -> int:
        """Return the 64-bit number at an offset that `numbers` gave."""
        number: int = struct.unpack_from(self._order + "q", self._map, offset)[0]
        return number

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()

    def _byte_order(self) -> str:
        if len(self._map) < _PROLOGUE_BYTES or struct.unpack_from(">I", self._map)[0] != _MAGIC:
            raise ValueError(f"{self._path} is not a file of JVM counters")
        order = "<" if self._map[4] else ">"
        major, accessible = self._map[5], self._map[7]
        if major != 2 or not accessible:
            raise ValueError(f"{self._path} is not (yet) readable as PerfData v2")
        return order

    def _prologue(self) -> tuple[int, ...]:
        return struct.unpack_from(self._order + _PROLOGUE, self._map)

    def _scan(self, entries: int) -> dict[str, int]:
        offsets: dict[str, int] = {}
        start = self._prologue()[-2]
        for _ in range(entries):
            if start < _PROLOGUE_BYTES or start + _HEADER_BYTES > len(self._map):
                raise ValueError(f"{self._path} ends before its last counter")
            length, name_offset, _, kind, _, _, _, data_offset = struct.unpack_from(
                self._order + _HEADER, self._map, start
            )
            if length < _HEADER_BYTES or start + length > len(self._map) or not 0 < name_offset < data_offset < length:
                raise ValueError(f"{self._path} has a counter that is not well formed")
            name = self._map[start + name_offset : start + data_offset].split(b"\0", 1)[0].decode("ascii", "replace")
            if kind == ord("J"):
                offsets[name] = start + data_offset
            elif kind == ord("B"):
                text = self._map[start + data_offset : start + length].split(b"\0", 1)[0]
                self._texts[name] = text.decode("utf-8", "replace")
            start += length
        return offsets
