"""Garbage collection, heap, JIT and classes of the application's JVM, from its counters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..hsperfdata import HsperfData
from ..targets import Roots
from .base import Row, Tick

_PATTERNS = {
    "jvm.gc_pauses": r"sun\.gc\.collector\.\d+\.invocations",
    "jvm.gc_us": r"sun\.gc\.collector\.\d+\.time",
    "jvm.heap_used_bytes": r"sun\.gc\.generation\.\d+\.space\.\d+\.used",
    "jvm.heap_committed_bytes": r"sun\.gc\.generation\.\d+\.space\.\d+\.capacity",
    "jvm.metaspace_bytes": r"sun\.gc\.metaspace\.used",
    "jvm.jit_us": r"java\.ci\.totalTime",
    "jvm.compiled_methods": r"sun\.ci\.totalCompiles",
    "jvm.loaded_classes": r"java\.cls\.(loadedClasses|sharedLoadedClasses)",
    "jvm.safepoint_us": r"sun\.rt\.safepointTime",
}
_FREQUENCY = "sun.os.hrt.frequency"


class JvmSampler:
    """The columns `jvm.*`, each the sum of the counters that match its pattern.

    `gc_*` count every collector's pauses, `heap_used_bytes` is as of the last collection or refill of the
    JVM's own sampling, `compiled_methods` counts compilations of all tiers, on-stack ones included. A native
    image has none.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._data = HsperfData()
        self._of: tuple[Path | None, tuple[int, ...]] = (None, ())
        self._number_count = -1
        self._offsets: dict[str, tuple[int, ...]] = {}
        self._frequency = 1_000_000_000

    def sample(self, tick: Tick) -> Row:
        """Return the JVM's counters: counts, bytes and microseconds; nothing while there is no such file."""
        of = tick.targets.hsperfdata, tick.targets.roots_of("app")
        if of != self._of:
            self._of, self._data, self._number_count = of, HsperfData(), -1
        content = self._roots.jvm_counters(tick.targets)
        try:
            return {} if content is None else self._read(content)
        except ValueError:
            self._data, self._number_count = HsperfData(), -1
            return {}

    def close(self) -> None:
        """Do nothing: the file is opened for each reading."""

    def _read(self, content: bytes) -> Row:
        numbers = self._data.numbers(content)
        if len(numbers) != self._number_count:
            self._resolve(numbers)
        row: dict[str, float | None] = {}
        for column, offsets in self._offsets.items():
            total = sum(map(self._data.value, offsets))
            row[column] = total * 1_000_000 // self._frequency if column.endswith("_us") else total
        return row

    def _resolve(self, numbers: dict[str, int]) -> None:
        self._number_count = len(numbers)
        self._offsets = {
            column: offsets for column, pattern in _PATTERNS.items() if (offsets := tuple(_matching(pattern, numbers)))
        }
        # Times are in ticks, so many a second; this frequency is the first counter that a JVM writes.
        if _FREQUENCY in numbers:
            self._frequency = self._data.value(numbers[_FREQUENCY]) or self._frequency


def _matching(pattern: str, numbers: dict[str, int]) -> Iterable[int]:
    expression = re.compile(pattern)
    return (offset for name, offset in numbers.items() if expression.fullmatch(name))
