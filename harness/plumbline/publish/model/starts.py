"""Starts: JVM, AOT cache and native image of the same variants, side by side."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from .base import Document, Link

StartWord = Literal["ahead", "behind", "equivalent", "undecided"]


class StartRow(Frozen):
    """The starts of a subject: times to the first response in milliseconds, as a geometric mean with its interval.

    `starts` counts the trials that count, `refused` the others. `text` and `idle` (memory before the first request) are
    for people, in the units of the standing. `against_jvm` is how many times the time of the same variant's JVM, under
    the same conditions, and `word` what that comparison decided; None where there is none. `rank` is within the class.
    Seconds and bytes are of the build, of the training of an AOT cache, and of the image of a container; None where
    the session did not have them.
    """

    subject: str
    short: str
    mark: int | None
    packaging: str
    page_cache: Literal["warm", "cold"]
    run_in: Literal["process", "container"]
    starts: int
    refused: int
    rank: int | None
    tied: bool
    mean_ms: float
    low_ms: float | None
    high_ms: float | None
    text: str
    against_jvm: str | None
    word: StartWord | None
    idle: str
    idle_bytes: float | None
    artifact_bytes: int | None
    cache_bytes: int | None
    image_bytes: int | None
    build_s: float | None
    training_s: float | None


class StartClass(Frozen):
    """The starts of a class of data access, the first one first; `said` is the result in words.

    Subjects with fewer starts than the page asks for come last, and have no rank.
    """

    data_access: AccessClass
    title: str
    said: str
    rows: tuple[StartRow, ...]


class StartStanding(Frozen):
    """The starts of a session under a scenario. `host` and `scenario` are slugs; `symbol` is the unit of times."""

    host: str
    host_class: HostClass
    heading: str
    scenario: str
    session: Link
    symbol: str
    confidence: float
    classes: tuple[StartClass, ...]


class NotMeasured(Frozen):
    """A way to start sooner that nobody measured here, and why."""

    name: str
    why: str


class StartsFile(Document):
    """`api/v1/starts.json`. An order takes `least_starts` starts of each; `commands` measure them."""

    kind: Literal["starts"] = "starts"
    least_starts: int
    standings: tuple[StartStanding, ...]
    not_measured: tuple[NotMeasured, ...]
    commands: tuple[str, ...]
