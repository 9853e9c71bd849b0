"""The JVM's own counters, in the file that it keeps mapped under /tmp/hsperfdata_USER/PID ("PerfData v2").

The file is read and never mapped: an application that made its file shorter would end a process that maps the file.

The layout is that of HotSpot's perfMemory.hpp and perfData.hpp: a prologue of 32 bytes (magic, byte order,
version, accessible, used, overflow, time of the last change, offset and number of entries), then entries of a
header of 20 bytes, a name and a value. A value is a 64-bit number (type J) or a vector of bytes (type B).
"""

from __future__ import annotations

import struct
from pathlib import Path

from plumbline.machine.host.foreign import open_regular

_MAGIC = 0xCAFEC0C0
_PROLOGUE = "IBBBBiiqii"
_HEADER = "iiibbbbi"
_PROLOGUE_BYTES = 32
_HEADER_BYTES = 20
_NUMBER_BYTES = 8
# A JVM keeps 32 KiB, unless -XX:PerfDataMemorySize says otherwise.
_FILE_BYTES = 1 << 20


def read_counters(path: Path) -> bytes | None:
    """Return what a file of JVM counters has now; None without a regular file, since an application may put anything in
    its place.
    """
    try:
        with open_regular(path) as file:
            return file.read(_FILE_BYTES)
    except OSError:
        return None


class HsperfData:
    """The counters of one JVM, as its file had them last. Reading the file costs nothing in the JVM."""

    def __init__(self) -> None:
        self._content = b""
        self._order = "<"
        self._entries = -1
        self._offsets: dict[str, int] = {}
        self._texts: dict[str, str] = {}

    @classmethod
    def text_in(cls, content: bytes, name: str) -> str | None:
        """Return the text of the counter `name`, None when there is none. Raises as `numbers`."""
        data = cls()
        data.numbers(content)
        return data._texts.get(name)

    def numbers(self, content: bytes) -> dict[str, int]:
        """Take what the file has now, and return counter name -> offset of its 64-bit value. Entries are scanned again
        only when the JVM adds some.

        Raises ValueError when the content is not (yet) PerfData v2, or when an entry points outside of it.
        """
        self._content, self._order = content, _byte_order(content)
        first, entries = struct.unpack_from(self._order + _PROLOGUE, content)[-2:]
        if entries != self._entries:
            self._offsets = self._scan(first, entries)
            self._entries = entries
        return self._offsets

    def value(self, offset: int) -> int:
        """Return the 64-bit number at an offset that `numbers` gave. Raises ValueError when the file became shorter."""
        if offset + _NUMBER_BYTES > len(self._content):
            raise ValueError("the file of JVM counters became shorter")
        number: int = struct.unpack_from(self._order + "q", self._content, offset)[0]
        return number

    def _scan(self, start: int, entries: int) -> dict[str, int]:
        content = self._content
        offsets: dict[str, int] = {}
        for _ in range(entries):
            if start < _PROLOGUE_BYTES or start + _HEADER_BYTES > len(content):
                raise ValueError("the file ends before its last JVM counter")
            length, name_offset, _, kind, _, _, _, data_offset = struct.unpack_from(
                self._order + _HEADER, content, start
            )
            if length < _HEADER_BYTES or start + length > len(content) or not 0 < name_offset < data_offset < length:
                raise ValueError("a JVM counter is not well formed")
            name = content[start + name_offset : start + data_offset].split(b"\0", 1)[0].decode("ascii", "replace")
            if kind == ord("J"):
                offsets[name] = start + data_offset
            elif kind == ord("B"):
                text = content[start + data_offset : start + length].split(b"\0", 1)[0]
                self._texts[name] = text.decode("utf-8", "replace")
            start += length
        return offsets


def _byte_order(content: bytes) -> str:
    if len(content) < _PROLOGUE_BYTES or struct.unpack_from(">I", content)[0] != _MAGIC:
        raise ValueError("this is not a file of JVM counters")
    major, accessible = content[5], content[7]
    if major != 2 or not accessible:
        raise ValueError("the file of JVM counters is not (yet) readable as PerfData v2")
    return "<" if content[4] else ">"
