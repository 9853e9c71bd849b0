"""Lines over time or over quantiles, on axes that begin at zero unless they say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.verdicts.judge.wording import counted
from ..view import Band, Curves, LatencyLadder, Point, TimelinePanel, TrialTimeline
from .marks import colour, dash, mark
from .svg import WIDTH, Scale, from_zero, label, line, path, rect, svg_start, text, ticks

_LEFT = 44.0
_RIGHT = 8.0
_TOP = 20.0
_PLOT = 130.0
_PANEL = 66.0
# The width of a letter of the small text, a little more than the mean width.
_LETTER = 6.0
# Room above the curves for the names of the phases.
_HEADROOM = 1.15
# From this ratio of the greatest latency to the smallest, a linear axis would hide the middle.
_LOG_FROM = 12.0
_LABELLED = (0.5, 0.9, 0.99, 0.999, 0.9999)


@dataclass(frozen=True)
class _Plot:
    x: Scale
    y: Scale

    def line(self, points: Sequence[Point], css: str) -> str:
        """Return the points as a line."""
        return path([(self.x.at(x), self.y.at(y)) for x, y in points], css)


def throughput_curves(key: str, curves: Curves, most_per_s: float) -> str:
    """Return requests a second of every trial of one subject, thin, and the median. All axes reach `most_per_s`."""
    end_s = max(band.end_s for band in curves.bands)
    plot, parts = _framed(end_s, most_per_s * _HEADROOM, _TOP, _PLOT)
    for run in curves.runs:
        css = f"thin gone {colour(None)}" if run.verdict == "invalid" else f"thin {colour(curves.name.mark)}"
        parts += [plot.line(piece, css) for piece in run.pieces if len(piece) > 1]
    for piece in curves.median:
        parts.append(plot.line(piece, f"curve {colour(curves.name.mark)}"))
    invalid = sum(run.verdict == "invalid" for run in curves.runs)
    described = f"{counted(len(curves.runs), 'trial')} over {end_s:.0f} s of warm-up and closed load; axis from zero."
    if invalid:
        described += f" {invalid} of them invalid, drawn dashed and grey, and not in the median."
    head = svg_start(
        key, _TOP + _PLOT + 36, f"Requests a second of {curves.name.short} from the start of load", described
    )
    bands = _bands(curves.bands, plot.x, _TOP, _PLOT)
    below = text(_LEFT, _TOP + _PLOT + 31, "s since the load began; requests/s, from zero", "tick")
    return "".join([head, bands, *parts, below]) + "</svg>"


def latency_lines(key: str, ladder: LatencyLadder, where: str) -> str:
    """Return the chart of latency by percentile of all subjects; the axis of percentiles stretches towards 100 %."""
    values = [value for percentiles in ladder.lines for _, value in percentiles.points]
    last = max(quantile for percentiles in ladder.lines for quantile, _ in percentiles.points)
    bottom, plot_height = _TOP + 190, 190.0
    x = Scale(2.0, max(1 / (1 - last), 2.5), _LEFT, WIDTH - 16, logarithmic=True)
    logarithmic = max(values) > _LOG_FROM * max(min(values), 1e-9)
    if logarithmic:
        low = min(values) * 0.8
        y, marks = Scale(low, max(values) * 1.1, bottom, _TOP, logarithmic=True), _decades(low, max(values))
    else:
        y, marks = from_zero(values, bottom, _TOP)
    parts = []
    for tick in marks:
        parts.append(line(_LEFT, y.at(tick), WIDTH - _RIGHT, y.at(tick), "zero" if tick == 0 else "grid"))
        parts.append(text(_LEFT - 5, y.at(tick) + 4, label(tick), "tick", "end"))
    for quantile in _LABELLED:
        if quantile <= last + 1e-9:
            parts.append(line(x.at(1 / (1 - quantile)), _TOP, x.at(1 / (1 - quantile)), bottom, "grid"))
            parts.append(text(x.at(1 / (1 - quantile)), bottom + 15, f"p{quantile * 100:g}", "tick", "middle"))
    for percentiles in ladder.lines:
        drawn_points = [(x.at(1 / (1 - quantile)), y.at(value)) for quantile, value in percentiles.points]
        parts.append(path(drawn_points, f"curve {colour(percentiles.name.mark)} {dash(percentiles.name.mark)}"))
        parts += [mark(percentiles.name.mark, *point, 4) for point in drawn_points[:: max(len(drawn_points) - 1, 1)]]
    axis = "logarithmic axis" if logarithmic else "from zero"
    parts.append(text(_LEFT, bottom + 31, f"percentile of requests; ms, {axis}", "tick"))
    described = "; ".join(
        f"{percentiles.name.short} p{percentiles.points[-1][0] * 100:g} {percentiles.points[-1][1]:.3g} ms"
        for percentiles in ladder.lines
    )
    return svg_start(key, plot_height + 56, f"Latency by percentile {where}", described) + "".join(parts) + "</svg>"


def timeline(key: str, trial_timeline: TrialTimeline) -> str:
    """Return the chart of one trial: panels below each other, and the phases of the trial behind all panels."""
    step = _PANEL + 26
    height = _TOP + len(trial_timeline.panels) * step + 22
    x = Scale(0, trial_timeline.end_s, _LEFT, WIDTH - _RIGHT)
    parts = [_bands(trial_timeline.bands, x, _TOP + 12, (len(trial_timeline.panels) - 1) * step + _PANEL)]
    for index, panel in enumerate(trial_timeline.panels):
        parts.append(_panel(panel, trial_timeline, _TOP + index * step, last=index == len(trial_timeline.panels) - 1))
    phases = ", ".join(f"{band.label} {band.start_s:.0f} to {band.end_s:.0f} s" for band in trial_timeline.bands)
    head = svg_start(
        key,
        height,
        f"Trial {trial_timeline.trial} of {trial_timeline.name.short}, second by second",
        f"Phases: {phases}.",
    )
    return head + "".join(parts) + text(_LEFT, height - 4, "s since the process was spawned", "tick") + "</svg>"


def _panel(panel: TimelinePanel, trial_timeline: TrialTimeline, top: float, *, last: bool) -> str:
    most = max(value for piece in panel.pieces for _, value in piece)
    plot, parts = _framed(
        trial_timeline.end_s,
        100.0 if panel.unit == "%" else most,
        top + 12,
        _PANEL,
        labels=last,
        most_ticks=3,
    )
    curves = [plot.line(piece, f"curve {colour(trial_timeline.name.mark)}") for piece in panel.pieces if len(piece) > 1]
    return "".join([text(_LEFT, top + 6, f"{panel.title}, {panel.unit}", "small"), *parts, *curves])


def _framed(
    end: float, most_y: float, top: float, height: float, *, labels: bool = True, most_ticks: int = 5
) -> tuple[_Plot, list[str]]:
    """Return a plot from zero to `end` and from zero to at least `most_y`, with grid and labels."""
    x = Scale(0, end, _LEFT, WIDTH - _RIGHT)
    y, tick_values = from_zero([most_y], top + height, top, most_ticks)
    parts = []
    for tick in tick_values:
        parts.append(line(_LEFT, y.at(tick), WIDTH - _RIGHT, y.at(tick), "zero" if tick == 0 else "grid"))
        parts.append(text(_LEFT - 5, y.at(tick) + 4, label(tick), "tick", "end"))
    if labels:
        below = top + height + 15
        parts += [text(x.at(tick), below, label(tick), "tick", "middle") for tick in ticks(0, end, 6)]
    return _Plot(x, y), parts


def _bands(bands: Sequence[Band], x: Scale, top: float, height: float) -> str:
    parts = []
    for band in bands:
        left, width = x.at(band.start_s), x.at(band.end_s) - x.at(band.start_s)
        parts.append(rect(left, top, width, height, f"band {band.kind}"))
        if len(band.label) * _LETTER + 6 < width:
            parts.append(text(left + 3, top + 11, band.label, "small faint"))
    return "".join(parts)


def _decades(low: float, high: float) -> list[float]:
    steps = [base * 10.0**power for power in range(-4, 6) for base in (1, 2, 5)]
    inside = [step for step in steps if low <= step <= high]
    return inside if len(inside) <= 7 else [step for step in inside if f"{step:e}"[0] == "1"]
