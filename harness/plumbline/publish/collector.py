"""Publishing without the collector of cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Millions of points are held to the end and none is part of a cycle: looking for cycles takes half the time, and
    a fifth of the time in which the models are loaded."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
