"""The memory that native-image needs: asked for before it begins, its heap bounded while it runs.

Left alone it takes as large a heap as the host has memory free at that moment, up to 32 GB, so that a build depends on
what else runs: https://www.graalvm.org/latest/reference-manual/native-image/overview/BuildOutput/#build-resources
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.host.facts import available_memory_bytes
from plumbline.model.errors import UsageError

HEAP_VARIABLE = "PLUMBLINE_NATIVE_HEAP"
_HEAP = "5g"
_HEAP_FORM = re.compile(r"([1-9][0-9]{0,5})([mg])")
_UNITS = {"m": 2**20, "g": 2**30}
# What the builder has beside its heap: classes, compiled code, threads, and the linker at the end.
_BESIDE_BYTES = 2**30


@dataclass(frozen=True)
class NativeMemory:
    """The memory for the build of a native image. `heap_bytes` bounds the heap of native-image, `available_bytes` is
    what the host can give without swapping.
    """

    heap_bytes: int
    available_bytes: int

    @property
    def needed_bytes(self) -> int:
        """The heap, and what native-image has beside it."""
        return self.heap_bytes + _BESIDE_BYTES

    @property
    def options(self) -> str:
        """The value of the variable NATIVE_IMAGE_OPTIONS, whichever plugin calls native-image."""
        return f"-J-Xmx{self.heap_bytes // 2**20}m"

    @property
    def said(self) -> str:
        """What it needs and what there is, as one clause."""
        return (
            f"native-image needs {_gib(self.needed_bytes)} of memory, {_gib(self.heap_bytes)} of it as heap, and "
            f"{_gib(self.available_bytes)} are available"
        )

    @property
    def lacking(self) -> str | None:
        """What to do where the host has less than is needed; None where it has enough."""
        if self.available_bytes >= self.needed_bytes:
            return None
        return f"Close what takes memory, or bound the heap lower: {HEAP_VARIABLE}=4g, for example."


def native_memory(environ: Mapping[str, str], proc: Path) -> NativeMemory:
    """Return the bound of this environment and the memory of this host at this moment. Raises UsageError."""
    text = environ.get(HEAP_VARIABLE) or _HEAP
    form = _HEAP_FORM.fullmatch(text)
    if form is None:
        raise UsageError(
            f"{HEAP_VARIABLE} is '{text[:40]}', which is no size of a heap.",
            "Write 5g or 4500m, for example.",
        )
    return NativeMemory(int(form[1]) * _UNITS[form[2]], available_memory_bytes(proc))


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
