"""The rules of the referee, as `./bench explain` tells them."""

from __future__ import annotations

from typing import Literal

from plumbline.judge.description import RuleDescription
from .base import Document


class RuleEntry(RuleDescription):
    """A rule with how often it spoke against a trial.

    `refused`, `doubted` and `unknown` count measured trials of all sessions of this site.
    """

    slug: str
    refused: int
    doubted: int
    unknown: int


class RulesFile(Document):
    """`api/v1/rules.json`: every rule of today's referee, of `trials` measured trials in all."""

    kind: Literal["rules"] = "rules"
    version: int
    trials: int
    rules: tuple[RuleEntry, ...]
