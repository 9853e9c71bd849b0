"""A rotation: too many subjects for one night are spread over the nights of a week, each on a fixed one.

By the weekday in UTC alone, so that everybody can tell without looking at what was measured. A night that is missed is
missed: its subjects come again a week later, or when somebody starts that night by hand.
"""

from __future__ import annotations

from .bench import SuiteSpec

NIGHTS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def rotation_of(suite: SuiteSpec, weekday: int) -> tuple[str, ...]:
    """The subjects of one night besides the constant ones; `weekday` counts from 0, Monday."""
    return suite.rotation[weekday :: len(NIGHTS)]
