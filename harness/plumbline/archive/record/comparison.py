"""Compute the answers of a comparison from its trials. Pure: a session calls it at every look, and `verify` again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from plumbline.model.comparison import Answer, Comparison, ComparisonPlan, Ended, InterimResult, Unit
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import Steadiness, Trial
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.wording import counted
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS, Better, PairedComparison
from plumbline.verdicts.stats.design import examine
from plumbline.verdicts.stats.families import QuestionCourse, ask_once, follow_jointly
from plumbline.verdicts.stats.interval import mean
from plumbline.verdicts.stats.power import Answer as BoundAnswer
from plumbline.verdicts.stats.power import detectable_by, not_slower_than
from plumbline.verdicts.stats.ranking import RankedPair, pair_of
from plumbline.verdicts.stats.wording import LARGEST_EXPONENT, change, ratio, words
from .claim import further_blocks, would_decide
from .ran import took_s
from .sentence import sentence
from .steadiness import drift_of, row_of
from .units import ContestUnit, better_of, dead_sides, leading, measured, pairs_with, units_of, values_of


def compared(
    plan: Plan,
    trials: Sequence[Trial],
    proven: Sequence[Steadiness] = (),
    evidence: Mapping[int, Evidence] = MappingProxyType({}),
) -> Comparison | None:
    """Return the comparison of a session; None for a session that is no comparison. `trials` are judged, and may be
    fewer than planned.

    `proven` has the proofs of drift that their phases gave; their `evidence` shows how long a pair takes.
    """
    asked = plan.comparison
    if asked is None:
        return None
    units = units_of(plan, asked, trials)
    answers = _answers(plan, asked, units, proven, evidence)
    dead = dead_sides(asked, units)
    return Comparison(
        design=asked.design,
        pairs=tuple(pair for unit in units for pair in unit.pairs),
        answers=answers,
        ended=_ended(plan, units, answers),
        sentence=sentence(asked, answers, {unit: why for unit, (_, why) in dead.items()}),
        fails=_fails(asked, answers) or any(side == "head" for side, _ in dead.values()),
    )


def undecided(answers: Sequence[Answer], unit: Unit) -> bool:
    """Return whether a primary question of a unit is still open; a unit without any answer is."""
    still_open = [is_open(answer) for answer in answers if answer.primary and answer.unit == unit]
    return not still_open or any(still_open)


def is_open(answer: Answer) -> bool:
    """Return whether a question has no verdict, or no answer to the bound that was asked."""
    return answer.verdict in (None, "inconclusive") or answer.not_slower == "undecided"


Key = tuple[int, str, str]
"""The unit, the phase and the metric of a question."""

Rows = tuple[Steadiness | None, Steadiness | None]
"""The steadiness of head and of base."""


def _answers(
    plan: Plan,
    asked: ComparisonPlan,
    units: Sequence[ContestUnit],
    proven: Sequence[Steadiness],
    evidence: Mapping[int, Evidence],
) -> tuple[Answer, ...]:
    questions: dict[Key, list[float]] = {}
    primary: set[Key] = set()
    for place, unit in enumerate(units):
        leading_questions = leading(unit, asked, plan.host_class)
        primary |= {(place, *question) for question in leading_questions}
        for phase, metric in dict.fromkeys((*leading_questions, *measured(unit, asked))):
            questions[place, phase, metric] = values_of(unit, phase, metric)
    names = {" ".join(map(str, key)): key for key in questions}
    rows = {key: _steadiness_rows(units[key[0]], key, proven) for key in questions}

    def holds(name: str, decision: PairedComparison) -> bool:
        """Return whether neither a drift nor the order of the pairs forbids to claim a decision, and the bound that
        was asked is answered as well.
        """
        key = names[name]
        if _refused(asked, units[key[0]], key, decision.pairs) is not None:
            return False
        pair = _pair(decision, key, rows[key])
        return pair.verdict != "inconclusive" and _not_slower(asked, key, pair) != "undecided"

    leading_keys = {name: key for name, key in names.items() if key in primary}
    followed = follow_jointly(
        {name: questions[key] for name, key in leading_keys.items()},
        {name: asked.looks_of(units[key[0]].key, len(questions[key])) for name, key in leading_keys.items()},
        asked.level,
        holds,
    )
    pairs_of_unit = _pairs_at_last_look(asked, units, names, followed)
    secondary = ask_once(
        {
            name: questions[key][: pairs_of_unit[key[0]]]
            for name, key in names.items()
            if key not in primary and key[0] in pairs_of_unit and len(questions[key]) >= MINIMUM_PAIRS
        },
        asked.level,
    )
    answers = []
    for name, key in names.items():
        unit = units[key[0]]
        pair_s = _pair_s(asked, unit, evidence)
        course = followed[name] if key in primary else QuestionCourse((), secondary.get(name))
        answers.append(_answer(asked, unit, key, key in primary, course, rows[key], pair_s))
    return tuple(answers)


def _pair(comparison: PairedComparison, key: Key, proven: Rows) -> RankedPair:
    """Return the comparison of a question, judged with the drifts that its phases may still have."""
    head, base = (None if row is None else drift_of(row) for row in proven)
    return pair_of(comparison, better_of(key[2]), head, base)


def _steadiness_rows(unit: ContestUnit, key: Key, proven: Sequence[Steadiness]) -> Rows:
    """Return the rows with what the phases of head and base proved of the figure."""
    _, phase, metric = key
    scenario = unit.scenario.id
    return (
        row_of(proven, unit.head_subject, scenario, phase, metric, "head"),
        row_of(proven, unit.base_subject, scenario, phase, metric, "base"),
    )


def _pair_s(asked: ComparisonPlan, unit: ContestUnit, evidence: Mapping[int, Evidence]) -> float | None:
    """Return the seconds that a pair takes on average; None where no pair has evidence."""
    seconds = [
        [took_s(evidence[trial.number]) for trial in trials]
        for trials in unit.trials
        if all(trial.number in evidence for trial in trials)
    ]
    return mean([max(pair) if asked.design == "duet" else sum(pair) for pair in seconds]) if seconds else None


def _pairs_at_last_look(
    asked: ComparisonPlan,
    units: Sequence[ContestUnit],
    names: Mapping[str, Key],
    followed: Mapping[str, QuestionCourse],
) -> dict[int, int]:
    """Return the number of pairs at the last look of each unit, by unit.

    If no side has a figure of a warm program, no question took a look: then the number is that of the last look that
    the unit's usable pairs reach.
    """
    reached = {
        place: max(look for look in looks if look <= len(unit.used))
        for place, unit in enumerate(units)
        if len(unit.used) >= (looks := asked.looks_of(unit.key))[0]
    }
    taken: dict[int, int] = {}
    for name, course in followed.items():
        if course.last is not None:
            place = names[name][0]
            taken[place] = max(taken.get(place, 0), course.last.pairs)
    return reached | taken


def _answer(
    asked: ComparisonPlan,
    unit: ContestUnit,
    key: Key,
    primary: bool,
    course: QuestionCourse,
    proven: Rows,
    pair_s: float | None,
) -> Answer:
    _, phase, metric = key
    last = course.last
    better = better_of(metric)
    values = values_of(unit, phase, metric)
    refused = None if last is None else _refused(asked, unit, key, last.pairs)
    unanswered = Answer(
        scenario=unit.scenario.id,
        base_subject=unit.base_subject,
        head_subject=unit.head_subject,
        phase=phase,
        metric=metric,
        better=better,
        primary=primary,
        pairs=len(values),
        words=_before_an_analysis(asked, unit, len(values), proven),
    )
    if last is None:
        return unanswered
    pair = _pair(last, key, proven)
    head_over_base, low, high = _ratios(last, better)
    worsens, improves = (rounded(min(LARGEST_EXPONENT, move)) for move in pair.moves(better))
    verdict = "inconclusive" if refused else pair.verdict
    return unanswered.model_copy(
        update={
            "pairs": last.pairs,
            "verdict": verdict,
            "words": _words(pair, refused),
            "within_margin": last.within_margin,
            "heterogeneous": last.heterogeneous,
            "ratio": head_over_base,
            "low": low,
            "high": high,
            "falls": worsens if better == "higher" else improves,
            "rises": improves if better == "higher" else worsens,
            "spread": rounded(last.spread),
            "p": rounded((course.taken[-1] if course.taken else last).p),
            "p_adjusted": rounded(last.p),
            "detectable": rounded(change(detectable_by(last))),
            "further_pairs": further_blocks(pair) if verdict == "inconclusive" and not refused else None,
            "would_decide": would_decide(pair, "pair", pair_s) if verdict == "inconclusive" and not refused else None,
            "looks": tuple(_interim(look, better) for look in course.taken),
            "refused": refused,
            "not_slower": _not_slower(asked, key, pair, refused) if primary else None,
        }
    )


def _not_slower(asked: ComparisonPlan, key: Key, pair: RankedPair, refused: str | None = None) -> BoundAnswer | None:
    """Return the answer to the bound that was asked; None if none was."""
    if asked.not_slower_than is None:
        return None
    moves = pair.moves(better_of(key[2]))
    return "undecided" if refused else not_slower_than(pair.comparison, asked.not_slower_than, *moves)


def _before_an_analysis(asked: ComparisonPlan, unit: ContestUnit, pairs: int, proven: Rows) -> str:
    """Return why there is no verdict yet."""
    unproven = next((row for row in proven if row is not None and not row.proven), None)
    if unit.used and not pairs and unproven is not None:
        return f"no figure of a warm program: {unproven.words}"
    missing = asked.looks_of(unit.key)[0] - pairs
    return f"{counted(pairs, 'usable pair')}, and the first look needs {missing} more" if missing > 0 else "not asked"


def _words(pair: RankedPair, refused: str | None) -> str:
    if refused:
        return "inconclusive (order of the pairs)"
    if pair.verdict == "inconclusive" and pair.comparison.verdict != "inconclusive":
        return "inconclusive (a drift could turn it round)"
    return words(pair.comparison)


def _interim(look: PairedComparison, better: Better) -> InterimResult:
    head_over_base, low, high = _ratios(look, better)
    return InterimResult(pairs=look.pairs, ratio=head_over_base, low=low, high=high, p=rounded(look.p))


def _ratios(comparison: PairedComparison, better: Better) -> tuple[float, ...]:
    """Return head / base as measured, with its interval."""
    return tuple(rounded(ratio(log_ratio)) for log_ratio in comparison.log_ratios(better))


def _refused(asked: ComparisonPlan, unit: ContestUnit, key: Key, pairs: int) -> str | None:
    """Return what `stats.design` says against the order of the pairs that a verdict rests on; None if nothing.

    Pairs that lack the figure are no part of that order: those that are left may all have run the same way round.
    """
    _, phase, metric = key
    order = [pair.order for pair, _ in pairs_with(unit, phase, metric)]
    try:
        examine(values_of(unit, phase, metric)[:pairs], asked.design, order[:pairs])
    except UsageError as error:
        return error.problem
    return None


def _ended(plan: Plan, units: Sequence[ContestUnit], answers: Sequence[Answer]) -> Ended:
    open_units = [unit for unit in units if undecided(answers, unit.key)]
    if not open_units:
        return "decided"
    if any(unit.pairs and not unit.used for unit in open_units):
        return "unusable"
    asked = plan.comparison
    assert asked is not None
    exhausted = all(len(unit.used) >= asked.looks[-1] or len(unit.pairs) >= plan.blocks for unit in open_units)
    return "pairs" if exhausted else "budget"


def _fails(asked: ComparisonPlan, answers: Sequence[Answer]) -> bool:
    """Return whether head is slower in a primary metric, and not surely within the margin; if a bound was asked,
    whether head is slower than that for sure.
    """
    primary = [answer for answer in answers if answer.primary]
    if asked.not_slower_than is not None:
        return any(answer.not_slower == "no" for answer in primary)
    return any(answer.verdict == "slower" and not answer.within_margin for answer in primary)
