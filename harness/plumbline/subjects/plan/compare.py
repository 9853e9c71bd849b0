"""The plan of a comparison: every pair it may need, in the order in which they would run.

    block 1    contest a: A B    contest b: B A        a block holds one pair of each contest and scenario
    block 2    contest b: A B    contest a: B A        the order within a pair turns from block to block (ABBA)

The plan is the longest course that the looks allow, and some pairs more in place of invalid ones. A session leaves out
what is decided. In a duet the first of a pair has the first place, the second runs at the same time on the second.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from plumbline.model.comparison import ComparisonPlan, Contest, Design, Side
from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets, HostFacts
from plumbline.model.plan import Detectable, Plan, PlannedTrial, Scenario
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.settings import is_cold
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import LEVEL_OF_LOOKS, LEVELS_OF_LOOKS, LOOKS
from .declared import control_of, data_access, driver_loops, event_loops
from .detectable import NO_HISTORY, NoiseBook, detectable, leading_noise, leading_questions, rung
from .duration import pairs_within, preparation_s
from .make import Selection
from .phases import scenario_of

# Invalid pairs are never used: so many pairs more are planned than the last look needs, an even number.
SPARE_PAIRS = 6
CPUS_FOR_INTERLEAVING = 4


def planned_looks(most_pairs: int | None, *, once: bool = False) -> tuple[tuple[int, ...], float]:
    """Return the looks of a comparison of at most so many pairs, and the level of each.

    With fewer pairs than the first look needs there is one look, at the end; with `once` there always is.
    """
    if most_pairs is None:
        return LOOKS, LEVEL_OF_LOOKS
    looks = () if once else tuple(look for look in LOOKS if look <= most_pairs)
    return (looks, LEVELS_OF_LOOKS[looks[-1]]) if looks else ((most_pairs,), LEVEL)


def within_budget(asked: ComparisonPlan, scenarios: Sequence[Scenario]) -> ComparisonPlan:
    """Return the plan of a comparison with those of its looks that its budget is likely to pay for, and the next one.

    All looks share the one false alarm in a hundred: with fewer looks each may be less strict, and finds more. The last
    look is taken when the budget is spent, if not before (run/rounds.py).
    """
    pairs = pairs_within(asked, scenarios)
    paid = sum(look < pairs for look in asked.looks) + 1
    if paid >= len(asked.looks):
        return asked
    looks = asked.looks[:paid]
    return asked.model_copy(update={"looks": looks, "level": LEVELS_OF_LOOKS[looks[-1]]})


def design_for(host: HostFacts) -> Design:
    """Return the design of a comparison on a host: interleaved in a lab, a duet where it is shared or has few CPUs."""
    return "interleaved" if host.host_class == "lab" and host.cpus >= CPUS_FOR_INTERLEAVING else "duet"


def comparison_scenario(scenario: Scenario, design: Design) -> Scenario:
    """Return the scenario as a comparison runs it: a duet has one open rate, the lowest, and no closed load.

    Both sides at once would pull the ratio of their throughputs to 1. Raises UsageError without an open phase.
    """
    if design == "interleaved":
        return scenario
    rungs = [phase for phase in scenario.phases if phase.kind == "open"]
    if not rungs:
        raise UsageError(
            f"A duet loads both sides at one rate, and the suite has no open phase for {scenario.id}.",
            "Compare by --design interleaved, name another suite by --suite, or add an open phase in bench.toml.",
        )
    lowest = min(rungs, key=rung)
    kept = tuple(phase for phase in scenario.phases if phase.kind not in ("closed", "open") or phase == lowest)
    return scenario.model_copy(update={"phases": kept})


def require_warm(subjects: Sequence[Subject]) -> None:
    """Raise UsageError for a side that would empty the page cache in a duet."""
    for subject in subjects:
        if is_cold(subject.settings):
            raise UsageError(
                f"A duet starts both sides at once, and {subject.id} would empty the page cache of both.",
                "Let the sides take turns by --design interleaved.",
            )


def comparison_trials(
    contests: Sequence[Contest],
    scenarios: Sequence[str],
    control: str,
    blocks: int,
    seed: int,
    places: tuple[CpuSets, CpuSets] | None,
) -> tuple[PlannedTrial, ...]:
    """Return all trials: one of the control that is thrown away, then the blocks. `places` belong to a duet."""
    draw = random.Random(seed)
    first, second = places or (None, None)
    trials = [PlannedTrial(number=1, block=0, subject=control, scenario=scenarios[0], role="discarded", sets=first)]
    units = [(contest, scenario) for contest in contests for scenario in scenarios]
    flips = [draw.random() < 0.5 for _ in units]
    for block in range(1, blocks + 1):
        for place in draw.sample(range(len(units)), len(units)):
            contest, scenario = units[place]
            forward = (block % 2 == 1) != flips[place]
            order: tuple[tuple[Side, str], ...] = (("base", contest.base), ("head", contest.head))
            for sets, (side, subject) in zip((first, second), order if forward else order[::-1], strict=True):
                trials.append(
                    PlannedTrial(
                        number=len(trials) + 1,
                        block=block,
                        subject=subject,
                        scenario=scenario,
                        role="measured",
                        side=side,
                        sets=sets,
                    )
                )
    return tuple(trials)


def make_comparison(
    catalog: Catalog,
    selection: Selection,
    asked: ComparisonPlan,
    host: HostFacts,
    sets: CpuSets,
    places: tuple[CpuSets, CpuSets] | None,
    placement: str,
    *,
    session: str,
    scenarios: Sequence[str],
    noise: NoiseBook = NO_HISTORY,
) -> Plan:
    """Plan a comparison under these scenarios. The selection has a seed.

    `places` belong to a duet. Raises UsageError for unknown names, and for a duet without an open phase.
    """
    assert selection.seed is not None
    name, suite = catalog.suite(selection.suite or catalog.bench.compare_suite)
    own_sets = places[0] if places else sets
    chosen = tuple(
        comparison_scenario(
            scenario_of(text, catalog.scenario(text), suite, selection.scale, sets=own_sets),
            asked.design,
        )
        for text in scenarios
    )
    asked = within_budget(asked, chosen)
    most_pairs = asked.looks[-1]
    blocks = most_pairs + (SPARE_PAIRS if len(asked.looks) > 1 or most_pairs >= LOOKS[0] else 0)
    contests = asked.contests
    sides = [catalog.subject(id_) for contest in contests for id_ in (contest.base, contest.head)]
    if asked.design == "duet":
        require_warm(sides)
    control = control_of(catalog, sides)
    trials = comparison_trials(
        contests, [scenario.id for scenario in chosen], control.id, blocks, selection.seed, places
    )
    return Plan(
        session=session,
        suite=name,
        seed=selection.seed,
        host=host.name,
        host_class=host.host_class,
        sets=own_sets,
        placement=placement,
        defaults=dict(sorted(catalog.bench.defaults.items())),
        subjects=tuple(dict.fromkeys(subject.id for subject in sides)),
        control=control.id,
        scenarios=chosen,
        blocks=blocks,
        trials=trials,
        expected_s=round(preparation_s(trials, chosen) + asked.budget_s, 1),
        detectable=_detectable(asked, chosen, host, noise),
        only=selection.only,
        only_scenarios=selection.scenarios,
        comparison=asked,
        event_loops=event_loops(catalog, (control, *sides)),
        driver_loops=driver_loops(catalog, (control, *sides)),
        data_access=data_access(catalog, (control, *sides)),
    )


def _detectable(asked: ComparisonPlan, scenarios: Sequence[Scenario], host: HostFacts, noise: NoiseBook) -> Detectable:
    """Return what each leading question could find, with all looks or by the last pair that the budget pays."""
    most_pairs = asked.looks[-1]
    pairs = min(most_pairs, max(asked.looks[0], pairs_within(asked, scenarios)))
    looks = asked.looks if pairs == most_pairs else ()
    questions = len(asked.contests) * sum(
        len(leading_questions(scenario, asked.design, host.host_class)) for scenario in scenarios
    )
    return detectable(pairs, host.host_class, leading_noise(scenarios, noise), looks, asked.level, questions)
