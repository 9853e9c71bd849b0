"""A comparison in one sentence: what a reviewer needs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plumbline.figures.metrics import METRICS
from plumbline.model.comparison import Answer, ComparisonPlan
from plumbline.model.plan import Plan

# More changes than this are counted instead of named.
MOST_NAMED = 3


def sentence(asked: ComparisonPlan, plan: Plan, answers: Sequence[Answer], spoiled: str | None = None) -> str:
    """`HEAD is 3.1 % slower on fruits, 99 % interval 2.2 to 4.0; nothing else moved by more than 1.4 %.`

    `spoiled` says which side has no trial that counts, and why.
    """
    leading = [one for one in answers if one.primary]
    told = [one for one in leading if one.verdict is not None]
    name = asked.head.given
    if spoiled is not None:
        return f"No pair counts: {spoiled}."
    if not told:
        return f"{name} was measured too short for a verdict: {_pairs(leading, asked)}."
    moved = sorted((one for one in told if one.verdict in ("faster", "slower")), key=lambda one: -_size(one))
    others = [one for one in told if one not in moved]
    if moved:
        said = "; ".join(
            f"{name if place == 0 else 'it'} is {_moved(one, plan, answers)}"
            for place, one in enumerate(moved[:MOST_NAMED])
        )
        more = f"; {len(moved) - MOST_NAMED} more moved" if len(moved) > MOST_NAMED else ""
        rest = f"; nothing else moved by more than {_percent(_bound(others))}" if others else ""
        return f"{said}{more}{rest}{_unanswered(leading, told)}."
    if all(one.verdict == "equivalent" for one in told):
        of = "" if len(told) == 1 else " in all that leads"
        return (
            f"{name} and {asked.base.given} are equivalent{of}: closer than 2 %, nothing moved by more than "
            f"{_percent(_bound(told))}{_unanswered(leading, told)}."
        )
    widest = max(told, key=_far)
    return (
        f"Not decided whether {name} differs from {asked.base.given}: nothing moved by more than "
        f"{_percent(_bound(told))} ({_what(widest, plan, answers)}), 99 % intervals, "
        f"{max(one.pairs for one in told)} pairs{_unanswered(leading, told)}."
    )


def _moved(one: Answer, plan: Plan, answers: Sequence[Answer]) -> str:
    """`3.1 % slower in throughput on fruits, 99 % interval 2.2 to 4.0`."""
    assert one.ratio is not None and one.low is not None and one.high is not None
    word = "faster" if one.verdict == "faster" else "slower"
    if METRICS[one.metric].unit not in ("1/s", "ms"):
        word = "cheaper" if one.verdict == "faster" else "dearer"
    ends = sorted(abs(end - 1) * 100 for end in (one.low, one.high))
    margin = " (within 2 %)" if one.within_margin else ""
    return (
        f"{abs(one.ratio - 1) * 100:.1f} % {word}{margin} by {_what(one, plan, answers)}, "
        f"99 % interval {ends[0]:.1f} to {ends[1]:.1f}"
    )


def _what(one: Answer, plan: Plan, answers: Sequence[Answer]) -> str:
    """The metric and the scenario; the subject where there is more than one."""
    title = METRICS[one.metric].title
    words = f"{title[0].lower() + title[1:]} on {one.scenario.partition('@')[0]}"
    several = len({(other.base_subject, other.head_subject) for other in answers}) > 1
    return f"{words} of {one.head_subject}" if several else words


def _pairs(leading: Sequence[Answer], asked: ComparisonPlan) -> str:
    most = max((one.pairs for one in leading), default=0)
    return f"{most} usable pair{'' if most == 1 else 's'}, and the first look needs {asked.looks[0]}"


def _unanswered(leading: Sequence[Answer], told: Sequence[Answer]) -> str:
    missing = len(leading) - len(told)
    return f"; {missing} question{'' if missing == 1 else 's'} had too few pairs" if missing else ""


def _size(one: Answer) -> float:
    assert one.ratio is not None
    return abs(math.log(one.ratio))


def _far(one: Answer) -> float:
    assert one.low is not None and one.high is not None
    return max(abs(one.low - 1), abs(one.high - 1))


def _bound(answers: Sequence[Answer]) -> float:
    """The farthest end of their intervals: so far, and no farther, may something have moved unseen."""
    return max(map(_far, answers), default=0.0)


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"
