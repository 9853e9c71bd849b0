"""The selection: what a session is asked to measure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Selection:
    """Selects what a session measures: a suite, and how much of it.

    `suite` is a name of bench.toml, the default one for None. `only` are globs of subjects and `scenarios` names, each
    for all when empty. `night` chooses what of the suite's rotation is measured. `scale` is the share of its times and
    counts that is run (plan/scale.py). `blocks` overrides the suite's number, and with `budget_s` the session goes on
    until it is decided, for so many seconds at most (plan/budget.py). `prove` asks for all proofs of who limits,
    whatever the suite asks for. The plan is the same for the same `seed`; None draws one.
    """

    suite: str | None = None
    only: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    night: date | None = None
    scale: float = 1.0
    prove: bool = False
    blocks: int | None = None
    budget_s: float | None = None
    seed: int | None = None
