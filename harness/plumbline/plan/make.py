"""The plan of a session, from the catalog and what the host is made of."""

from __future__ import annotations

import re
from datetime import datetime

from plumbline.catalog.catalog import Catalog
from plumbline.model.host import CpuSets, HostFacts
from plumbline.model.plan import Plan
from .budget import blocks_within, budget_of
from .declared import control_of, data_access, event_loops, spec_of
from .detectable import NO_HISTORY, NoiseBook, detectable, leading_noise
from .duration import preparation_s, session_s
from .order import order_trials
from .phases import scenario_of
from .proofs import ALL_MEANS, PROVEN_RULES, Means, proofs
from .scale import suite_at
from .selection import Selection


def session_id(now: datetime, host: str, token: str) -> str:
    """Return `YYYYMMDDTHHMMSSZ-host-6hex`; `now` is in UTC and `token` six hexadecimal digits."""
    name = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-") or "host"
    return f"{now:%Y%m%dT%H%M%SZ}-{name[:32]}-{token}"


def make_plan(
    catalog: Catalog,
    selection: Selection,
    host: HostFacts,
    sets: CpuSets,
    placement: str,
    *,
    session: str,
    noise: NoiseBook = NO_HISTORY,
    means: Means = ALL_MEANS,
) -> Plan:
    """Plan a session. The selection has a seed.

    `noise` is what earlier sessions showed on this kind of host, `means` are those of the placement. With a budget
    the plan has every trial that may be run (plan/budget.py).

    Raises UsageError for unknown names.
    """
    assert selection.seed is not None
    blocks, scale = selection.blocks, selection.scale
    name, suite = catalog.suite(selection.suite)
    subjects = catalog.subjects_of(suite, selection.only, selection.night)
    chosen = catalog.scenarios_of(suite, selection.scenarios)
    scenarios = tuple(scenario_of(text, catalog.scenario(text), suite, scale, sets=sets) for text in chosen)
    control = control_of(catalog, subjects)
    measured = {subject.id: subject for subject in subjects if subject != control}
    budget = budget_of(selection.budget_s, blocks)
    usual = blocks if blocks is not None else suite_at(suite, scale).blocks
    count = usual if budget is None else budget.looks[-1]
    names = {scenario.id: scenario.name for scenario in scenarios}

    def takes(subject: str, scenario: str) -> bool:
        return catalog.serves(catalog.variant(measured[subject].variant), names[scenario])

    trials = order_trials(
        list(measured),
        list(names),
        control.id,
        count,
        selection.seed,
        takes,
        # Any block may be the last one: then the control closes the session.
        control_after=None if budget is None else lambda block: True,
    )
    added, unproven = proofs(
        PROVEN_RULES if selection.prove else suite.proofs,
        trials,
        scenarios,
        sets,
        host.topology,
        means,
        load_themselves=[id_ for id_, its in measured.items() if spec_of(catalog, its).serves_on == "cli"],
    )
    trials = (*trials, *added)
    return Plan(
        session=session,
        suite=name,
        seed=selection.seed,
        host=host.name,
        host_class=host.host_class,
        sets=sets,
        placement=placement,
        defaults=dict(sorted(catalog.bench.defaults.items())),
        subjects=tuple(measured),
        control=control.id,
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
        only=selection.only,
        only_scenarios=selection.scenarios,
        event_loops=event_loops(catalog, (*measured.values(), control)),
        data_access=data_access(catalog, (*measured.values(), control)),
        unproven=unproven,
        budget=budget,
    )
