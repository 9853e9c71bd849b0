"""The report as one page that needs nothing else: no network, no script, its style sheet inside and named by hash."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from plumbline.verdicts.judge.wording import counted
from .charts.amounts import moments, stacked
from .charts.boxes import boxes_chart, longest
from .charts.changes import changes_chart
from .charts.interval import interval_chart
from .charts.lines import latency_lines, throughput_curves, timeline
from .charts.marks import mark, shape
from .parts.naming import mebibytes, plain_number, seconds
from .view import MixView, Name, ScenarioView, View

# A phone opens a page of this size at once, and a mail server lets it pass.
MOST_BYTES = 400_000


def page(view: View) -> str:
    """Return the document of a view, in at most MOST_BYTES. The same view gives the same bytes."""
    left_out: list[str] = []
    document = _rendered(view, left_out)
    for name, reduce in _REDUCTIONS:
        if len(document.encode()) <= MOST_BYTES:
            break
        left_out.append(name)
        view = reduce(view)
        document = _rendered(view, left_out)
    return document


def _in_every_scenario(change: Callable[[ScenarioView], ScenarioView]) -> Callable[[View], View]:
    """Return a function that makes the change in every scenario of a view."""
    return lambda view: replace(view, scenarios=tuple(change(scenario) for scenario in view.scenarios))


def _without_requests(mixes: tuple[MixView, ...]) -> tuple[MixView, ...]:
    return tuple(replace(mix, requests=()) for mix in mixes)


# What the page of a large session leaves out, in this order.
_REDUCTIONS: tuple[tuple[str, Callable[[View], View]], ...] = (
    ("timelines of single trials", _in_every_scenario(lambda scenario: replace(scenario, timelines=()))),
    ("figures beyond the leading ones", _in_every_scenario(lambda scenario: replace(scenario, others=()))),
    ("warm-up curves", _in_every_scenario(lambda scenario: replace(scenario, curves=()))),
    (
        "the list of trials that count",
        lambda view: replace(view, trials=tuple(trial for trial in view.trials if trial.verdict == "invalid")),
    ),
    (
        "means of single requests of a mix",
        _in_every_scenario(lambda scenario: replace(scenario, mixes=_without_requests(scenario.mixes))),
    ),
    ("CPU by role", _in_every_scenario(lambda scenario: replace(scenario, cpu=()))),
    ("latency by percentile", _in_every_scenario(lambda scenario: replace(scenario, latency=()))),
)


def _rendered(view: View, left_out: list[str]) -> str:
    environment = _environment()
    style = environment.get_template("report.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("report.html.j2").render(
        view=view, left_out=left_out, style=Markup(style), style_hash=f"sha256-{digest}", **_charts()
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("plumbline.reporting.report"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(prose=prose, counted=counted, number=plain_number)
    return environment


_MARKS = re.compile(r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>\w[^*]*)\*")


def prose(text: str) -> Markup:
    """Return a text with its `code`, **strong** and *emphasis* as elements; everything else in it is escaped."""
    parts: list[Markup] = []
    end = 0
    for match in _MARKS.finditer(text):
        element = match.lastgroup or ""
        inside = match[element] if element == "code" else prose(match[element])
        marked = Markup(f"<{element}>{{}}</{element}>").format(inside)
        parts += [escape(text[end : match.start()]), marked]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def _charts() -> dict[str, Callable[..., object]]:
    """Return the charts by name. Each chart escapes its arguments, and has an id of its own in the page."""
    numbers = count(1)

    def drawn(chart: Callable[..., str]) -> Callable[..., Markup]:
        return lambda *arguments: Markup(chart(f"c{next(numbers)}", *arguments))

    return {
        "interval_chart": drawn(interval_chart),
        "changes_chart": drawn(changes_chart),
        "throughput_curves": drawn(throughput_curves),
        "latency_lines": drawn(latency_lines),
        "timeline": drawn(timeline),
        "moments": drawn(moments),
        "stacked": drawn(stacked),
        "boxes_chart": drawn(boxes_chart),
        "longest": longest,
        "mebibytes": mebibytes,
        "seconds": seconds,
        "swatch": _swatch,
        "part_swatch": _part_swatch,
        "band_swatch": _band_swatch,
    }


def _swatch(name: Name) -> Markup:
    """Return the mark of a subject, for legends."""
    return _legend(mark(name.mark, 8, 8, 5))


def _part_swatch(index: int, kind: str) -> Markup:
    """Return the mark of a moment (`m`) or the fill of a part (`p`), for legends."""
    filled = f'<rect x="1" y="2" width="14" height="12" class="part p{index}"/>'
    return _legend(filled if kind == "p" else shape(index, 8, 8, 5, f"m{index}"))


def _band_swatch(kind: str) -> Markup:
    """Return the ground of a phase, for legends."""
    return _legend(f'<rect x="0.5" y="1.5" width="15" height="13" class="band framed {kind}"/>')


def _legend(inside: str) -> Markup:
    return Markup(f'<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">{inside}</svg>')
