"""The rules of the referee, as `./bench explain` tells them."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.finding import Kind
from .base import Document


class RuleThreshold(Frozen):
    """A number or a word that a rule compares readings with, and the reason for it."""

    name: str
    value: float | str
    reason: str


class RuleEntry(Frozen):
    """A rule: what it asks, what it looks at and where, and the published `mistake` that it would have caught.

    `soft`: it warns instead of refusing on hosts that are no lab; `required`: without its evidence a trial is at best
    advisory. `refused`, `doubted` and `unknown` count measured trials of all sessions of this site.
    """

    id: str
    slug: str
    title: str
    asks: str
    looks_at: str
    source: str
    mistake: str
    kind: Kind
    soft: bool
    required: bool
    thresholds: tuple[RuleThreshold, ...]
    refused: int
    doubted: int
    unknown: int


class RulesFile(Document):
    """`api/v1/rules.json`: every rule of today's referee, of `trials` measured trials in all."""

    kind: Literal["rules"] = "rules"
    version: int
    trials: int
    rules: tuple[RuleEntry, ...]
