"""Marks of subjects: a shape and a colour each, so that neither alone has to be told apart."""

from __future__ import annotations

from .svg import n

COLOURS = 8
# Offsets in units of the radius; closed unless it is a cross.
_SHAPES = (
    "",  # a circle
    "M-.9-.9H.9V.9H-.9Z",
    "M0-1.15 1.1.85H-1.1Z",
    "M0-1.25 1.25 0 0 1.25-1.25 0Z",
    "M0 1.15 1.1-.85H-1.1Z",
    "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "M-1.2-.55H1.2V.55H-1.2Z",
    "M-.55-1.2H.55V1.2H-.55Z",
)


def colour(mark: int | None) -> str:
    """The class that sets the colour; the control has one of its own."""
    return "sc" if mark is None else f"s{mark % COLOURS}"


def dash(mark: int | None) -> str:
    """The class that sets the dashes of a line."""
    return "dc" if mark is None else f"d{mark % 4}"


def mark(which: int | None, x: float, y: float, radius: float = 5) -> str:
    """The mark of a subject at a point; the control's is a hollow circle."""
    css = colour(which)
    if which is None:
        return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(radius)}" class="hollow {css}"/>'
    # With more subjects than shapes, the second round of colours meets other shapes.
    return shape((which + which // COLOURS) % len(_SHAPES), x, y, radius, css)


def shape(index: int, x: float, y: float, radius: float, css: str) -> str:
    """One of the shapes."""
    if not _SHAPES[index]:
        return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(radius)}" class="dot {css}"/>'
    return f'<path d="{_SHAPES[index]}" transform="translate({n(x)} {n(y)}) scale({n(radius)})" class="dot {css}"/>'
