"""Changes of a comparison: the interval of each question around zero, and the margin within which sides are equal."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.verdicts.stats.compare import MARGIN
from plumbline.verdicts.stats.wording import change
from ..comparison_view import AnswerView
from ..parts.naming import signed
from .svg import Scale, label, line, number, rect, svg_start, text, ticks

_WIDTH = 420.0
_ROW = 60.0
_AXIS = 36.0
_SIDE = 12.0
# The axis reaches at least this many percent, so that noise looks like noise.
_LEAST = 4.0
# The axis ends here, in percent, so that one question with a very wide interval does not flatten the others.
_MOST = 60.0


def changes_chart(key: str, answers: Sequence[AnswerView]) -> str:
    """Return a chart with a row for each question, in percent of the figure of base; without a look there is no bar."""
    ends = [abs(end) for answer in answers for end in (answer.low, answer.high) if end is not None]
    reach = min(_MOST, max(_LEAST, max(ends, default=0.0) * 1.08))
    scale = Scale(-reach, reach, _SIDE, _WIDTH - _SIDE)
    bottom = len(answers) * _ROW + 4
    described = "; ".join(
        f"{answer.title} {answer.where}: {answer.interval or 'no look yet'}, {answer.verdict}" for answer in answers
    )
    parts = [svg_start(key, bottom + _AXIS, "Head against base, by leading metric", described, width=_WIDTH)]
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
    for index, answer in enumerate(answers):
        parts.append(_row(answer, index * _ROW + 4, scale))
    return "".join(parts) + "</svg>"


def _row(answer: AnswerView, top: float, scale: Scale) -> str:
    change_text = "no look yet" if answer.change is None else signed(1 + answer.change / 100)
    parts = [
        text(_SIDE, top + 15, answer.title, "name"),
        text(_WIDTH - _SIDE, top + 15, change_text, "value", "end"),
        text(_SIDE, top + 29, f"{answer.better} is better", "small"),
        text(_WIDTH - _SIDE, top + 29, answer.verdict, "small", "end"),
    ]
    if answer.change is None or answer.low is None or answer.high is None:
        return "".join(parts)
    y = top + 44
    low, high = max(answer.low, scale.low), min(answer.high, scale.high)
    # An interval that reaches beyond the axis runs off it, without an end.
    caps = f"M{number(scale.at(low))} {number(y - 5)}v10" if low == answer.low else ""
    caps += f"M{number(scale.at(high))} {number(y - 5)}v10" if high == answer.high else ""
    tone = {"better": "s2", "worse": "s1", "same": "s0"}.get(answer.tone, "sc")
    parts.append(
        f'<path d="M{number(scale.at(low))} {number(y)}H{number(scale.at(high))}{caps}" class="whisker {tone}"/>'
    )
    if scale.low <= answer.change <= scale.high:
        parts.append(f'<circle cx="{number(scale.at(answer.change))}" cy="{number(y)}" r="5" class="dot {tone}"/>')
    return "".join(parts)
