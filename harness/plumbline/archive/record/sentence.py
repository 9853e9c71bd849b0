"""The sentence of a comparison: which metrics moved and by how much, or what would decide the question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from plumbline.model.comparison import Answer, ComparisonPlan, Unit
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import capitalized, counted, uncapitalized
from plumbline.verdicts.stats.amounts import change_with_interval, largest_change, range_in_words

# More changes than this are counted instead of named.
MOST_NAMED = 3


def sentence(asked: ComparisonPlan, answers: Sequence[Answer], dead: Mapping[Unit, str] = MappingProxyType({})) -> str:
    """Return `HEAD is slower than main by throughput on fruits: 3.1 % less (99 % interval 2.2 to 4.0 %).`

    `dead` says of each contest without a pair that counts which side has no trial that counts, and why.
    """
    leading = [answer for answer in answers if answer.primary]
    # An interval from pairs in a forbidden order bounds nothing.
    answered = [answer for answer in leading if answer.verdict is not None and not answer.refused]
    base, head = asked.base.given, asked.head.given
    if dead and all(answer.unit in dead for answer in leading):
        return f"No pair counts: {_first_dead(dead, answers)}."
    missing = sum(answer.unit not in dead for answer in leading) - len(answered)
    rest = [
        _moved_besides(answers),
        f"{counted(missing, 'leading figure')} without a verdict" if missing and answered else "",
        _without_pairs(dead, answers),
    ]
    if not answered:
        words = max(leading, key=lambda answer: answer.pairs).words if leading else "nothing was asked"
        return f"{_joined(f'No verdict on {head}: {words}', *rest)}."
    changed = sorted(
        (answer for answer in answered if answer.verdict in ("faster", "slower")),
        key=_effect_size,
        reverse=True,
    )
    if changed:
        others = [answer for answer in answered if answer not in changed]
        unseen = f"no other leading figure moved by more than {_bound(others)}" if others else ""
        return f"{_joined(_changes(base, head, changed, answers), unseen, *rest)}."
    if all(answer.verdict == "equivalent" for answer in answered):
        scope = _scope(answered, leading, answers)
        equivalent = f"{head} and {base} are equivalent {scope}: closer than 2 %, at most {_bound(answered)} apart"
        return f"{_joined(equivalent, *rest)}."
    nearest = max((answer for answer in answered if answer.verdict == "inconclusive"), key=_nearness)
    undecided = (
        f"Undecided between {base} and {head}: by {_question_name(nearest, answers)}, "
        f"{head} has {change_words(nearest)} (99 % interval, {counted(nearest.pairs, 'pair')}). "
        f"{nearest.would_decide or ''}"
    ).rstrip()
    unseen = f"no leading figure moved by more than {_bound(answered)}" if len(leading) > 1 else ""
    further = _joined(unseen, *rest)
    return f"{undecided} {capitalized(further)}." if further else undecided


def _joined(*clauses: str) -> str:
    return "; ".join(filter(None, clauses))


def _scope(answered: Sequence[Answer], leading: Sequence[Answer], answers: Sequence[Answer]) -> str:
    """Return in which leading figures the sides are equivalent."""
    if len(leading) == 1:
        return f"by {_question_name(leading[0], answers)}"
    if len(answered) == len(leading):
        return "in every leading figure"
    return f"in {len(answered)} of {len(leading)} leading figures"


def _moved_besides(answers: Sequence[Answer]) -> str:
    """Return `10 of 31 other figures moved, most of all idle memory on fruits: ...`; nothing where none moved."""
    others = [answer for answer in answers if not answer.primary and answer.verdict is not None]
    moved = [answer for answer in others if answer.verdict in ("faster", "slower")]
    if not moved:
        return ""
    most = max(moved, key=_effect_size)
    prefix = "most of all " if len(moved) > 1 else ""
    return (
        f"{len(moved)} of {counted(len(others), 'other figure')} moved, "
        f"{prefix}{_question_name(most, answers)}: {change_words(most)}"
    )


def _changes(base: str, head: str, changed: Sequence[Answer], answers: Sequence[Answer]) -> str:
    """Return `HEAD is slower than main by throughput on fruits: ...; faster by start on fruits: ...`, and how many more
    moved.
    """
    clauses = [
        f"{answer.verdict}{' (within 2 %)' if answer.within_margin else ''}{f' than {base}' if place == 0 else ''} "
        f"by {_question_name(answer, answers)}: {change_words(answer)}"
        for place, answer in enumerate(changed[:MOST_NAMED])
    ]
    if len(changed) > MOST_NAMED:
        clauses.append(f"{counted(len(changed) - MOST_NAMED, 'more leading figure')} moved")
    return f"{head} is {'; '.join(clauses)}"


def _without_pairs(dead: Mapping[Unit, str], answers: Sequence[Answer]) -> str:
    """Return `no pair on fruits counts: ...`; of several contests how many, and the reason of the first."""
    if len(dead) != 1:
        return f"of {len(dead)} contests no pair counts: {_first_dead(dead, answers)}" if dead else ""
    ((unit, why),) = dead.items()
    return f"no pair {_contest_name(unit, answers)} counts: {why}"


def _first_dead(dead: Mapping[Unit, str], answers: Sequence[Answer]) -> str:
    """Return why no pair of the first of these contests counts, with its name where there are others."""
    unit, why = next(iter(dead.items()))
    several = len({answer.unit for answer in answers}) > 1
    return f"{_contest_name(unit, answers)} {why}" if several else why


def _question_name(answer: Answer, answers: Sequence[Answer]) -> str:
    return f"{uncapitalized(METRICS[answer.metric].title)} {_contest_name(answer.unit, answers)}"


def _contest_name(unit: Unit, answers: Sequence[Answer]) -> str:
    """Return the scenario of a contest in words, with the subject where there is more than one."""
    _, subject, scenario = unit
    words = f"on {scenario.partition('@')[0]}"
    return f"{words} of {subject}" if len({answer.unit[:2] for answer in answers}) > 1 else words


def _effect_size(answer: Answer) -> float:
    return abs(logs_of(answer)[0])


def _nearness(answer: Answer) -> float:
    """Return how near an answer is to a verdict: the effect in widths of its interval."""
    effect, low, high = logs_of(answer)
    return abs(effect) / (high - low) if high > low else math.inf


def _bound(answers: Sequence[Answer]) -> str:
    """Return the farthest end of the widened intervals of questions: no change beyond it went unseen."""
    return largest_change([end for answer in answers for end in _widened(answer)])


def _widened(answer: Answer) -> tuple[float, float]:
    """Return the interval of the log ratio, with the drifts that the phases of both sides leave open."""
    _, low, high = logs_of(answer)
    return low - answer.falls, high + answer.rises


def logs_of(answer: Answer) -> tuple[float, float, float]:
    """Return the log of head over base and the ends of its interval, for an answer with a verdict."""
    assert answer.ratio is not None and answer.low is not None and answer.high is not None
    return math.log(answer.ratio), math.log(answer.low), math.log(answer.high)


def change_words(answer: Answer) -> str:
    """Return `32 % more (99 % interval 11 to 54 %)`; where that is not decided, `between 3 % less and 9 % more`."""
    effect, low, high = logs_of(answer)
    return (
        change_with_interval(effect, low, high) if answer.verdict in ("faster", "slower") else range_in_words(low, high)
    )
