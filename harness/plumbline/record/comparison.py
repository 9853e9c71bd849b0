"""From the trials of a comparison to its answers. Pure: a session asks it at every look, and `verify` repeats it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plumbline.figures.metrics import METRICS
from plumbline.figures.rounding import rounded
from plumbline.model.comparison import Answer, Comparison, ComparisonPlan, Ended, LookTaken
from plumbline.model.errors import UsageError
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan
from plumbline.model.record import Trial
from plumbline.stats.compare import Better, differences
from plumbline.stats.compare import Comparison as Compared
from plumbline.stats.design import examine
from plumbline.stats.one_sided import not_slower_than
from plumbline.stats.power import found_by, further_pairs
from plumbline.stats.together import Asked, ask_once, follow_together
from plumbline.stats.wording import change, ratio, words
from .sentence import sentence
from .units import Unit, spoiled_by, units_of

# The latency that leads: the highest quantile that every pair has enough requests for.
_LATENCIES = ("latency_p99_ms", "latency_p50_ms")
# Not asked at all: they describe the measuring (how long until steady, what was dropped), or one extreme second.
_NOT_ASKED = frozenset(
    {
        "dropped", "saturated", "errors", "latency_max_ms", "steady_from_s", "warm_up_s", "time_to_95_share_of_peak_s",
        "throughput_cv_share", "achieved_rate_per_s", "load_cpu_us_per_request", "app_busy_share",
    }
)  # fmt: skip
# Both sides start at once in a duet, under one prober: times of the start would be of the machine.
_NOT_IN_A_DUET = frozenset(
    {"first_response_ms", "healthy_ms", "self_reported_start_ms", "throughput_per_mib"}
)


def compared(plan: Plan, trials: Sequence[Trial]) -> Comparison | None:
    """The comparison of a session, None for one that is none. `trials` are judged, and may be fewer than planned."""
    asked = plan.comparison
    if asked is None:
        return None
    units = units_of(plan, asked, trials)
    answers = _answers(plan, asked, units)
    spoiled = spoiled_by(asked, units)
    return Comparison(
        design=asked.design,
        pairs=tuple(pair for unit in units for pair in unit.pairs),
        answers=answers,
        ended=_ended(plan, units, answers),
        sentence=sentence(asked, plan, answers, None if spoiled is None else spoiled[1]),
        fails=_fails(asked, answers) or (spoiled is not None and spoiled[0] == "head"),
    )


def undecided(answers: Sequence[Answer], base: str, head: str, scenario: str) -> bool:
    """Whether a primary question of a unit is still open; a unit without any answer is."""
    mine = [
        one.verdict in (None, "inconclusive")
        for one in answers
        if one.primary and (one.base_subject, one.head_subject, one.scenario) == (base, head, scenario)
    ]
    return not mine or any(mine)


Key = tuple[int, str, str]
"""unit, phase, metric"""


def _answers(plan: Plan, asked: ComparisonPlan, units: Sequence[Unit]) -> tuple[Answer, ...]:
    questions: dict[Key, list[float]] = {}
    primary: set[Key] = set()
    for place, unit in enumerate(units):
        leading = _leading(unit, asked, plan.host_class)
        primary |= {(place, *one) for one in leading}
        for phase, metric in dict.fromkeys((*leading, *_measured(unit, asked))):
            questions[place, phase, metric] = _values(unit, phase, metric)
    names = {_name(key): key for key in questions}
    followed = follow_together(
        {name: questions[key] for name, key in names.items() if key in primary}, asked.looks, asked.level
    )
    reached = _reached(names, followed)
    rest = ask_once(
        {
            name: questions[key][: reached[key[0]]]
            for name, key in names.items()
            if key not in primary and reached.get(key[0], 0) and len(questions[key]) >= reached[key[0]]
        },
        asked.level,
    )
    answers = []
    for name, key in names.items():
        unit = units[key[0]]
        if key in primary:
            answers.append(_answer(asked, unit, key, True, followed[name], followed[name].last))
        else:
            answers.append(_answer(asked, unit, key, False, Asked((), None), rest.get(name)))
    return tuple(answers)


def _name(key: Key) -> str:
    return " ".join(map(str, key))


def _reached(names: Mapping[str, Key], followed: Mapping[str, Asked]) -> dict[int, int]:
    """unit -> the pairs at the last look that one of its primary questions took."""
    reached: dict[int, int] = {}
    for name, asked in followed.items():
        if asked.last is not None:
            unit = names[name][0]
            reached[unit] = max(reached.get(unit, 0), asked.last.pairs)
    return reached


def _leading(unit: Unit, asked: ComparisonPlan, host_class: HostClass) -> list[tuple[str, str]]:
    """(phase, metric) of the primary questions (METHOD 2): what the unit is planned to measure, measured or not.

    Throughput, latency at the highest rate and start; CPU per request takes the place of throughput where that would be
    of the host, and a duet has no start.
    """
    phases = unit.scenario.phases
    closed = next((phase.name for phase in phases if phase.kind == "closed"), None)
    rungs = [phase for phase in phases if phase.kind == "open"]
    rung = max(rungs, key=lambda one: (one.rate_per_s or 0, one.rate_share or 0.0)).name if rungs else None
    found: list[tuple[str, str]] = []
    if closed is not None and host_class != "small":
        found.append((closed, "throughput_per_s"))
    elif closed is not None or rung is not None:
        found.append((closed or rung or "", "app_cpu_us_per_request"))
    if rung is not None:
        latency = next(
            (name for name in _LATENCIES if unit.used and all(_has(pair, rung, name) for pair in unit.used)),
            _LATENCIES[-1],
        )
        found.append((rung, latency))
    if asked.design == "interleaved":
        found.append(("start", "first_response_ms"))
    return found


def _measured(unit: Unit, asked: ComparisonPlan) -> list[tuple[str, str]]:
    """(phase, metric) of everything that every used pair has, and that has a better way."""
    if not unit.used:
        return []
    first = unit.used[0][0].figures
    left_out = _NOT_ASKED | (_NOT_IN_A_DUET if asked.design == "duet" else frozenset())
    return [
        (phase, metric)
        for phase in sorted(first)
        for metric in METRICS
        if metric in first[phase]
        and metric not in left_out
        and METRICS[metric].better is not None
        and all(_has(pair, phase, metric) for pair in unit.used)
    ]


def _has(pair: tuple[Trial, Trial], phase: str, metric: str) -> bool:
    return all(trial.figures.get(phase, {}).get(metric, 0.0) > 0 for trial in pair)


def _values(unit: Unit, phase: str, metric: str) -> list[float]:
    """Differences of the used pairs in order; a pair that lacks the figure is passed over."""
    return differences(
        [
            (base.figures[phase][metric], head.figures[phase][metric])
            for base, head in unit.used
            if _has((base, head), phase, metric)
        ],
        _better(metric),
    )


def _better(metric: str) -> Better:
    better = METRICS[metric].better
    assert better is not None
    return better


def _answer(
    asked: ComparisonPlan, unit: Unit, key: Key, primary: bool, taken: Asked, last: Compared | None
) -> Answer:
    _, phase, metric = key
    better = _better(metric)
    values = _values(unit, phase, metric)
    refused = None if last is None else _refused(asked, unit, values, last.pairs)
    plain = Answer(
        scenario=unit.scenario.id,
        base_subject=unit.base_subject,
        head_subject=unit.head_subject,
        phase=phase,
        metric=metric,
        better=better,
        primary=primary,
        pairs=len(values),
        words=f"no verdict before {asked.looks[0]} pairs",
    )
    if last is None:
        return plain
    sign = 1 if better == "higher" else -1

    def head_over_base(log_ratio: float) -> float:
        return rounded(ratio(sign * log_ratio))

    ends = sorted((head_over_base(last.low), head_over_base(last.high)))
    open_ = last.verdict == "inconclusive" and not last.heterogeneous
    return plain.model_copy(
        update={
            "pairs": last.pairs,
            "verdict": "inconclusive" if refused else last.verdict,
            "words": "inconclusive (order of the pairs)" if refused else words(last),
            "within_margin": last.within_margin,
            "heterogeneous": last.heterogeneous,
            "ratio": head_over_base(last.effect),
            "low": ends[0],
            "high": ends[1],
            "spread": rounded(last.spread),
            "p": rounded((taken.taken[-1] if taken.taken else last).p),
            "p_adjusted": rounded(last.p),
            "detectable": rounded(change(found_by(last))),
            "further_pairs": further_pairs(last) if open_ else None,
            "looks": tuple(_look(one, head_over_base) for one in taken.taken),
            "refused": refused,
            "not_slower": None
            if asked.not_slower_than is None or not primary
            else not_slower_than(last, asked.not_slower_than),
        }
    )


def _look(one: Compared, head_over_base: Callable[[float], float]) -> LookTaken:
    low, high = sorted((head_over_base(one.low), head_over_base(one.high)))
    return LookTaken(pairs=one.pairs, ratio=head_over_base(one.effect), low=low, high=high, p=rounded(one.p))


def _refused(asked: ComparisonPlan, unit: Unit, values: Sequence[float], pairs: int) -> str | None:
    """What `stats.design` says against the order of the pairs that a verdict rests on."""
    order = [pair.order for pair in unit.pairs if pair.used]
    if len(order) != len(values):
        return None
    try:
        examine(values[:pairs], asked.design, order[:pairs])
    except UsageError as error:
        return error.problem
    return None


def _ended(plan: Plan, units: Sequence[Unit], answers: Sequence[Answer]) -> Ended:
    open_units = [
        unit for unit in units if undecided(answers, unit.base_subject, unit.head_subject, unit.scenario.id)
    ]
    if not open_units:
        return "decided"
    if any(unit.pairs and not unit.used for unit in open_units):
        return "unusable"
    asked = plan.comparison
    assert asked is not None
    through = all(len(unit.used) >= asked.looks[-1] or len(unit.pairs) >= plan.blocks for unit in open_units)
    return "pairs" if through else "budget"


def _fails(asked: ComparisonPlan, answers: Sequence[Answer]) -> bool:
    """Slower by more than the margin in a primary metric; with a bound, no to it."""
    leading = [one for one in answers if one.primary]
    if asked.not_slower_than is not None:
        return any(one.not_slower == "no" for one in leading)
    return any(one.verdict == "slower" and not one.within_margin for one in leading)
