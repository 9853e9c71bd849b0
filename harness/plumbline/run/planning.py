"""Plans sessions on this machine, now: draws the seed, names the session, and asks the room `plan` for the rest."""

from __future__ import annotations

import random
import secrets
from dataclasses import replace
from datetime import UTC, datetime

from plumbline.model.comparison import ComparisonPlan
from plumbline.model.plan import Plan
from plumbline.plan.compare import make_comparison
from plumbline.plan.make import make_plan, session_id
from plumbline.plan.selection import Selection
from .workshop import Workshop


def plan_session(workshop: Workshop, selection: Selection) -> Plan:
    """Plan a session, of tonight (in UTC) where the selection has no night. Raises UsageError."""
    return make_plan(
        workshop.catalog,
        replace(_drawn(selection), night=selection.night or datetime.now(UTC).date()),
        workshop.host,
        workshop.sets,
        workshop.placement.name,
        session=_named(workshop),
        noise=workshop.noise,
        means=workshop.means,
    )


def plan_comparison(workshop: Workshop, asked: ComparisonPlan, selection: Selection) -> Plan:
    """Plan a comparison. Raises UsageError."""
    return make_comparison(
        workshop.catalog,
        _drawn(selection),
        asked,
        workshop.host,
        workshop.sets,
        workshop.places if asked.design == "duet" else None,
        workshop.placement.name,
        noise=workshop.noise,
        session=_named(workshop),
    )


def _drawn(selection: Selection) -> Selection:
    """The selection with a seed."""
    if selection.seed is not None:
        return selection
    return replace(selection, seed=random.SystemRandom().randrange(2**32))


def _named(workshop: Workshop) -> str:
    return session_id(datetime.now(UTC), workshop.host_name, secrets.token_hex(3))
