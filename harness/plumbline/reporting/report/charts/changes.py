"""Changes of a comparison: the interval of each question around zero, and the margin within which sides are equal."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.verdicts.stats.compare import MARGIN
from plumbline.verdicts.stats.wording import change
from ..comparison_view import AnswerView
from ..parts.naming import signed
from .svg import Scale, label, line, n, opened, rect, text, ticks

_WIDTH = 420.0
_ROW = 60.0
_AXIS = 36.0
_SIDE = 12.0
# Noise should look like noise: the axis reaches at least as far as this, in percent.
_LEAST = 4.0
# One question that nobody could answer must not flatten the others.
_MOST = 60.0


def changes_chart(key: str, answers: Sequence[AnswerView]) -> str:
    """Return a row for each question, in percent of base's figure; a question without a look has no bar."""
    ends = [abs(end) for one in answers for end in (one.low, one.high) if end is not None]
    reach = min(_MOST, max(_LEAST, max(ends, default=0.0) * 1.08))
    scale = Scale(-reach, reach, _SIDE, _WIDTH - _SIDE)
    bottom = len(answers) * _ROW + 4
    described = "; ".join(
        f"{one.title} {one.where}: {one.interval or 'no look yet'}, {one.verdict}" for one in answers
    )
    parts = [opened(key, bottom + _AXIS, "Head against base, by leading metric", described, width=_WIDTH)]
    margin = min(reach, change(MARGIN) * 100)
    parts.append(rect(scale.at(-margin), 2, scale.at(margin) - scale.at(-margin), bottom, "band framed open"))
    for tick in ticks(-reach, reach, 7):
        x = scale.at(tick)
        parts.append(line(x, 2, x, bottom + 2, "zero" if tick == 0 else "grid"))
        parts.append(text(x, bottom + 16, f"{'+' if tick > 0 else ''}{label(tick)}", "tick", "middle"))
    parts.append(
        text(
            _SIDE,
            bottom + 31,
            "% of base's figure, 99 % interval; shaded: closer than 2 %",
            "tick",
        )
    )
    for index, one in enumerate(answers):
        parts.append(_row(one, index * _ROW + 4, scale))
    return "".join(parts) + "</svg>"


def _row(one: AnswerView, top: float, scale: Scale) -> str:
    shown = "no look yet" if one.change is None else signed(1 + one.change / 100)
    parts = [
        text(_SIDE, top + 15, one.title, "name"),
        text(_WIDTH - _SIDE, top + 15, shown, "value", "end"),
        text(_SIDE, top + 29, f"{one.better} is better", "small"),
        text(_WIDTH - _SIDE, top + 29, one.verdict, "small", "end"),
    ]
    if one.change is None or one.low is None or one.high is None:
        return "".join(parts)
    y = top + 44
    low, high = max(one.low, scale.low), min(one.high, scale.high)
    # An interval that reaches beyond the axis runs off it, without an end.
    caps = f"M{n(scale.at(low))} {n(y - 5)}v10" if low == one.low else ""
    caps += f"M{n(scale.at(high))} {n(y - 5)}v10" if high == one.high else ""
    tone = {"better": "s2", "worse": "s1", "same": "s0"}.get(one.tone, "sc")
    parts.append(f'<path d="M{n(scale.at(low))} {n(y)}H{n(scale.at(high))}{caps}" class="whisker {tone}"/>')
    if scale.low <= one.change <= scale.high:
        parts.append(f'<circle cx="{n(scale.at(one.change))}" cy="{n(y)}" r="5" class="dot {tone}"/>')
    return "".join(parts)
