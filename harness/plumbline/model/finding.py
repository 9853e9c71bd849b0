"""The result of a rule of the referee, and the referee's verdict on a trial."""

from __future__ import annotations

from typing import Literal

from .base import Frozen

Outcome = Literal["pass", "warn", "invalid", "unknown", "n/a"]
Verdict = Literal["valid", "advisory", "invalid"]
Kind = Literal["capacity", "isolation", "correctness", "design"]

GRAVITY: tuple[Outcome, ...] = ("invalid", "warn", "unknown", "pass", "n/a")
"""All outcomes, the gravest first."""


class Finding(Frozen):
    """The result of one rule for one trial, or for one phase of it.

    `reading` is a sentence with the figure that decided, for people; `value` that figure in `unit`; `threshold` what it
    was held against. `unknown` means that the evidence is missing, `n/a` that the rule does not apply here.
    """

    rule: str
    phase: str | None = None
    outcome: Outcome
    reading: str
    value: float | None = None
    unit: str | None = None
    threshold: float | None = None
