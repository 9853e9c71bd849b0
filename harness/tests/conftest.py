"""For all tests: machines differ, so no example of a property is timed, and every run sees the same ones."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("plumbline", deadline=None, derandomize=True)
settings.load_profile("plumbline")
