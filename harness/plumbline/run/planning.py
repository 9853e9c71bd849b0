"""Plans of what would start now on this machine: drawn, named and dated here, made by the room `plan`."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime

from plumbline.model.comparison import ComparisonPlan
from plumbline.model.plan import Plan
from plumbline.plan.compare import make_comparison
from plumbline.plan.make import make_plan, session_id
from .workshop import Workshop


def plan_session(
    workshop: Workshop,
    suite: str | None,
    *,
    only: Sequence[str] = (),
    only_scenarios: Sequence[str] = (),
    night: date | None = None,
    blocks: int | None = None,
    budget_s: float | None = None,
    scale: float = 1.0,
    seed: int | None = None,
    prove: bool = False,
) -> Plan:
    """The plan of a session, tonight's (in UTC) where `night` is not given. Raises UsageError."""
    return make_plan(
        workshop.catalog,
        suite,
        workshop.host,
        workshop.sets,
        workshop.placement.name,
        only=only,
        only_scenarios=only_scenarios,
        night=datetime.now(UTC).date() if night is None else night,
        blocks=blocks,
        budget_s=budget_s,
        scale=scale,
        seed=_drawn(seed),
        session=_named(workshop),
        noise=workshop.noise,
        prove=prove,
        means=workshop.means,
    )


def plan_comparison(
    workshop: Workshop,
    asked: ComparisonPlan,
    suite: str | None,
    *,
    scenarios: Sequence[str] = (),
    only: Sequence[str] = (),
    scale: float = 1.0,
    seed: int | None = None,
) -> Plan:
    """The plan of a comparison. Raises UsageError."""
    return make_comparison(
        workshop.catalog,
        suite,
        asked,
        workshop.host,
        workshop.sets,
        workshop.places if asked.design == "duet" else None,
        workshop.placement.name,
        scenarios=scenarios,
        only=only,
        scale=scale,
        noise=workshop.noise,
        seed=_drawn(seed),
        session=_named(workshop),
    )


def _drawn(seed: int | None) -> int:
    return random.SystemRandom().randrange(2**32) if seed is None else seed


def _named(workshop: Workshop) -> str:
    return session_id(datetime.now(UTC), workshop.host_name, secrets.token_hex(3))
