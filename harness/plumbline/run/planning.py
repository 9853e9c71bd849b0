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
from .context import Context


def plan_session(context: Context, selection: Selection) -> Plan:
    """Plan a session, of tonight (in UTC) where the selection has no night. Raises UsageError."""
    return make_plan(
        context.catalog,
        replace(_drawn(selection), night=selection.night or datetime.now(UTC).date()),
        context.host,
        context.sets,
        context.placement.name,
        session=_named(context),
        noise=context.noise,
        means=context.means,
    )


def plan_comparison(context: Context, asked: ComparisonPlan, selection: Selection) -> Plan:
    """Plan a comparison. Raises UsageError."""
    return make_comparison(
        context.catalog,
        _drawn(selection),
        asked,
        context.host,
        context.sets,
        context.places if asked.design == "duet" else None,
        context.placement.name,
        noise=context.noise,
        session=_named(context),
    )


def _drawn(selection: Selection) -> Selection:
    """Return the selection with a seed."""
    if selection.seed is not None:
        return selection
    return replace(selection, seed=random.SystemRandom().randrange(2**32))


def _named(context: Context) -> str:
    return session_id(datetime.now(UTC), context.host_name, secrets.token_hex(3))
