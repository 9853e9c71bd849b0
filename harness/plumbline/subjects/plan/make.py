"""The plan of a session, from the catalog and what the host is made of.

Trials come in blocks of random order, ABBA for two sides, the control first, in the middle and last: AAAABBBB gives 55
% false alarms under a drift of 2 %, ABBA about 5 %. The first trial of a session (of the control) is run and thrown
away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets, HostFacts
from plumbline.model.plan import Plan, PlannedTrial, Scenario, TrialRole
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.bench import SuiteSpec
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.verdicts.stats.compare import LEVEL
from .declared import control_of, data_access, driver_loops, event_loops, ranked_together, spec_of
from .detectable import NO_HISTORY, NoiseBook, detectable, leading_noise, most_orders
from .duration import blocks_within, budget_of, likely_trial_s, preparation_s, session_s, trials_s
from .phases import scenario_of, suite_at
from .proofs import ALL_MEANS, PROVEN_RULES, Means, proofs, proofs_at_most


@dataclass(frozen=True)
class Selection:
    """Selects what a session measures: a suite, and how much of it.

    `suite` is a name of bench.toml, the default one for None. `only` are globs of subjects and `scenarios` names, each
    for all when empty. `night` chooses the subjects of the suite's rotation. `scale` is the share of its times and
    counts that is run (plan/phases.py). `blocks` overrides the suite's number, and with `budget_s` the session goes on
    until it is decided, for so many seconds at most (plan/duration.py). `prove` asks for all proofs of who limits,
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


def order_trials(
    subjects: Sequence[str],
    scenarios: Sequence[str],
    control: str,
    blocks: int,
    seed: int,
    takes: Callable[[str, str], bool] = lambda subject, scenario: True,
    *,
    control_after: Callable[[int], bool] | None = None,
) -> tuple[PlannedTrial, ...]:
    """Return all trials of a session. Each block holds every subject once under every scenario that it `takes`.

    Two subjects alternate ABBA with a random start; more are shuffled in each block. The control runs under every
    scenario before the first block, and after the middle one and the last, or after those that `control_after` names.
    """
    draw = random.Random(seed)
    rows: list[tuple[int, str, str, TrialRole]] = [(0, control, scenarios[0], "discarded")]
    middle = (blocks + 1) // 2
    flip = draw.random() < 0.5
    for block in range(1, blocks + 1):
        if block == 1:
            rows += [(block, control, scenario, "control") for scenario in scenarios]
        for scenario in draw.sample(list(scenarios), len(scenarios)):
            takers = [subject for subject in subjects if takes(subject, scenario)]
            if len(takers) == 2:
                forward = (block % 2 == 1) != flip
                chosen = takers if forward else takers[::-1]
            else:
                chosen = draw.sample(takers, len(takers))
            rows += [(block, subject, scenario, "measured") for subject in chosen]
        times = int(block == middle and blocks > 1) + int(block == blocks)
        for _ in range(times if control_after is None else int(control_after(block))):
            rows += [(block, control, scenario, "control") for scenario in scenarios]
    return tuple(
        PlannedTrial(number=number, block=block, subject=subject, scenario=scenario, role=role)
        for number, (block, subject, scenario, role) in enumerate(rows, start=1)
    )


def session_id(now: datetime, host: str, token: str) -> str:
    """Return `YYYYMMDDTHHMMSSZ-host-6hex`; `now` is in UTC and `token` six hexadecimal digits."""
    name = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-") or "host"
    return f"{now:%Y%m%dT%H%M%SZ}-{name[:32].rstrip('-')}-{token}"


