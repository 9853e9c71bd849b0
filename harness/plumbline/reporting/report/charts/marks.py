"""Marks of subjects: each has a shape and a colour, so that a reader depends on neither alone.

A subject has the same mark in every report and on every page: the mark follows from the id of the subject alone.
"""

from __future__ import annotations

import zlib

from plumbline.model.subject import Subject
from .svg import number

COLOURS = 8
# From here on shapes are hollow.
HOLLOW_FROM = 64
# The place of a variant decides its mark: a new variant comes at the end, and no variant gets the place of another.
_PLACES = """
quarkus-rest-orm spring4-mvc-jpa micronaut-jdbc vertx-pg quarkus-rest-reactive spring4-mvc-jdbc
micronaut-reactive spring4-webflux-r2dbc quarkus-rest-orm-virtual spring4-webflux-vertx micronaut-hello
quarkus-hello-rest quarkus-hello-routes quarkus-spring-compat spring3-mvc-jpa quarkus-classic-orm
quarkus-classic-orm-mutiny quarkus-classic-reactive quarkus-rest-orm-mutiny quarkus-rest-reactive-blocking
standalone-jdbc standalone-r2dbc standalone-vertx quarkus-rest-jdbc quarkus-rest-pgclient
micronaut-data-jdbc javalin-jdbc helidon-se-jdbc ktor-jdbc helidon-mp-jpa open-liberty-jpa
vertx-pg-virtual micronaut-data-jpa
"""
_VARIANTS = tuple(_PLACES.split())
# Filled marks for the first 32 places, then hollow ones: more filled marks would have colours that are too much alike.
_OF_VARIANTS: tuple[int, ...] = (*range(32), *range(HOLLOW_FROM, HOLLOW_FROM + 8))
_OF_OTHERS: tuple[int, ...] = tuple(sorted({*range(2 * HOLLOW_FROM)} - {*_OF_VARIANTS}))
# With this salt no two subjects of a suite of bench.toml share a mark. If the tuples above change, so must the salt.
_SALT = 245316401
# Offsets in units of the radius; closed unless it is a cross.
SHAPES = (
    "",  # a circle
    "M-.9-.9H.9V.9H-.9Z",
    "M0-1.15 1.1.85H-1.1Z",
    "M0-1.25 1.25 0 0 1.25-1.25 0Z",
    "M0 1.15 1.1-.85H-1.1Z",
    "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "M-1.2-.55H1.2V.55H-1.2Z",
    "M-.55-1.2H.55V1.2H-.55Z",
)


def mark_of(subject: Subject) -> int:
    """Return the mark of a subject: by the place of its variant, or else by a digest of its id."""
    plain = subject.packaging == "jvm" and subject.engine in ("pg", "none") and not subject.settings
    if plain and subject.variant in _VARIANTS:
        return _OF_VARIANTS[_VARIANTS.index(subject.variant)]
    return _OF_OTHERS[zlib.crc32(f"{_SALT} {subject.id}".encode()) % len(_OF_OTHERS)]


def colour(mark: int | None) -> str:
    """Return the style class that sets the colour of a mark; the control has a class of its own."""
    return "sc" if mark is None else f"s{mark % COLOURS}"


def dash(mark: int | None) -> str:
    """Return the style class that sets the dashes of a line."""
    return "dc" if mark is None else f"d{mark % 4}"


def mark(mark_number: int | None, x: float, y: float, radius: float = 5) -> str:
    """Return the mark of a subject, drawn at a point; the mark of the control is a hollow circle."""
    css = colour(mark_number)
    if mark_number is None:
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="hollow {css}"/>'
    # With more subjects than shapes, the second round of colours meets other shapes.
    place = (mark_number + mark_number // COLOURS) % len(SHAPES)
    return shape(place, x, y, radius, css, "hollow" if mark_number >= HOLLOW_FROM else "dot")


def shape(index: int, x: float, y: float, radius: float, css: str, fill: str = "dot") -> str:
    """Return one of the shapes, drawn at a point; `fill` is `dot` or `hollow`."""
    if not SHAPES[index]:
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{fill} {css}"/>'
    transform = f"translate({number(x)} {number(y)}) scale({number(radius)})"
    return f'<path d="{SHAPES[index]}" transform="{transform}" class="{fill} {css}"/>'
