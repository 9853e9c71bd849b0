"""Pieces of SVG. Every text goes through `text` or `opened`, which escape it."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import escape

from ..view import Point

WIDTH = 360.0


def n(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".removesuffix(".0")


def opened(key: str, height: float, title: str, description: str, *, width: float = WIDTH) -> str:
    """The start of a picture with its name and description; `key` is unique in the page."""
    return (
        f'<svg viewBox="0 0 {n(width)} {n(height)}" role="img" aria-labelledby="{key}-t {key}-d">'
        f'<title id="{key}-t">{escape(title)}</title><desc id="{key}-d">{escape(description)}</desc>'
    )


def text(x: float, y: float, content: str, css: str = "", anchor: str = "start") -> str:
    """A line of text, its baseline at y; `anchor` is start, middle or end."""
    at = "" if anchor == "start" else f" at-{anchor}"
    return f'<text x="{n(x)}" y="{n(y)}" class="{css}{at}">{escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """A straight line."""
    return f'<line x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}" class="{css}"/>'


def rect(x: float, y: float, width: float, height: float, css: str) -> str:
    """A rectangle; nothing when it has no width."""
    if width <= 0:
        return ""
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}" class="{css}"/>'


def path(points: Iterable[Point], css: str) -> str:
    """Points joined by straight lines, in steps of a tenth, each written from the one before to keep pages small."""
    (x, y), *rest = [(round(x * 10), round(y * 10)) for x, y in points]
    steps = [f"M{n(x / 10)} {n(y / 10)}"]
    for later_x, later_y in rest:
        across, down = n((later_x - x) / 10), n((later_y - y) / 10)
        steps.append(f"l{across}{'' if down.startswith('-') else ' '}{down}")
        x, y = later_x, later_y
    return f'<path d="{"".join(steps)}" class="{css}"/>'


def shortened(content: str, most: int) -> str:
    """At most that many characters, the middle left out: the ends tell subjects apart."""
    if len(content) <= most:
        return content
    head = (most - 1) // 2
    return f"{content[:head]}…{content[-(most - 1 - head) :]}"
