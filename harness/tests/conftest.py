"""For all tests: machines differ, so no example of a property is timed."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("plumbline", deadline=None)
settings.load_profile("plumbline")
