"""Computes what a comparison of two subjects could find with the trials of a plan: the minimum detectable effect.

Pairs of trials by block, at the level and with the power of `stats`: one look at the end, or the looks of a comparison.
The noise is what earlier sessions on this kind of host showed; without any it is assumed, and the plan says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from plumbline.model.comparison import Design
from plumbline.model.host import HostClass
from plumbline.model.plan import Detectable, Phase, Plan, Scenario
from plumbline.verdicts.stats.compare import LEVEL, MINIMUM_PAIRS
from plumbline.verdicts.stats.interim import detectable_in_course
from plumbline.verdicts.stats.power import detectable_effect

# Scatter of trials to assume where this kind of host has no history: 1 % for a lab and 2.66 % for
# hosted runners; two cores shared with database and load scatter more.
ASSUMED_CV: dict[HostClass, float] = {"lab": 0.01, "shared": 0.0266, "small": 0.05}


@dataclass(frozen=True)
class Noise:
    """The scatter of trials of one metric in earlier sessions: `cv` of one trial, with `degrees` of freedom.

    `where` names the hosts on which those sessions ran.
    """

    scenario: str
    phase: str
    metric: str
    cv: float
    degrees: int
    sessions: int
    where: str


Key = tuple[str, str, str]
"""scenario id, phase, metric"""

NoiseBook = Mapping[Key, Noise]

NO_HISTORY: NoiseBook = {}

LEADING = ("throughput_per_s", "app_cpu_us_per_request")
LATENCY = "latency_p99_ms"
"""The latency that leads, where every pair has enough requests for it."""


def detectable(
    pairs: int,
    host_class: HostClass,
    noise: Noise | None = None,
    looks: Sequence[int] = (),
    level: float = LEVEL,
    questions: int = 1,
) -> Detectable:
    """Return the minimum detectable effect of `pairs` pairs on a host of this class, with what it is based on.

    `looks` are those of a comparison that may end early; with none, or one, the question is asked once, at `level`. It
    is one of so many `questions` that share the level.
    """
    if noise is None:
        cv = ASSUMED_CV[host_class]
        basis = (
            f"no history of this host yet; assumes that trials scatter by {cv * 100:.3g} % as seen on {host_class} "
            "hosts"
        )
    else:
        cv = noise.cv
        basis = (
            f"{noise.metric} of {noise.phase} scattered by {cv * 100:.3g} % in {noise.sessions} "
            f"session{'' if noise.sessions == 1 else 's'} on {noise.where}"
        )
    if pairs < MINIMUM_PAIRS:
        return Detectable(trials=pairs, cv=cv, change=None, basis=basis)
    # Two trials that scatter by cv each: their difference scatters by sqrt(2) of that.
    spread = math.sqrt(2) * cv
    in_course = len(looks) > 1
    effect = (
        detectable_in_course(spread, tuple(looks), questions)
        if in_course
        else detectable_effect(pairs, spread, level / questions)
    )
    return Detectable(trials=pairs, cv=cv, change=math.expm1(effect), basis=basis)


def most_orders(class_sizes: Iterable[int]) -> int:
    """Return the number of orders within the largest class, at least 1: they share one level (`stats.ranking`)."""
    return max(1, math.comb(max(class_sizes, default=0), 2))


def level_of_orders(plan: Plan) -> float:
    """Return the level at which the standings of a session ask for each order in its largest class."""
    runs = {(trial.subject, trial.scenario) for trial in plan.trials if trial.role == "measured"}
    classes = Counter((scenario, plan.class_of(subject, plan.scenario(scenario))) for subject, scenario in runs)
    return (LEVEL if plan.budget is None else plan.budget.level) / most_orders(classes.values())


def leading_questions(scenario: Scenario, design: Design, host_class: HostClass) -> list[tuple[str, str]]:
    """Return (phase, metric) of the leading questions of each contest under a scenario.

    They are throughput, latency at the highest rate, and start. CPU per request takes the place of throughput where
    throughput would be the host's. A duet has no start.
    """
    closed = next((phase.name for phase in scenario.phases if phase.kind == "closed"), None)
    rungs = [phase for phase in scenario.phases if phase.kind == "open"]
    highest = max(rungs, key=rung).name if rungs else None
    found: list[tuple[str, str]] = []
    if closed is not None and host_class != "small":
        found.append((closed, "throughput_per_s"))
    elif closed is not None or highest is not None:
        found.append((closed or highest or "", "app_cpu_us_per_request"))
    if highest is not None:
        found.append((highest, LATENCY))
    if design == "interleaved":
        found.append(("start", "first_response_ms"))
    return found


def rung(phase: Phase) -> tuple[float, float]:
    """Return the rank of an open phase among those of its scenario, by its rate."""
    return phase.rate_per_s or 0, phase.rate_share or 0.0


def leading_noise(scenarios: Sequence[Scenario], book: NoiseBook) -> Noise | None:
    """Return the noise that a plan is judged by: of the leading metrics the one that scatters most; None without
    history.

    The leading metrics are throughput and CPU per request of closed phases, as far as this kind of host has a history
    of them, else those of open phases.
    """
    for kind in ("closed", "open"):
        of_kind = {
            (scenario.id, phase.name) for scenario in scenarios for phase in scenario.phases if phase.kind == kind
        }
        candidates = [
            noise for noise in book.values() if (noise.scenario, noise.phase) in of_kind and noise.metric in LEADING
        ]
        if candidates:
            return max(candidates, key=lambda noise: noise.cv)
    return None


def by_metric(plan: Plan, book: NoiseBook) -> list[tuple[Noise, Detectable]]:
    """Return the effect that each metric with a history could show, in the order of the scenarios' phases."""
    phases = [(scenario.id, phase.name) for scenario in plan.scenarios for phase in scenario.phases]
    measured = [noise for noise in book.values() if (noise.scenario, noise.phase) in phases]
    measured.sort(key=lambda noise: (phases.index((noise.scenario, noise.phase)), noise.metric))
    level = level_of_orders(plan)
    return [(noise, detectable(plan.detectable.trials, plan.host_class, noise, level=level)) for noise in measured]
