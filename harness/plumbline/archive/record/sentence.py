"""The sentence of a comparison: what moved and by how much, or what would decide it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plumbline.model.comparison import Answer, ComparisonPlan
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import counted
from plumbline.verdicts.stats.amounts import against, between, farthest

# More changes than this are counted instead of named.
MOST_NAMED = 3


def sentence(asked: ComparisonPlan, answers: Sequence[Answer], spoiled: str | None = None) -> str:
    """Return `HEAD is slower than main by throughput on fruits: 3.1 % less (99 % interval 2.2 to 4.0 %).`

    `spoiled` says which side has no trial that counts, and why.
    """
    leading = [one for one in answers if one.primary]
    told = [one for one in leading if one.verdict is not None]
    base, head = asked.base.given, asked.head.given
    if spoiled is not None:
        return f"No pair counts: {spoiled}."
    if not told:
        return f"No verdict on {head}: {leading[0].words if leading else 'nothing was asked'}."
    missing = len(leading) - len(told)
    unanswered = f"; {counted(missing, 'question')} without a verdict" if missing else ""
    changed = sorted((one for one in told if one.verdict in ("faster", "slower")), key=_size, reverse=True)
    if changed:
        return f"{_changes(base, head, changed, answers)}{_rest(told, changed)}{unanswered}."
    if all(one.verdict == "equivalent" for one in told):
        of = "" if len(told) == 1 else " in all that leads"
        return (
            f"{head} and {base} are equivalent{of}: closer than 2 %, nothing moved by more than {_bound(told)}"
            f"{unanswered}."
        )
    nearest = max((one for one in told if one.verdict == "inconclusive"), key=_near)
    several = f" Nothing moved by more than {_bound(told)}{unanswered}." if len(leading) > 1 else ""
    return (
        f"Undecided between {base} and {head}: by {_what(nearest, answers)}, {head} has {moved(nearest)} "
        f"(99 % interval, {counted(nearest.pairs, 'pair')}). {nearest.would_decide or ''}".rstrip()
        + several
    )


def _changes(base: str, head: str, changed: Sequence[Answer], answers: Sequence[Answer]) -> str:
    """Return `HEAD is slower than main by throughput on fruits: ...; faster by start on fruits: ...; 2 more moved`."""
    named = [
        f"{one.verdict}{' (within 2 %)' if one.within_margin else ''}{f' than {base}' if place == 0 else ''} "
        f"by {_what(one, answers)}: {moved(one)}"
        for place, one in enumerate(changed[:MOST_NAMED])
    ]
    if len(changed) > MOST_NAMED:
        named.append(f"{len(changed) - MOST_NAMED} more moved")
    return f"{head} is {'; '.join(named)}"


def _rest(told: Sequence[Answer], changed: Sequence[Answer]) -> str:
    others = [one for one in told if one not in changed]
    return f"; nothing else moved by more than {_bound(others)}" if others else ""


def _what(one: Answer, answers: Sequence[Answer]) -> str:
    """Return the metric and the scenario; the subject where there is more than one."""
    title = METRICS[one.metric].title
    words = f"{title[0].lower() + title[1:]} on {one.scenario.partition('@')[0]}"
    several = len({(other.base_subject, other.head_subject) for other in answers}) > 1
    return f"{words} of {one.head_subject}" if several else words


def _size(one: Answer) -> float:
    return abs(logs_of(one)[0])


def _near(one: Answer) -> float:
    """Return how near to a word: the effect in widths of its interval."""
    effect, low, high = logs_of(one)
    return abs(effect) / (high - low) if high > low else math.inf


def _bound(answers: Sequence[Answer]) -> str:
    """Return the farthest end of the intervals of undecided questions: no change beyond it went unseen."""
    return farthest([end for one in answers for end in logs_of(one)[1:]])


def logs_of(one: Answer) -> tuple[float, float, float]:
    """Return the log of head over base and the ends of its interval, of a question that was asked."""
    assert one.ratio is not None and one.low is not None and one.high is not None
    return math.log(one.ratio), math.log(one.low), math.log(one.high)


def moved(one: Answer) -> str:
    """Return `32 % more (99 % interval 11 to 54 %)`; where that is not decided, `between 3 % less and 9 % more`."""
    effect, low, high = logs_of(one)
    return against(effect, low, high) if one.verdict in ("faster", "slower") else between(low, high)