def session_trials(
    catalog: Catalog,
    subjects: Iterable[Subject],
    control: Subject,
    scenarios: Iterable[Scenario],
    blocks: int,
    seed: int,
    *,
    control_after: Callable[[int], bool] | None = None,
) -> tuple[PlannedTrial, ...]:
    """Return the trials of a session without proofs: each subject runs under the scenarios that its variant serves."""
    names = {scenario.id: scenario.name for scenario in scenarios}
    variants = {subject.id: catalog.variant(subject.variant) for subject in subjects}

    def takes(subject: str, scenario: str) -> bool:
        return catalog.serves(variants[subject], names[scenario])

    return order_trials(list(variants), list(names), control.id, blocks, seed, takes, control_after=control_after)


def trials_at_most(
    catalog: Catalog, suite: SuiteSpec, subjects: Sequence[Subject], scenarios: Sequence[Scenario], blocks: int
) -> tuple[PlannedTrial, ...]:
    """Return the trials of a session with every proof that its suite asks for, for a host that is not known yet."""
    control = control_of(catalog, subjects)
    measured = [subject for subject in subjects if subject != control]
    trials = session_trials(catalog, measured, control, scenarios, blocks, 0)
    return (*trials, *proofs_at_most(suite.proofs, trials, scenarios))


def served(catalog: Catalog, scenarios: Sequence[str], subjects: Iterable[Subject]) -> list[str]:
    """Return the scenarios that at least one of the subjects serves. Raises UsageError if there is none."""
    variants = [catalog.variant(subject.variant) for subject in subjects]
    found = [name for name in scenarios if any(catalog.serves(variant, name) for variant in variants)]
    if not found:
        raise UsageError(
            f"None of these subjects serves {', '.join(scenarios)}.",
            "Choose other subjects by --only, or other scenarios by --scenario.",
        )
    return found


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

    `noise` is what earlier sessions showed on this kind of host, `means` what the placement can do for proofs. With
    a budget the plan has every trial that may be run (plan/duration.py).

    A scenario that none of the subjects serves is left out, as happens in a narrowed partial suite. Raises UsageError
    for unknown names, and if no scenario is left.
    """
    assert selection.seed is not None
    blocks, scale = selection.blocks, selection.scale
    name, suite = catalog.suite(selection.suite)
    subjects = catalog.subjects_of(suite, selection.only, selection.night)
    control = control_of(catalog, subjects)
    measured = {subject.id: subject for subject in subjects if subject != control}
    chosen = served(catalog, catalog.scenarios_of(suite, selection.scenarios), measured.values() or (control,))
    scenarios = tuple(scenario_of(text, catalog.scenario(text), suite, scale, sets=sets) for text in chosen)
    classes = ranked_together(catalog, measured.values(), scenarios)
    trial_s = {scenario.id: likely_trial_s(scenario) for scenario in scenarios}
    classes_s = [(trial_s[scenario] * len(ids), len(ids) > 1) for (scenario, _), ids in classes.items()]
    budget = budget_of(selection.budget_s, blocks, classes_s, scenarios)
    usual = blocks if blocks is not None else suite_at(suite, scale).blocks
    count = usual if budget is None else budget.looks[-1]
    trials = session_trials(
        catalog,
        measured.values(),
        control,
        scenarios,
        count,
        selection.seed,
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
        load_themselves=[id_ for id_, subject in measured.items() if spec_of(catalog, subject).serves_on == "cli"],
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
            session_s(trials, scenarios)
            if budget is None
            else preparation_s(trials, scenarios) + budget.budget_s + trials_s(added, scenarios),
            1,
        ),
        detectable=detectable(
            count if budget is None else min(count, blocks_within(budget, trials, scenarios)),
            host.host_class,
            leading_noise(scenarios, noise),
            level=(LEVEL if budget is None else budget.level) / most_orders(map(len, classes.values())),
        ),
        only=selection.only,
        only_scenarios=selection.scenarios,
        event_loops=event_loops(catalog, (*measured.values(), control)),
        driver_loops=driver_loops(catalog, (*measured.values(), control)),
        data_access=data_access(catalog, (*measured.values(), control)),
        unproven=unproven,
        budget=budget,
    )
