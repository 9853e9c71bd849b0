"""The plan of a session, from the catalog and what the host is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

from plumbline.catalog.catalog import Catalog
from plumbline.catalog.variant import VariantSpec
from plumbline.model.host import CpuSets, HostFacts
from plumbline.model.plan import Plan
from .budget import blocks_within, budget_of
from .declared import data_access, event_loops
from .detectable import NO_HISTORY, NoiseBook, detectable, leading_noise
from .duration import preparation_s, session_s
from .engine import control_of
from .order import order_trials
from .phases import scenario_of
from .proofs import ALL_MEANS, PROVEN_RULES, Means, proofs
from .scale import suite_at


def session_id(now: datetime, host: str, token: str) -> str:
    """`YYYYMMDDTHHMMSSZ-host-6hex`; `now` is in UTC and `token` six hexadecimal digits."""
    name = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-") or "host"
    return f"{now:%Y%m%dT%H%M%SZ}-{name[:32]}-{token}"


def make_plan(
    catalog: Catalog,
    suite_name: str | None,
    host: HostFacts,
    sets: CpuSets,
    placement: str,
    *,
    only: Sequence[str] = (),
    only_scenarios: Sequence[str] = (),
    night: date | None = None,
    blocks: int | None = None,
    budget_s: float | None = None,
    scale: float = 1.0,
    seed: int,
    session: str,
    noise: NoiseBook = NO_HISTORY,
    prove: bool = False,
    means: Means = ALL_MEANS,
) -> Plan:
    """Plan a session. `blocks` overrides the suite's number, `night` chooses what of its rotation is measured, `scale`
    is the share of its times and counts that is run (plan/scale.py).
    `noise` is what earlier sessions showed on this kind of host. `prove` asks for all proofs, whatever the suite asks
    for; `means` are those of the placement. With `budget_s`, and in a suite until decided, the plan has every trial
    that may be run (plan/budget.py).

    Raises UsageError for unknown names.
    """
    name, suite = catalog.suite(suite_name)
    subjects = catalog.subjects_of(suite, only, night)
    chosen = catalog.scenarios_of(suite, only_scenarios)
    scenarios = tuple(scenario_of(text, catalog.scenario(text), suite, scale, sets=sets) for text in chosen)
    ids = [subject.id for subject in subjects]
    control = control_of(catalog, ids).id
    measured = [id_ for id_ in ids if id_ != control]
    budget = budget_of(suite, budget_s, blocks)
    usual = blocks if blocks is not None else suite_at(suite, scale).blocks
    count = usual if budget is None else budget.looks[-1]
    names = {scenario.id: scenario.name for scenario in scenarios}

    def takes(subject: str, scenario: str) -> bool:
        return catalog.serves(catalog.variant(catalog.subject(subject).variant), names[scenario])

    trials = order_trials(
        measured,
        list(names),
        control,
        count,
        seed,
        takes,
        # Any block may be the last one: then the control closes the session.
        control_after=None if budget is None else lambda block: True,
    )
    added, unproven = proofs(
        PROVEN_RULES if prove else suite.proofs,
        trials,
        scenarios,
        sets,
        host.topology,
        means,
        load_themselves=[id_ for id_ in measured if _spec(catalog, id_).serves_on == "cli"],
    )
    trials = (*trials, *added)
    return Plan(
        session=session,
        suite=name,
        seed=seed,
        host=host.name,
        host_class=host.host_class,
        sets=sets,
        placement=placement,
        defaults=dict(sorted(catalog.bench.defaults.items())),
        subjects=tuple(measured),
        control=control,
        scenarios=scenarios,
        blocks=count,
        trials=trials,
        expected_s=round(
            session_s(trials, scenarios, len(measured) + 1)
            if budget is None
            else preparation_s(len(measured) + 1) + budget.budget_s,
            1,
        ),
        detectable=detectable(
            count if budget is None else min(count, blocks_within(budget, trials, scenarios)),
            host.host_class,
            leading_noise(scenarios, noise),
        ),
        only=tuple(only),
        only_scenarios=tuple(only_scenarios),
        event_loops=event_loops(catalog, (*measured, control)),
        data_access=data_access(catalog, (*measured, control)),
        unproven=unproven,
        budget=budget,
    )


def _spec(catalog: Catalog, subject: str) -> VariantSpec:
    return catalog.variant(catalog.subject(subject).variant).spec
